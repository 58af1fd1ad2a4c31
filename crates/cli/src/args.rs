//! The command line: what can be typed, and help that leads with examples.

mod agent;
mod doctor;
mod grants;
mod graph;
mod import;
mod inspect;
mod ledger;
mod log;
mod operate;
mod run;
mod why;
mod workflow;

pub(crate) use agent::{AgentAddArgs, AgentCommand, AgentLsArgs, AgentRevokeArgs};
pub(crate) use graph::{
    GraphCheckArgs, GraphCommand, GraphDiffArgs, GraphLintArgs, GraphLockArgs, GraphReviewArgs,
    GraphShowArgs,
};

pub(crate) use import::{
    ImportCommand, ImportConfirmArgs, ImportConsentSystemArgs, ImportDeclineArgs,
    ImportPermissionBridgeArgs, ImportWaitingArgs,
};
pub(crate) use inspect::InspectArgs;
pub(crate) use ledger::{
    FilterArgs, LedgerCommand, LedgerEraseArgs, LedgerExportArgs, LedgerFollowArgs,
    LedgerQueryArgs, LedgerReplayArgs, LedgerShowArgs, LedgerVerifyArgs,
};

pub(crate) use operate::{
    ApproveArgs, DaemonOption, DeclineArgs, DemoArgs, GateArgs, LsArgs, PauseArgs, RevokeArgs,
    ServeArgs, ShowArgs, StatusArgs, WatchArgs,
};

pub(crate) use doctor::DoctorArgs;
pub(crate) use grants::{
    GrantsAddArgs, GrantsArgs, GrantsCommand, GrantsLsArgs, GrantsReviewArgs, GrantsShowArgs,
};
pub(crate) use log::LogArgs;
pub(crate) use run::RunArgs;
pub(crate) use why::WhyArgs;
pub(crate) use workflow::{WorkflowAuditArgs, WorkflowCommand, WorkflowReconcileArgs};

use crate::exit::Exit;
use crate::test::CaseStore;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// The description first, then examples, then everything else.
const HELP_TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

#[derive(Parser)]
#[command(
    name = "countersign",
    version,
    about = "The consent layer for AI agents: what a graph says about an action, and why",
    before_help = EXAMPLES,
    after_help = Exit::help_table(),
    help_template = HELP_TEMPLATE,
    arg_required_else_help = true,
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

const EXAMPLES: &str = "\
Examples:
  countersign demo                              see it work, in a minute
  countersign serve                             run the daemon
  countersign ls                                what waits for your answer
  countersign approve 7f2a1c                    yes, once
  countersign check email send 0.9              what the graph says, and what is enforced
  countersign check email send 0.9 --explain    and why
  countersign graph check                       is the graph in order?
  countersign test cases                        do the stories hold?
  countersign commands explain -- 'git push'    what rules make of a command line
  countersign ledger verify                     is the record intact?";

#[derive(Subcommand)]
pub(crate) enum CliCommand {
    Demo(DemoArgs),
    Serve(ServeArgs),
    Status(StatusArgs),
    Doctor(DoctorArgs),
    Ls(LsArgs),
    Show(ShowArgs),
    Approve(ApproveArgs),
    Decline(DeclineArgs),
    Grants(GrantsArgs),
    Revoke(RevokeArgs),
    #[command(about = "Deny all calls of an agent until you resume it")]
    Pause(PauseArgs),
    #[command(about = "Let a paused agent go on")]
    Resume(PauseArgs),
    Watch(WatchArgs),
    #[command(subcommand, about = "Give agents tokens, list them, take them back")]
    #[command(help_template = HELP_TEMPLATE, before_help = agent::EXAMPLES, arg_required_else_help = true)]
    Agent(AgentCommand),
    Gate(GateArgs),
    Run(RunArgs),
    Why(WhyArgs),
    Log(LogArgs),
    #[command(subcommand, about = "Tell which workflows ask, what runs, and end what was left")]
    #[command(help_template = HELP_TEMPLATE, before_help = workflow::EXAMPLES, arg_required_else_help = true)]
    Workflow(WorkflowCommand),
    Check(CheckArgs),
    #[command(subcommand, about = "Check, show, compare or review graphs", help_template = HELP_TEMPLATE)]
    #[command(before_help = graph::EXAMPLES, arg_required_else_help = true)]
    Graph(GraphCommand),
    Test(TestArgs),
    #[command(subcommand, about = "Explain what rules make of a command line")]
    #[command(help_template = HELP_TEMPLATE, before_help = COMMANDS_EXAMPLES, arg_required_else_help = true)]
    Commands(CommandsCommand),
    #[command(subcommand, about = "Verify, read, export or replay the ledger")]
    #[command(help_template = HELP_TEMPLATE, before_help = ledger::EXAMPLES, arg_required_else_help = true)]
    Ledger(LedgerCommand),
    /// Show what became of permissions and tools
    #[command(help_template = HELP_TEMPLATE, before_help = inspect::EXAMPLES, arg_required_else_help = true)]
    Inspect(InspectArgs),
    #[command(subcommand, about = "Bring in grants of an earlier system, and confirm them")]
    #[command(help_template = HELP_TEMPLATE, before_help = import::EXAMPLES, arg_required_else_help = true)]
    Import(ImportCommand),
    Settings(SettingsArgs),
    Openapi(OpenapiArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

#[derive(Args)]
#[command(
    about = "Print what the graph says about an action",
    before_help = CHECK_EXAMPLES,
    after_help = Exit::help_table(),
    help_template = HELP_TEMPLATE,
)]
pub(crate) struct CheckArgs {
    /// The first half of the action's name: `email`
    pub(crate) domain: String,
    /// The second half: `send`
    pub(crate) action: String,
    /// How sure the agent is, from 0 to 1
    #[arg(default_value = "0", value_parser = confidence, allow_negative_numbers = true)]
    pub(crate) confidence: f64,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    /// What it would be done to: a path, an address, a recipient. Asks the graph's policies too
    #[arg(long = "target", value_name = "TARGET", allow_hyphen_values = true)]
    pub(crate) targets: Vec<String>,
    /// The workspace that paths are relative to [default: the current folder]
    #[arg(long, value_name = "DIR", requires = "targets")]
    pub(crate) workspace: Option<PathBuf>,
    /// Say why, and what would have changed it
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  countersign check email send 0.9
  countersign check email send 0.9 --explain --graph graphs/personal/countersign.yaml
  countersign check files delete --target notes.txt --explain
  countersign check files delete && rm notes.txt

The first line is the tier as listed: SILENT, VISIBLE, FORCED or BLOCKED. Where something else is
enforced, a second line says so. The exit code is that of what is enforced.";

#[derive(Args)]
pub(crate) struct GraphOption {
    /// The graph [default: countersign.{toml,yaml,json} here, then in the user's config folder]
    #[arg(long = "graph", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
#[command(
    about = "Run stories with expected decisions",
    before_help = TEST_EXAMPLES,
    help_template = HELP_TEMPLATE,
)]
pub(crate) struct TestArgs {
    /// Case files, or folders of them
    #[arg(value_name = "PATH", required_unless_present_any = ["schema", "commands"])]
    pub(crate) paths: Vec<PathBuf>,
    /// A graph for cases that have none of their own
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// Rows of rule, command and expectation, instead of stories
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "graph"])]
    pub(crate) commands: Option<PathBuf>,
    /// Where stories are kept while they run: memory, sqlite, or postgres:ADDRESS
    #[arg(long, value_name = "STORE", default_value = "memory", hide_default_value = true,
        value_parser = CaseStore::parse)]
    pub(crate) store: CaseStore,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the JSON Schema of case files, for your editor
    #[arg(long, exclusive = true)]
    pub(crate) schema: bool,
}

const TEST_EXAMPLES: &str = "\
Examples:
  countersign test cases
  countersign test my-cases --graph countersign.yaml
  countersign test cases --store sqlite
  countersign test --commands corpus/commands.jsonl
  countersign test --schema > case.schema.json";

#[derive(Subcommand)]
pub(crate) enum CommandsCommand {
    /// Show the commands in a line, and which rule covers each of them or why none does
    #[command(help_template = HELP_TEMPLATE, before_help = COMMANDS_EXAMPLES, after_help = EXPLAINED)]
    Explain(CommandsExplainArgs),
}

const COMMANDS_EXAMPLES: &str = "\
Examples:
  countersign commands explain --rule 'allow git log *' -- 'git log --oneline'
  countersign commands explain --rule 'allow cat <path:ws>; deny path ./.env' -- 'cat ./.env'
  countersign commands explain --graph countersign.yaml -- 'git status && ls'";

const EXPLAINED: &str = "\
Without --rule, the rules are those of the graph, and they are held against this machine: links are
followed, and a program counts only where the agent cannot replace it. With --rule alone a rule is
tried out on the words; what the disk holds is shown and does not count.

The exit code is 0 where it would run without asking, 8 where somebody is asked, 5 where it is denied.
Nothing is run.";

#[derive(Args)]
pub(crate) struct CommandsExplainArgs {
    /// A rule, or several separated by `; `
    #[arg(long = "rule", value_name = "RULE")]
    pub(crate) rules: Vec<String>,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    /// The workspace [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<String>,
    /// Where the command would run [default: the workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The command line, as one argument
    pub(crate) command: String,
}

#[derive(Args)]
#[command(about = "Show the settings that hold, and where each comes from", help_template = HELP_TEMPLATE)]
#[command(before_help = "\
Examples:
  countersign settings
  countersign settings --example > ~/.config/countersign/settings.toml

What is typed goes before a variable of the environment, and that before the file: the one that
COUNTERSIGN_SETTINGS names, else countersign/settings.toml in the user's config folder.")]
pub(crate) struct SettingsArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a whole file that says what each key means
    #[arg(long, conflicts_with = "json")]
    pub(crate) example: bool,
}

#[derive(Args)]
#[command(about = "Print the OpenAPI document of a plane", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign openapi agent       what agents can send
  countersign openapi operator    what you can send")]
pub(crate) struct OpenapiArgs {
    pub(crate) plane: PlaneArg,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PlaneArg {
    Agent,
    Operator,
}

#[derive(Args)]
#[command(about = "Print completions for a shell", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign completions bash > ~/.local/share/bash-completion/completions/countersign
  countersign completions fish > ~/.config/fish/completions/countersign.fish")]
pub(crate) struct CompletionsArgs {
    pub(crate) shell: Shell,
}

#[derive(Args)]
#[command(about = "Print the manual page, or write all pages to a folder", help_template = HELP_TEMPLATE)]
#[command(before_help = "\
Examples:
  countersign man | man -l -
  countersign man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Where the pages are written, one for each command
    pub(crate) dir: Option<PathBuf>,
}

/// The whole command line, for completions and manual pages.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

fn confidence(given: &str) -> Result<f64, String> {
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
    fn the_command_line_holds_together() {
        command().debug_assert();
    }

    #[test]
    fn a_confidence_is_finite_and_from_zero_to_one() {
        for (given, read) in [("0", 0.0), ("1", 1.0), ("0.85", 0.85), (".5", 0.5), ("-0", 0.0)] {
            assert_eq!(confidence(given), Ok(read), "{given}");
        }
        for given in ["7", "NaN", "abc", "", "-0.5", "inf", "-inf", "1.0000001", "0,9", "90%"] {
            assert!(confidence(given).is_err(), "{given}");
        }
    }
}
