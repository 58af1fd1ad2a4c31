//! The command line of `countersign grants`.

use crate::daemon_option::DaemonOption;
use crate::limits;
use clap::{ArgGroup, Args, Subcommand};
use countersign_core::model::category::Category;
use countersign_core::model::names::{Action, Project, SessionName};
use countersign_core::model::time::Span;
use countersign_report::TimeArg;

#[derive(Args)]
#[command(about = "List, add, suggest, review or revoke grants", before_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct GrantsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<GrantsCommand>,
    #[command(flatten)]
    pub(crate) ls: GrantsLsArgs,
}

impl GrantsArgs {
    /// Whether this lists grants for people, and asks nothing.
    pub(crate) fn lists_grants(&self) -> bool {
        match &self.command {
            None => !self.ls.daemon.json,
            Some(GrantsCommand::Ls(args)) => !args.daemon.json,
            Some(_) => false,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  countersign grants                        grants in force, and some that are used up
  countersign grants show g3e22a1
  countersign grants add --session s1 --command 'npm test' --in . --for 2h
  countersign grants suggest                what you approve again and again
  countersign grants review
  countersign grants revoke g3e22a1";

#[derive(Subcommand)]
pub(crate) enum GrantsCommand {
    /// List the grants in force, and some that are used up
    #[command(before_help = "\
Examples:
  countersign grants ls
  countersign grants ls --session s1
  countersign grants ls --all --json")]
    Ls(GrantsLsArgs),
    /// Show one grant: its coverage, its reason and its uses
    #[command(before_help = "Examples:\n  countersign grants show g3e22a1")]
    Show(GrantsShowArgs),
    /// Add a grant in a session or its project before an agent asks
    #[command(before_help = ADD_EXAMPLES)]
    Add(GrantsAddArgs),
    /// Revoke one grant
    #[command(before_help = "Examples:\n  countersign grants revoke g3e22a1")]
    Revoke(GrantsShowArgs),
    /// Keep or revoke project grants that are due for review
    #[command(before_help = "\
Examples:
  countersign grants review                            one by one, at a terminal
  countersign grants review --list
  countersign grants review --keep g3e22a1 --revoke g7f2a1c

A project grant whose review is due allows nothing until you keep it. `graph review` keeps all of
them.")]
    Review(GrantsReviewArgs),
    /// List what you always approve, and the grant or graph rule that would end the question
    #[command(before_help = SUGGEST_EXAMPLES)]
    Suggest(GrantsSuggestArgs),
}

const SUGGEST_EXAMPLES: &str = "\
Examples:
  countersign grants suggest
  countersign grants suggest --project ~/shop --since 30d
  countersign grants suggest --apply 1                 asks you to confirm, at a terminal

Lists what was asked at least three times and approved each time, the one that would have spared
most first. A grant that is in force, or a rule that the graph has now, is not suggested again.
Never suggested: critical and always-asked actions, calls of unclassified tools, shells,
interpreters and inline code, secret and guarded files, deletions outside of the workspace, and
what is forced or recursive. Lines for the graph are printed and never written. Looks at the newest
500 closed requests of each agent.";

#[derive(Args)]
pub(crate) struct GrantsLsArgs {
    /// Also list grants that have ended or were revoked
    #[arg(long)]
    pub(crate) all: bool,
    /// Only grants of this session
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// Only grants of this project
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Project::parse(text))]
    #[arg(conflicts_with = "session")]
    pub(crate) project: Option<Project>,
    /// List at most so many
    #[arg(long, value_name = "COUNT", default_value_t = limits::DEFAULT_LISTED_GRANTS)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct GrantsShowArgs {
    /// The id of the grant, or its beginning or end
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

const ADD_EXAMPLES: &str = "\
Examples:
  countersign grants add --session s1 --command 'git push origin <branch>' --for 2h
  countersign grants add --session s1 --command 'npm test' --in ~/shop
  countersign grants add --session s1 --action email.send --once
  countersign grants add --project ~/shop --command 'npm test'

A command is granted exactly as written, in the current folder or in the one that `--in` names;
`<name>` stands for one whole argument. Calls that name no folder need a grant with `--no-folder`.
Actions that are blocked, critical, always asked or not listed in the graph cannot be granted.
Without a scope, a grant is for the session, and for a day at most. A grant names an agent, so one for
a project needs a session of its agent there.";

#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).args(["command", "action", "category"])))]
pub(crate) struct GrantsAddArgs {
    /// The session, which also names the agent [default: with `--project DIR`, the one used last there]
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    #[arg(required_unless_present = "project")]
    pub(crate) session: Option<SessionName>,
    /// One exact command; lifts your earlier declines of it
    #[arg(long, value_name = "LINE")]
    pub(crate) command: Option<String>,
    /// The folder that the command runs in [default: the current folder]
    #[arg(long = "in", value_name = "DIR", conflicts_with_all = ["action", "category"])]
    pub(crate) folder: Option<std::path::PathBuf>,
    /// For calls of the command that name no folder
    #[arg(long, conflicts_with_all = ["folder", "action", "category"])]
    pub(crate) no_folder: bool,
    /// One action, on any target
    #[arg(long, value_name = "ACTION", value_parser = |text: &str| Action::parse(text))]
    pub(crate) action: Option<Action>,
    /// One category of actions in the graph
    #[arg(long, value_name = "CATEGORY", value_parser = |text: &str| Category::parse(text))]
    pub(crate) category: Option<Category>,
    /// For one call, within ten minutes
    #[arg(long, conflicts_with = "project")]
    pub(crate) once: bool,
    /// For the project, until its review: that of this folder, or of the session
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub(crate) project: Option<Option<std::path::PathBuf>>,
    /// For at most this time: 15m, 2h, 30d
    #[arg(long = "for", value_name = "TIME", value_parser = parse_span)]
    pub(crate) time: Option<Span>,
    /// `yes`, for an action of high risk in a whole project
    #[arg(long, value_name = "TEXT")]
    pub(crate) confirm: Option<String>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct GrantsSuggestArgs {
    /// Only what was asked in this session
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// Only what was asked in this project
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Project::parse(text))]
    #[arg(conflicts_with = "session")]
    pub(crate) project: Option<Project>,
    /// Only what was asked since: a date, a time (2026-01-05T09:00:00Z) or a duration before now (2h, 30d)
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse)]
    pub(crate) since: Option<TimeArg>,
    /// Give the grant with this number in the list
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) apply: Option<u64>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct GrantsReviewArgs {
    /// Keep this grant; can be repeated
    #[arg(long = "keep", value_name = "ID")]
    pub(crate) keep: Vec<String>,
    /// Revoke this grant; can be repeated
    #[arg(long = "revoke", value_name = "ID")]
    pub(crate) revoke: Vec<String>,
    /// Only list the grants that are due
    #[arg(long, conflicts_with_all = ["keep", "revoke"])]
    pub(crate) list: bool,
    /// Include grants that become due within so many days
    #[arg(long, value_name = "DAYS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(limits::MAX_REVIEW_DAYS)))]
    pub(crate) within: u32,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn parse_span(text: &str) -> Result<Span, String> {
    Span::parse(text).ok_or_else(|| "write a time such as 15m, 2h or 30d".to_owned())
}
