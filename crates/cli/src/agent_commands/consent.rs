//! `consent`: what an agent lists of its own, or the hook of a program for its user.

use crate::daemon_option::DaemonOption;
use crate::hook::{list_program_consent, parse_program};
use crate::limits;
use crate::settings::Settings;
use clap::Args;
use countersign_api::{ConsentResponse, OwnGrantView, OwnOperationView, OwnRequestView};
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page, out, short_id};
use countersign_core::model::names::SessionName;
use countersign_harness::Program;
use countersign_report::join_actions;
use serde_json::Value;
use std::io::{IsTerminal, Read};

#[derive(Args)]
#[command(
    about = "List an agent's own grants, open requests and unfinished calls",
    before_help = "\
Examples:
  countersign consent --session deploy
  countersign consent --session deploy --json | jq .grants
  countersign consent --program claude           the latest session of Claude Code
  countersign consent --program claude --line    one line, for the program's status line

It uses the agents' socket, and shows only what belongs to this agent and session. `countersign
grants` is the operator's list of everything. With `--line` the session may come from the JSON object
that the program writes to the input."
)]
pub(crate) struct ConsentArgs {
    /// The session
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    #[arg(required_unless_present = "program")]
    pub(crate) session: Option<SessionName>,
    /// The coding agent whose hook made the session: claude or codex
    #[arg(long, value_name = "NAME", value_parser = parse_program)]
    pub(crate) program: Option<Program>,
    /// One line instead of the list
    #[arg(long, requires = "program")]
    pub(crate) line: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

pub(crate) fn consent(args: &ConsentArgs, settings: &Settings) -> Result<Exit, Failure> {
    match args.program {
        Some(program) if args.line => {
            let line = find_program_consent(program, args, settings)
                .map_or_else(|failure| failure.line(), |response| status_line(&response));
            out::show(&Page::from_line(&format!("Countersign: {line}")))?;
            Ok(Exit::Allowed)
        }
        Some(program) => {
            let response = find_program_consent(program, args, settings)?;
            args.daemon.print(&response, || consent_page(&response))
        }
        None => {
            let session = args.session.clone().ok_or_else(no_session)?;
            let response = args.daemon.agent(settings, 0)?.list_consent(&session)?;
            args.daemon.print(&response, || consent_page(&response))
        }
    }
}

fn find_program_consent(
    program: Program,
    args: &ConsentArgs,
    settings: &Settings,
) -> Result<ConsentResponse, Failure> {
    let named = args.session.clone().or_else(|| session_on_input(args));
    let session = match named {
        Some(session) => session,
        None => find_latest_session(program, args, settings)?,
    };
    list_program_consent(program, &session, settings)
}

/// A program writes an object with its session to its status line.
fn session_on_input(args: &ConsentArgs) -> Option<SessionName> {
    if !args.line || std::io::stdin().is_terminal() {
        return None;
    }
    let mut text = String::new();
    std::io::stdin().lock().take(limits::MAX_STATUS_BYTES).read_to_string(&mut text).ok()?;
    let fields: Value = serde_json::from_str(&text).ok()?;
    SessionName::parse(fields.get("session_id")?.as_str()?).ok()
}

fn find_latest_session(
    program: Program,
    args: &ConsentArgs,
    settings: &Settings,
) -> Result<SessionName, Failure> {
    let sessions = args.daemon.operator(settings)?.list_sessions()?.sessions;
    // The session that was used last comes first.
    let latest = sessions.into_iter().find(|session| session.agent.as_str() == program.word());
    latest.map(|session| session.session).ok_or_else(|| {
        Failure::usage(format!("no session of {program} is open"), "start one, or name it")
    })
}

fn no_session() -> Failure {
    Failure::usage("no session is named", "name it with `--session NAME`")
}

fn status_line(response: &ConsentResponse) -> String {
    let grants = match response.grants.len() {
        0 => "no grant in force".to_owned(),
        1 => "1 grant in force".to_owned(),
        several => format!("{several} grants in force"),
    };
    let ids: Vec<String> = response.requests.iter().map(|r| r.request_id.to_string()).collect();
    match ids.as_slice() {
        [] => format!("nothing waits for you, {grants}"),
        [only] => format!("a question waits for you ({}), {grants}", short_id(only)),
        several => format!("{} questions wait for you, {grants}", several.len()),
    }
}

fn consent_page(response: &ConsentResponse) -> Page {
    let mut page = Page::new();
    for line in &response.lines {
        page.text(line).end();
    }
    if !response.lines.is_empty() {
        page.end();
    }
    let grants: Vec<_> = response.grants.iter().map(grant_row).collect();
    add_table(&mut page, "no grant is in force", &["GRANT", "COVERS", "SCOPE", "ENDS"], &grants);
    let requests: Vec<_> = response.requests.iter().map(request_row).collect();
    add_table(&mut page, "no request is open", &["REQUEST", "ABOUT", "RISK", "ENDS"], &requests);
    let calls: Vec<_> = response.operations.iter().map(operation_row).collect();
    add_table(&mut page, "no call waits or runs", &["OPERATION", "ACTIONS", "STATE"], &calls);
    if response.truncated {
        page.text("there is more than this list shows").end();
    }
    page
}

fn add_table(page: &mut Page, empty: &str, headings: &[&str], rows: &[Vec<TableCell>]) {
    if rows.is_empty() {
        page.text(empty).end();
    } else {
        table::draw(page, headings, rows);
    }
}

fn grant_row(grant: &OwnGrantView) -> Vec<TableCell> {
    vec![
        TableCell::styled(BOLD, short_id(&grant.grant_id.to_string())),
        TableCell::new(grant.covers.as_str()),
        TableCell::new(grant.scope.word()),
        TableCell::new(grant.ends_at.map(|end| end.to_string()).unwrap_or_default()),
    ]
}

fn request_row(request: &OwnRequestView) -> Vec<TableCell> {
    vec![
        TableCell::styled(BOLD, short_id(&request.request_id.to_string())),
        TableCell::new(request.kind.word()),
        TableCell::new(request.risk.word()),
        TableCell::new(request.ends_at.to_string()),
    ]
}

fn operation_row(operation: &OwnOperationView) -> Vec<TableCell> {
    vec![
        TableCell::styled(BOLD, short_id(&operation.operation_id.to_string())),
        TableCell::new(join_actions(&operation.actions)),
        TableCell::new(operation.state.to_string()),
    ]
}
