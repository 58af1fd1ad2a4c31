//! The command line. Every help text starts with examples.

mod agent;
mod answer;
mod ask;
mod doctor;
mod gesture;
mod grants;
mod graph;
mod graph_choice;
mod hook;
mod import;
mod init;
mod inspect;
mod ledger;
mod log;
mod mcp;
mod notices;
mod operate;
mod proposals;
mod run;
mod say;
mod session;
mod simulate;
mod test;
mod why;
mod workflow;

pub(crate) use agent::{AgentAddArgs, AgentCommand, AgentLsArgs, AgentRevokeArgs};
pub(crate) use answer::{ApproveArgs, DeclineArgs, GrantLasting};
pub(crate) use ask::{AskArgs, ConsentArgs};
pub(crate) use gesture::{GestureCloseArgs, GestureCommand, GestureMakeArgs};
pub(crate) use graph::{
    GraphCheckArgs, GraphCommand, GraphDiffArgs, GraphLintArgs, GraphLockArgs, GraphNewArgs,
    GraphReviewArgs, GraphShowArgs, GraphTrustArgs, StarterArg,
};

pub(crate) use graph_choice::{DaemonFolder, GraphFileArg, GraphOption};
pub(crate) use hook::HookArgs;
pub(crate) use import::{
    ImportCommand, ImportConfirmArgs, ImportConsentSystemArgs, ImportDeclineArgs,
    ImportPermissionBridgeArgs, ImportWaitingArgs,
};
pub(crate) use init::{AgentOption, InitArgs, UninstallArgs};
pub(crate) use inspect::InspectArgs;
pub(crate) use ledger::{
    FilterArgs, LedgerCommand, LedgerEraseArgs, LedgerExportArgs, LedgerFollowArgs,
    LedgerQueryArgs, LedgerReplayArgs, LedgerShowArgs, LedgerVerifyArgs,
};

pub(crate) use operate::{
    DaemonOption, DemoArgs, GateArgs, LsArgs, PauseArgs, RevokeArgs, ServeArgs, ShowArgs,
    StatusArgs, WatchArgs,
};

pub(crate) use doctor::DoctorArgs;
pub(crate) use grants::{
    GrantsAddArgs, GrantsArgs, GrantsCommand, GrantsLsArgs, GrantsReviewArgs, GrantsShowArgs,
    GrantsSuggestArgs,
};
pub(crate) use log::LogArgs;
pub(crate) use mcp::{
    McpAddArgs, McpCommand, McpLsArgs, McpRmArgs, McpServeArgs, McpTestArgs, McpWrapArgs,
    OfferedRules,
};
pub(crate) use notices::{NoticesAckArgs, NoticesArgs, NoticesCommand, NoticesLsArgs};
pub(crate) use proposals::{ProposalArgs, ProposalsArgs, ProposalsCommand, ProposalsLsArgs};
pub(crate) use run::RunArgs;
pub(crate) use say::SayArgs;
pub(crate) use session::{SessionCommand, SessionEndArgs, SessionLsArgs};
pub(crate) use simulate::SimulateArgs;
pub(crate) use test::TestArgs;
pub(crate) use why::WhyArgs;
pub(crate) use workflow::{
    OwnRunArgs, WorkflowAuditArgs, WorkflowCommand, WorkflowReconcileArgs, WorkflowStartArgs,
    WorkflowStatusArgs,
};

use crate::exit::Exit;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// The description first, then examples, then everything else.
const HELP_TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

#[derive(Parser)]
#[command(
    name = "countersign",
    version,
    about = "The consent layer for AI agents: decides what they may do, asks you, and records it",
    before_help = EXAMPLES,
    after_help = Exit::help_table(),
    arg_required_else_help = true,
)]
pub(crate) struct Cli {
    /// One fact per line, without columns, colours and pager: for screen readers and scripts
    #[arg(long, global = true)]
    pub(crate) plain: bool,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

const EXAMPLES: &str = "\
Examples:
  countersign demo                              watch a demonstration of one minute
  countersign init                              guard the coding agents on this machine
  countersign serve                             run the daemon
  countersign ls                                list the requests that wait for you
  countersign approve r7f2a1c                   allow it once
  countersign check email send 0.9              show what the graph says about an action
  countersign check email send 0.9 --explain    and why
  countersign graph check                       check the graph for mistakes
  countersign test cases                        run case files
  countersign commands explain -- 'git push'    show how rules judge a command line
  countersign ledger verify                     check that the ledger is intact";

#[derive(Subcommand)]
pub(crate) enum CliCommand {
    Demo(DemoArgs),
    Init(InitArgs),
    Uninstall(UninstallArgs),
    Serve(ServeArgs),
    Status(StatusArgs),
    Doctor(DoctorArgs),
    Ls(LsArgs),
    Show(ShowArgs),
    Approve(ApproveArgs),
    Decline(DeclineArgs),
    Notices(NoticesArgs),
    Grants(GrantsArgs),
    Revoke(RevokeArgs),
    Proposals(ProposalsArgs),
    #[command(about = "Deny all calls of an agent until you resume it")]
    Pause(PauseArgs),
    #[command(about = "Let a paused agent continue")]
    Resume(PauseArgs),
    Watch(WatchArgs),
    Say(SayArgs),
    #[command(subcommand, about = "Add, list and revoke the tokens of agents")]
    #[command(before_help = agent::EXAMPLES, arg_required_else_help = true)]
    Agent(AgentCommand),
    #[command(subcommand, about = "Put MCP servers behind the gate, and add, list or test them")]
    #[command(before_help = mcp::EXAMPLES, arg_required_else_help = true)]
    Mcp(McpCommand),
    Hook(HookArgs),
    Gate(GateArgs),
    Ask(AskArgs),
    Run(RunArgs),
    Consent(ConsentArgs),
    #[command(subcommand, about = "Say that you started something yourself, and end that")]
    #[command(before_help = gesture::EXAMPLES, arg_required_else_help = true)]
    Gesture(GestureCommand),
    Why(WhyArgs),
    Log(LogArgs),
    #[command(subcommand, about = "Show workflows and runs; start, follow and end a run")]
    #[command(before_help = workflow::EXAMPLES, arg_required_else_help = true)]
    Workflow(WorkflowCommand),
    #[command(subcommand, about = "List the open sessions, and end one")]
    #[command(before_help = session::EXAMPLES, arg_required_else_help = true)]
    Session(SessionCommand),
    Check(CheckArgs),
    #[command(subcommand, about = "Write, check, show, compare, review, trust or lock graphs")]
    #[command(before_help = graph::EXAMPLES, arg_required_else_help = true)]
    Graph(GraphCommand),
    Simulate(SimulateArgs),
    Test(TestArgs),
    #[command(subcommand, about = "Explain how rules judge a command line")]
    #[command(before_help = COMMANDS_EXAMPLES, arg_required_else_help = true)]
    Commands(CommandsCommand),
    #[command(subcommand, about = "Verify, read, export, replay or erase parts of the ledger")]
    #[command(before_help = ledger::EXAMPLES, arg_required_else_help = true)]
    Ledger(LedgerCommand),
    /// Show the history of permissions and tools
    #[command(before_help = inspect::EXAMPLES, arg_required_else_help = true)]
    Inspect(InspectArgs),
    #[command(subcommand, about = "Import grants of an earlier system, and confirm them")]
    #[command(before_help = import::EXAMPLES, arg_required_else_help = true)]
    Import(ImportCommand),
    Settings(SettingsArgs),
    Openapi(OpenapiArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl CliCommand {
    /// Whether the output can fill more than a screen and nothing is asked meanwhile.
    pub(crate) fn may_be_long(&self) -> bool {
        match self {
            Self::Ls(args) => !args.daemon.json,
            Self::Show(args) => !args.daemon.json,
            Self::Log(args) => !args.follow && !args.json,
            Self::Grants(args) => args.lists_grants(),
            Self::Agent(AgentCommand::Ls(args)) => !args.daemon.json,
            Self::Notices(NoticesArgs { command: None, ls }) => !ls.daemon.json,
            Self::Notices(NoticesArgs { command: Some(NoticesCommand::Ls(args)), .. }) => {
                !args.daemon.json
            }
            Self::Session(SessionCommand::Ls(args)) => !args.daemon.json,
            Self::Proposals(args) => args.lists_or_shows(),
            Self::Graph(GraphCommand::Show(_) | GraphCommand::Diff(_)) => true,
            Self::Ledger(LedgerCommand::Query(_) | LedgerCommand::Show(_)) => true,
            Self::Simulate(args) => !args.json && !args.each,
            Self::Why(_) | Self::Inspect(_) | Self::Workflow(WorkflowCommand::Audit(_)) => true,
            _ => false,
        }
    }
}

#[derive(Args)]
#[command(
    about = "Show what the graph says about an action, and what is enforced",
    before_help = CHECK_EXAMPLES,
    after_help = Exit::help_table(),
)]
pub(crate) struct CheckArgs {
    /// The action, as `email send` or `email.send`, and how sure the agent is, from 0 to 1
    #[arg(value_name = "ACTION", num_args = 1..=3, required = true, allow_negative_numbers = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
    /// The target: a path, an address or a recipient. With a target, policies are evaluated too
    #[arg(long = "target", value_name = "TARGET", allow_hyphen_values = true)]
    pub(crate) targets: Vec<String>,
    /// The folder that paths are relative to [default: the current folder]
    #[arg(long, value_name = "DIR", requires = "targets")]
    pub(crate) workspace: Option<PathBuf>,
    /// Show the reason, and what would change the outcome
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  countersign check email send 0.9
  countersign check git.push
  countersign check email send 0.9 --explain --graph graphs/personal/countersign.yaml
  countersign check files delete --target notes.txt --explain
  countersign check files delete && rm notes.txt

The first line is the listed tier: SILENT, VISIBLE, FORCED or BLOCKED. If the enforced outcome
differs, a second line shows it. The exit code is that of the enforced outcome.";

#[derive(Subcommand)]
pub(crate) enum CommandsCommand {
    /// Show each command of a line, and the rule that covers it or why none does
    #[command(before_help = COMMANDS_EXAMPLES, after_help = EXPLAIN_NOTES)]
    Explain(CommandsExplainArgs),
}

const COMMANDS_EXAMPLES: &str = "\
Examples:
  countersign commands explain --rule 'allow git log *' -- 'git log --oneline'
  countersign commands explain --rule 'allow cat <path:ws>; deny path ./.env' -- 'cat ./.env'
  countersign commands explain --graph countersign.yaml -- 'git status && ls'";

const EXPLAIN_NOTES: &str = "\
Without `--rule`, the rules of the graph are applied on this machine: links are followed, and a
program matches only if the agent cannot replace it. With `--rule` alone, the rule is applied to
the words; the disk is shown but does not count.

Exit codes: 0 if it would run without asking, 8 if it asks, 5 if it is denied. Nothing is run.";

#[derive(Args)]
pub(crate) struct CommandsExplainArgs {
    /// One rule, or several separated by `; `
    #[arg(long = "rule", value_name = "RULE")]
    pub(crate) rules: Vec<String>,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
    /// The workspace [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<String>,
    /// The folder that the command runs in [default: the workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The command line, as one argument
    pub(crate) command: String,
}

#[derive(Args)]
#[command(about = "Show the settings in force, and where each comes from")]
#[command(before_help = "\
Examples:
  countersign settings
  countersign settings --example > ~/.config/countersign/settings.toml

Options override variables of the environment, and variables override the settings file. The file
is the one in COUNTERSIGN_SETTINGS, else countersign/settings.toml in the user's config folder.")]
pub(crate) struct SettingsArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a settings file that describes every key
    #[arg(long, conflicts_with = "json")]
    pub(crate) example: bool,
}

#[derive(Args)]
#[command(
    about = "Print the OpenAPI document of a plane",
    before_help = "\
Examples:
  countersign openapi agent       for agents
  countersign openapi operator    for operators"
)]
pub(crate) struct OpenapiArgs {
    pub(crate) plane: PlaneArg,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PlaneArg {
    Agent,
    Operator,
}

#[derive(Args)]
#[command(
    about = "Print a completion script for a shell",
    before_help = "\
Examples:
  countersign completions bash > ~/.local/share/bash-completion/completions/countersign
  countersign completions fish > ~/.config/fish/completions/countersign.fish"
)]
pub(crate) struct CompletionsArgs {
    pub(crate) shell: Shell,
}

#[derive(Args)]
#[command(about = "Print the manual page, or write one page per command")]
#[command(before_help = "\
Examples:
  countersign man | man -l -
  countersign man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write the page of every command to this folder
    pub(crate) dir: Option<PathBuf>,
}

pub(crate) fn parse() -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&command().try_get_matches()?)
}

/// The whole command line, for parsing, completions and manual pages.
pub(crate) fn command() -> clap::Command {
    set_help_template(Cli::command())
}

/// clap does not pass a help template on to subcommands.
fn set_help_template(mut command: clap::Command) -> clap::Command {
    if let Some(text) = command.get_before_help().map(ToString::to_string) {
        command = command.before_help(join_paragraphs(&text));
    }
    if let Some(text) = command.get_after_help().map(ToString::to_string) {
        command = command.after_help(join_paragraphs(&text));
    }
    command.help_template(HELP_TEMPLATE).mut_subcommands(set_help_template)
}

/// Joins the lines of each paragraph, because clap wraps them to the width of the terminal. Indented
/// lines stay as they are, and so does the line above them.
fn join_paragraphs(text: &str) -> String {
    let mut joined = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        joined.push_str(line);
        let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
        match lines.peek() {
            Some(next) if is_prose(line) && is_prose(next) => joined.push(' '),
            Some(_) => joined.push('\n'),
            None => {}
        }
    }
    joined
}

pub(crate) fn parse_confidence(given: &str) -> Result<f64, String> {
    let number: Option<f64> = given.parse().ok();
    match number.filter(|number| (0.0..=1.0).contains(number)) {
        // Minus zero is zero.
        Some(number) => Ok(number + 0.0),
        None => Err("a confidence is a number from 0 to 1, for example 0.9".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn a_confidence_is_finite_and_from_zero_to_one() {
        for (given, number) in [("0", 0.0), ("1", 1.0), ("0.85", 0.85), (".5", 0.5), ("-0", 0.0)] {
            assert_eq!(parse_confidence(given), Ok(number), "{given}");
        }
        for given in ["7", "NaN", "abc", "", "-0.5", "inf", "-inf", "1.0000001", "0,9", "90%"] {
            assert!(parse_confidence(given).is_err(), "{given}");
        }
    }
}
