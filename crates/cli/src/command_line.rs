//! The commands of the command line. Every help text starts with examples.

use crate::agent_commands::{AskArgs, ConsentArgs, GateArgs, WorkflowCommand};
use crate::daemon_control::{RestartArgs, StopArgs};
use crate::demo::DemoArgs;
use crate::generate::{CompletionsArgs, ManArgs, OpenapiArgs};
use crate::hook::HookArgs;
use crate::import::ImportCommand;
use crate::mcp::McpCommand;
use crate::open::OpenArgs;
use crate::operate::{
    AgentCommand, ApproveArgs, DeclineArgs, GestureCommand, GrantsArgs, LsArgs, NoticesArgs,
    NoticesCommand, PauseArgs, ProposalsArgs, RevokeArgs, SayArgs, SessionCommand, ShowArgs,
    StatusArgs,
};
use crate::run::RunArgs;
use crate::serve::ServeArgs;
use crate::settings::SettingsArgs;
use crate::test::TestArgs;
use crate::watch::WatchArgs;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use countersign_console::Exit;
use countersign_report::{InspectArgs, LedgerCommand, LogArgs, ReviewArgs, WhyArgs};
use countersign_rules::{
    CheckArgs, CommandsCommand, GraphCommand, RULE_EXAMPLES, RuleArgs, RuleCommand, SimulateArgs,
};
use countersign_setup::{DoctorArgs, InitArgs, SupportCommand, UninstallArgs};

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
  countersign open                              open the dashboard in a browser
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
    Stop(StopArgs),
    Restart(RestartArgs),
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
    #[command(about = "Let a paused agent or a stopped session continue")]
    Resume(PauseArgs),
    Watch(WatchArgs),
    Open(OpenArgs),
    Say(SayArgs),
    #[command(subcommand, about = "Add, list and revoke the tokens of agents")]
    #[command(before_help = AgentCommand::EXAMPLES, arg_required_else_help = true)]
    Agent(AgentCommand),
    #[command(subcommand, about = "Put MCP servers behind the gate, and add, list or test them")]
    #[command(before_help = McpCommand::EXAMPLES, arg_required_else_help = true)]
    Mcp(McpCommand),
    Hook(HookArgs),
    Gate(GateArgs),
    Ask(AskArgs),
    Run(RunArgs),
    Consent(ConsentArgs),
    #[command(subcommand, about = "Say that you started something yourself, and end that")]
    #[command(before_help = GestureCommand::EXAMPLES, arg_required_else_help = true)]
    Gesture(GestureCommand),
    Why(WhyArgs),
    Review(ReviewArgs),
    Log(LogArgs),
    #[command(subcommand, about = "Show workflows and runs; start, follow and end a run")]
    #[command(before_help = WorkflowCommand::EXAMPLES, arg_required_else_help = true)]
    Workflow(WorkflowCommand),
    #[command(subcommand, about = "List the open sessions, and end one")]
    #[command(before_help = SessionCommand::EXAMPLES, arg_required_else_help = true)]
    Session(SessionCommand),
    Check(CheckArgs),
    #[command(about = "Let agents run a command without a question", before_help = RULE_EXAMPLES)]
    Allow(RuleArgs),
    #[command(about = "Never let agents run a command", before_help = RULE_EXAMPLES)]
    Block(RuleArgs),
    #[command(subcommand, about = "Write or remove a rule for a command")]
    #[command(before_help = RULE_EXAMPLES, arg_required_else_help = true)]
    Rule(RuleCommand),
    #[command(subcommand, about = "Write, check, show, compare, review, trust or lock graphs")]
    #[command(before_help = GraphCommand::EXAMPLES, arg_required_else_help = true)]
    Graph(GraphCommand),
    Simulate(SimulateArgs),
    Test(TestArgs),
    #[command(subcommand, about = "Explain how rules judge a command line")]
    #[command(before_help = CommandsCommand::EXAMPLES, arg_required_else_help = true)]
    Commands(CommandsCommand),
    #[command(subcommand, about = "Verify, read, export, replay or erase parts of the ledger")]
    #[command(before_help = LedgerCommand::EXAMPLES, arg_required_else_help = true)]
    Ledger(LedgerCommand),
    Inspect(InspectArgs),
    #[command(subcommand, about = "Write a redacted packet of the record, and share one")]
    #[command(before_help = SupportCommand::EXAMPLES, arg_required_else_help = true)]
    Support(SupportCommand),
    #[command(subcommand, about = "Import grants of an earlier system, and confirm them")]
    #[command(before_help = ImportCommand::EXAMPLES, arg_required_else_help = true)]
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
            Self::Why(_)
            | Self::Review(_)
            | Self::Inspect(_)
            | Self::Workflow(WorkflowCommand::Audit(_)) => true,
            _ => false,
        }
    }
}

pub(crate) fn parse() -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&command().try_get_matches()?)
}

/// The whole command line, for parsing, completions and manual pages.
pub(crate) fn command() -> clap::Command {
    let command = set_help_template(Cli::command());
    let groups = list_groups(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{before-help}}{{usage-heading}} {{usage}}\n{groups}\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// The commands by what they are for. Each is in one group.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Begin", &["demo", "init", "uninstall", "serve", "stop", "restart", "status", "doctor"]),
    ("Answer", &["watch", "open", "ls", "show", "approve", "decline", "notices", "proposals"]),
    ("What is allowed", &["grants", "revoke", "pause", "resume", "say", "gesture", "session"]),
    ("What happened", &["log", "why", "review", "inspect", "ledger", "support"]),
    (
        "Rules",
        &["allow", "block", "rule", "graph", "check", "commands", "simulate", "test", "workflow"],
    ),
    ("For agents and scripts", &["gate", "ask", "run", "consent", "hook", "mcp", "agent"]),
    ("This program", &["settings", "import", "openapi", "completions", "man", "help"]),
];

fn list_groups(command: &clap::Command) -> String {
    let mut text = String::new();
    let describe = |name: &str| {
        let found = command.get_subcommands().find(|one| one.get_name() == name);
        found.and_then(clap::Command::get_about).map_or_else(
            || "Print this message or the help of the given subcommand(s)".to_owned(),
            ToString::to_string,
        )
    };
    for (title, names) in GROUPS {
        text.push_str(&format!("\n{title}:\n"));
        for name in names {
            text.push_str(&format!("  {name:<11}  {}\n", describe(name)));
        }
    }
    text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_of_the_help() {
        let command = Cli::command();
        let mut commands: Vec<&str> =
            command.get_subcommands().map(clap::Command::get_name).chain(["help"]).collect();
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        commands.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, commands);
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
