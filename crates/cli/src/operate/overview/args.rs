//! The command lines of `status`, `ls` and `show`.

use crate::daemon_option::DaemonOption;
use clap::Args;

#[derive(Args)]
#[command(about = "Show whether the daemon runs, and how much waits for you")]
#[command(
    before_help = "Examples:\n  countersign status\n  countersign status --json | jq .open_requests"
)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "List the requests that wait for you")]
#[command(before_help = "Examples:\n  countersign ls\n  countersign ls --json")]
pub(crate) struct LsArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "Show one request")]
#[command(before_help = "Examples:\n  countersign show r7f2a1c\n  countersign show --full r7f2a1c")]
pub(crate) struct ShowArgs {
    /// The id of the request, or its beginning or end
    pub(crate) id: String,
    /// Print the whole call as it will run, instead of the card
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}
