//! The command line of `countersign grants`.

use super::{DaemonOption, HELP_TEMPLATE};
use clap::{ArgGroup, Args, Subcommand};
use countersign_core::model::category::Category;
use countersign_core::model::names::{Action, Project, SessionName};
use countersign_core::model::time::Span;

#[derive(Args)]
#[command(about = "List, give, review or take back what was granted", help_template = HELP_TEMPLATE, before_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct GrantsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<GrantsCommand>,
    #[command(flatten)]
    pub(crate) ls: GrantsLsArgs,
}

const EXAMPLES: &str = "\
Examples:
  countersign grants                        what is in force, and what was used up lately
  countersign grants show 3e22a1
  countersign grants add --session s1 --command 'npm test' --in . --for 2h
  countersign grants review
  countersign grants revoke 3e22a1";

#[derive(Subcommand)]
pub(crate) enum GrantsCommand {
    /// List what is in force, and what was used up lately
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign grants ls
  countersign grants ls --session s1
  countersign grants ls --all --json")]
    Ls(GrantsLsArgs),
    /// Show one grant: what it covers, why it was given, what used it
    #[command(help_template = HELP_TEMPLATE, before_help = "Examples:\n  countersign grants show 3e22a1")]
    Show(GrantsShowArgs),
    /// Give something in a session, or in its project, before it is asked for
    #[command(help_template = HELP_TEMPLATE, before_help = ADDED)]
    Add(GrantsAddArgs),
    /// Take one grant back, at once
    #[command(help_template = HELP_TEMPLATE, before_help = "Examples:\n  countersign grants revoke 3e22a1")]
    Revoke(GrantsShowArgs),
    /// Look at grants of projects that are due, and keep each or take it back
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign grants review                            one after the other, at a terminal
  countersign grants review --list
  countersign grants review --keep 3e22a1 --revoke 7f2a1c

A project's grant carries nothing once its review is due, until you keep it. `graph review` keeps all of
them, and the graph.")]
    Review(GrantsReviewArgs),
}

#[derive(Args)]
pub(crate) struct GrantsLsArgs {
    /// Also what has ended or was revoked
    #[arg(long)]
    pub(crate) all: bool,
    /// Only what was given in this session
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// Only what this project owns
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Project::parse(text))]
    #[arg(conflicts_with = "session")]
    pub(crate) project: Option<Project>,
    /// So many at most
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct GrantsShowArgs {
    /// The grant, by its id or an end of it
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

const ADDED: &str = "\
Examples:
  countersign grants add --session s1 --command 'git push origin <branch>' --for 2h
  countersign grants add --session s1 --command 'npm test' --in ~/shop
  countersign grants add --session s1 --action email.send --once
  countersign grants add --session s1 --category git_write --project

A command is that exact one, in the folder that you are in or name with `--in`; `<name>` stands for one
whole argument. Calls that name no folder are covered by what is given with `--no-folder`, alone. What no grant
carries is refused: what is blocked, critical, always asked, or not listed in the graph. Without a scope it
holds for the session, a day at most.";

#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).args(["command", "action", "category"])))]
pub(crate) struct GrantsAddArgs {
    /// The session it holds in, and whose agent it is for
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// One exact command
    #[arg(long, value_name = "LINE")]
    pub(crate) command: Option<String>,
    /// The folder that the command runs in; else the one that you are in
    #[arg(long = "in", value_name = "DIR", conflicts_with_all = ["action", "category"])]
    pub(crate) folder: Option<std::path::PathBuf>,
    /// Only for calls of the command that name no folder
    #[arg(long, conflicts_with_all = ["folder", "action", "category"])]
    pub(crate) no_folder: bool,
    /// One action, whatever it is done to
    #[arg(long, value_name = "ACTION", value_parser = |text: &str| Action::parse(text))]
    pub(crate) action: Option<Action>,
    /// One category, as the graph gives it to actions
    #[arg(long, value_name = "CATEGORY", value_parser = |text: &str| Category::parse(text))]
    pub(crate) category: Option<Category>,
    /// For one call, within ten minutes
    #[arg(long, conflicts_with = "project")]
    pub(crate) once: bool,
    /// In the session's project, until its review
    #[arg(long)]
    pub(crate) project: bool,
    /// For so long at most: 15m, 2h, 30d
    #[arg(long = "for", value_name = "TIME", value_parser = span)]
    pub(crate) time: Option<Span>,
    /// `yes`, where something of high risk is given to a whole project
    #[arg(long, value_name = "TEXT")]
    pub(crate) confirm: Option<String>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct GrantsReviewArgs {
    /// Keep this one; may be given several times
    #[arg(long = "keep", value_name = "ID")]
    pub(crate) keep: Vec<String>,
    /// Take this one back; may be given several times
    #[arg(long = "revoke", value_name = "ID")]
    pub(crate) revoke: Vec<String>,
    /// Only list what is due
    #[arg(long, conflicts_with_all = ["keep", "revoke"])]
    pub(crate) list: bool,
    /// Also what falls due within so many days
    #[arg(long, value_name = "DAYS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=3_650))]
    pub(crate) within: u32,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn span(text: &str) -> Result<Span, String> {
    Span::parse(text).ok_or_else(|| "write how long: 15m, 2h, 30d".to_owned())
}
