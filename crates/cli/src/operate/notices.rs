//! `notices`: lists what needs no answer, and marks it as read.

use crate::daemon_option::DaemonOption;
use crate::settings::Settings;
use clap::{Args, Subcommand};
use countersign_api::{AcknowledgeResponse, NoticeView, NoticesResponse};
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page, YELLOW, pick_id, screen, short_id};
use countersign_core::model::notice::Urgency;
use serde::Serialize;

#[derive(Args)]
#[command(
    about = "List notices and alerts, and mark them as read",
    args_conflicts_with_subcommands = true,
    before_help = "\
Examples:
  countersign notices
  countersign notices ack n7f2a1c
  countersign notices ack --all"
)]
pub(crate) struct NoticesArgs {
    #[command(subcommand)]
    pub(crate) command: Option<NoticesCommand>,
    #[command(flatten)]
    pub(crate) ls: NoticesLsArgs,
}

#[derive(Subcommand)]
pub(crate) enum NoticesCommand {
    /// List the open notices and alerts, with their times
    #[command(before_help = "Examples:\n  countersign notices ls\n  countersign notices ls --json")]
    Ls(NoticesLsArgs),
    /// Mark notices as read
    #[command(
        before_help = "Examples:\n  countersign notices ack n7f2a1c\n  countersign notices ack --all"
    )]
    Ack(NoticesAckArgs),
}

#[derive(Args)]
pub(crate) struct NoticesLsArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct NoticesAckArgs {
    /// The ids of the notices, or their beginnings
    #[arg(value_name = "ID", required_unless_present = "all")]
    pub(crate) ids: Vec<String>,
    /// All open notices
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

pub(crate) fn notices(args: &NoticesArgs, settings: &Settings) -> Result<Exit, Failure> {
    match &args.command {
        None => ls(&args.ls, settings),
        Some(NoticesCommand::Ls(args)) => ls(args, settings),
        Some(NoticesCommand::Ack(args)) => acknowledge(args, settings),
    }
}

fn ls(args: &NoticesLsArgs, settings: &Settings) -> Result<Exit, Failure> {
    let notices = args.daemon.operator(settings)?.list_notices()?;
    let response = NoticesResponse { notices };
    args.daemon.print(&response, || notices_page(&response.notices))
}

fn notices_page(notices: &[NoticeView]) -> Page {
    if notices.is_empty() {
        return Page::from_line("there are no notices");
    }
    let row = |notice: &NoticeView| {
        let cause = notice.cause.word();
        let times = match notice.count {
            1 => screen::display_time(notice.last_at.0),
            count => {
                let [last, first] =
                    [notice.last_at, notice.first_at].map(|at| screen::display_time(at.0));
                format!("{last} ({count}×, first {first})")
            }
        };
        vec![
            TableCell::styled(BOLD, short_id(&notice.id.to_string())),
            TableCell::new(times),
            match notice.urgency {
                Urgency::Alert => TableCell::styled(YELLOW, cause),
                Urgency::Notice => TableCell::new(cause),
            },
            TableCell::new(notice.agent.as_ref().map_or("", |agent| agent.as_str())),
            TableCell::new(notice.describe()),
        ]
    };
    let rows: Vec<Vec<TableCell>> = notices.iter().map(row).collect();
    let mut page = Page::new();
    table::draw(&mut page, &["ID", "WHEN", "CAUSE", "AGENT", "TEXT"], &rows);
    page.text("`countersign notices ack ID` or `--all` marks them as read").end();
    page
}

#[derive(Serialize)]
struct AcknowledgedNotices {
    acknowledged: Vec<AcknowledgeResponse>,
}

fn acknowledge(args: &NoticesAckArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let notices = client.list_notices()?;
    let mut chosen = Vec::new();
    for given in &args.ids {
        let ids = notices.iter().map(|notice| notice.id.to_string());
        let found: Vec<String> = ids.filter(|id| id.starts_with(given.as_str())).collect();
        let help = "`countersign notices` lists the open notices with their short ids";
        let id = pick_id(&found, given, "open notice", help)?;
        chosen.extend(notices.iter().filter(|notice| notice.id.to_string() == id));
    }
    if args.all {
        chosen = notices.iter().collect();
    }
    let mut acknowledged = Vec::new();
    for notice in chosen {
        acknowledged.push(client.acknowledge_notice(notice.id)?);
    }
    let response = AcknowledgedNotices { acknowledged };
    args.daemon.print(&response, || {
        Page::from_line(&match response.acknowledged.len() {
            0 => "there are no notices".to_owned(),
            1 => "1 notice is marked as read".to_owned(),
            count => format!("{count} notices are marked as read"),
        })
    })
}
