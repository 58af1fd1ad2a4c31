//! `open`: opens the dashboard in a browser.
//!
//! The link alone lets nobody in: its page shows characters that are typed here. So whoever reads the
//! link in the browser's arguments gains nothing.

use crate::daemon_option::DaemonOption;
use crate::operate::fit_bounds;
use crate::settings::Settings;
use clap::Args;
use countersign_api::{ConfirmLoginRequest, EndBrowserSessionRequest};
use countersign_console::{BOLD, Exit, Failure, GREEN, Page, ask, out};
use std::process::{Command, Stdio};

#[derive(Args)]
#[command(
    about = "Open the dashboard in a browser",
    before_help = "\
Examples:
  countersign open
  countersign open --print      the link only, for a browser of your own, or over ssh
  countersign open --end-all    log out every browser

The page shows six characters. Type them here within a minute; then that browser stays logged in for
a week, or until nobody has used it for twelve hours."
)]
pub(crate) struct OpenArgs {
    /// Print the link instead of starting a browser
    #[arg(long, conflicts_with = "end_all")]
    print: bool,
    /// Log out every browser
    #[arg(long)]
    end_all: bool,
    #[command(flatten)]
    daemon: DaemonOption,
}

pub(crate) fn open(args: &OpenArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    if args.end_all {
        let ended = client.end_browser_session(&EndBrowserSessionRequest::default())?;
        return args.daemon.print(&ended, || match ended.ended {
            0 => Page::from_line("the dashboard was open in no browser"),
            1 => Page::from_line("logged out 1 browser"),
            several => Page::from_line(&format!("logged out {several} browsers")),
        });
    }
    let login = client.open_dashboard()?;
    if args.print || !start_browser(&login.url) {
        out::show(&Page::from_line(&login.url))?;
    }
    let typed = ask("The page shows six characters. Type them here: ")?;
    let confirmed = client.confirm_login(&ConfirmLoginRequest {
        login: fit_bounds("login", login.login)?,
        code: fit_bounds("text", typed.chars().filter(|c| !c.is_whitespace()).collect::<String>())?,
    })?;
    args.daemon.print(&confirmed, || {
        let mut page = Page::new();
        page.styled(GREEN, "logged in: ").styled(BOLD, &confirmed.browser).end();
        page
    })
}

/// Whether a program took the link. What it does with it shows on the screen.
fn start_browser(url: &str) -> bool {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
