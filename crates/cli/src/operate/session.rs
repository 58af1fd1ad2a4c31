//! `session ls` lists the open sessions; `session end` ends one.

use crate::daemon_option::DaemonOption;
use crate::settings::Settings;
use clap::{Args, Subcommand};
use countersign_api::{EndSessionResponse, SessionView, SessionsResponse};
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page};
use countersign_core::model::names::SessionName;

impl SessionCommand {
    pub(crate) const EXAMPLES: &str = "\
Examples:
  countersign session ls              list the open sessions
  countersign session end shop        end the session `shop`
  countersign session end codex/shop  end it if several agents have one of that name
  countersign session end shop --as-agent   as its agent, over the agents' socket

What an agent ends sheds nothing: a stop, a dry run, declines and recorded destinations hold in the
sessions that it opens in the next 24 hours.";
}

#[derive(Subcommand)]
pub(crate) enum SessionCommand {
    /// List the open sessions, the one used last first
    #[command(before_help = SessionCommand::EXAMPLES)]
    Ls(SessionLsArgs),
    /// End a session, with its grants, questions, runs and waiting calls
    #[command(before_help = SessionCommand::EXAMPLES)]
    End(SessionEndArgs),
}

#[derive(Args)]
pub(crate) struct SessionLsArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct SessionEndArgs {
    /// The session, as NAME or AGENT/NAME
    #[arg(value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// End an own session over the agents' socket, as its agent or its adapter
    #[arg(long)]
    pub(crate) as_agent: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

pub(crate) fn session(command: &SessionCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        SessionCommand::Ls(args) => list(args, settings),
        SessionCommand::End(args) => end(args, settings),
    }
}

fn list(args: &SessionLsArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.operator(settings)?.list_sessions()?;
    args.daemon.print(&response, || sessions_page(&response))
}

fn sessions_page(response: &SessionsResponse) -> Page {
    if response.sessions.is_empty() {
        return Page::from_line("no session is open");
    }
    let mut page = Page::new();
    let rows: Vec<Vec<TableCell>> = response.sessions.iter().map(session_row).collect();
    table::draw(&mut page, &["AGENT", "SESSION", "PROJECT", "LAST USED", "ENDS IF UNUSED"], &rows);
    page
}

fn session_row(session: &SessionView) -> Vec<TableCell> {
    vec![
        TableCell::new(session.agent.as_str()),
        TableCell::styled(BOLD, session.session.as_str()),
        TableCell::new(session.project.as_ref().map_or("", |project| project.as_str())),
        TableCell::new(session.active_at.to_string()),
        TableCell::new(session.idles_out_at.to_string()),
    ]
}

fn end(args: &SessionEndArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = match args.as_agent {
        true => args.daemon.agent(settings, 0)?.end_session(&args.session)?,
        false => args.daemon.operator(settings)?.end_session(&args.session)?,
    };
    args.daemon.print(&response, || Page::from_line(&describe_end(&response)))
}

fn describe_end(response: &EndSessionResponse) -> String {
    let EndSessionResponse { agent, session, ended } = response;
    match ended {
        true => {
            format!("the session {session} of {agent} has ended, with its grants and questions")
        }
        false => format!("the session {session} of {agent} was not open"),
    }
}
