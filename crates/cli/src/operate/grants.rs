//! `grants`: listing, showing, adding and revoking grants.

mod args;
mod review;
mod suggest;

pub(crate) use args::GrantsArgs;

use super::find::find_grant;
use super::revoke::send_revocation;
use super::{add_fields, fit_bounds};
use crate::settings::Settings;
use args::{GrantsAddArgs, GrantsCommand, GrantsLsArgs, GrantsShowArgs};
use countersign_api::{
    GrantFilter, GrantOwner, GrantRequest, GrantResponse, GrantView, GrantableScope, GrantsQuery,
    PageSize, RevokeRequest, SessionView,
};
use countersign_client::OperatorClient;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, DIM, Exit, Failure, GREEN, NONE, Page, screen, short_id};
use countersign_core::model::grant::{Coverage, GrantState, Scope};
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use countersign_observe::{AgentIdentity, RealFileSystem};
use countersign_report::{describe_source, join_actions};
use countersign_setup::find_repository_root;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// Grants, and whether there are more.
#[derive(Serialize)]
pub(crate) struct GrantList {
    pub(crate) grants: Vec<GrantView>,
    pub(crate) more: bool,
}

pub(crate) fn grants(args: &GrantsArgs, settings: &Settings) -> Result<Exit, Failure> {
    match &args.command {
        None => ls(&args.ls, settings),
        Some(GrantsCommand::Ls(args)) => ls(args, settings),
        Some(GrantsCommand::Show(args)) => show(args, settings),
        Some(GrantsCommand::Add(args)) => add(args, settings),
        Some(GrantsCommand::Revoke(args)) => revoke(args, settings),
        Some(GrantsCommand::Review(args)) => review::review(args, settings),
        Some(GrantsCommand::Suggest(args)) => suggest::suggest(args, settings),
    }
}

fn ls(args: &GrantsLsArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let query = GrantsQuery {
        state: if args.all { GrantFilter::All } else { GrantFilter::InForce },
        session: args.session.clone(),
        // Grants are listed by one owner at a time.
        project: args.project.clone().filter(|_| args.session.is_none()),
        ..GrantsQuery::default()
    };
    let max = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let list = list_grants(&client, query, max)?;
    args.daemon.print(&list, || list_page(&list))
}

fn list_page(list: &GrantList) -> Page {
    let mut page = Page::new();
    if list.grants.is_empty() {
        page.text("there are no grants").end();
    } else {
        draw_grants(&mut page, list);
    }
    if list.more {
        page.text("there are more grants: name a session or a project, or raise `--limit`").end();
    }
    page
}

/// The grants, and below them the programs whose content they pinned, which cover no call.
fn draw_grants(page: &mut Page, list: &GrantList) {
    let (programs, grants): (Vec<&GrantView>, Vec<&GrantView>) =
        list.grants.iter().partition(|grant| is_program(grant));
    if !grants.is_empty() {
        let rows: Vec<Vec<TableCell>> = grants.into_iter().map(grant_row).collect();
        let headings = ["ID", "COVERS", "SCOPE", "AGENT", "GRANTED", "SOURCE", "USED", "STATE"];
        table::draw(page, &headings, &rows);
    }
    if !programs.is_empty() {
        let rows: Vec<Vec<TableCell>> = programs.into_iter().map(program_row).collect();
        page.text("pinned programs, for which rules and grants hold as they are:").end();
        table::draw(page, &["ID", "PROGRAM", "SCOPE", "AGENT", "PINNED", "STATE"], &rows);
    }
}

pub(crate) fn is_program(grant: &GrantView) -> bool {
    matches!(grant.coverage, Coverage::Program(_))
}

/// All pages, up to this many grants.
pub(crate) fn list_grants(
    client: &OperatorClient,
    mut query: GrantsQuery,
    max: usize,
) -> Result<GrantList, Failure> {
    let mut grants: Vec<GrantView> = Vec::new();
    loop {
        let left = max.saturating_sub(grants.len());
        if left == 0 {
            return Ok(GrantList { grants, more: true });
        }
        query.limit = PageSize::clamp(left.min(PageSize::default().number()));
        let page = client.list_grants(&query)?;
        grants.extend(page.grants);
        match page.next {
            None => return Ok(GrantList { grants, more: false }),
            next => query.before = next,
        }
    }
}

fn program_row(grant: &GrantView) -> Vec<TableCell> {
    let covers = grant.covers.strip_prefix("the program ").unwrap_or(&grant.covers);
    vec![
        TableCell::styled(BOLD, short_id(&grant.id.to_string())),
        TableCell::new(covers),
        TableCell::new(describe_scope(grant)),
        TableCell::new(grant.agent.as_str()),
        TableCell::new(screen::display_time(grant.granted_at.0)),
        TableCell::styled(if grant.in_force { NONE } else { DIM }, describe_state(grant)),
    ]
}

fn grant_row(grant: &GrantView) -> Vec<TableCell> {
    let style = if grant.in_force { NONE } else { DIM };
    vec![
        TableCell::styled(BOLD, short_id(&grant.id.to_string())),
        TableCell::new(describe_coverage(grant)),
        TableCell::new(describe_scope(grant)),
        TableCell::new(grant.agent.as_str()),
        TableCell::new(screen::display_time(grant.granted_at.0)),
        TableCell::new(source_text(grant)),
        TableCell::new(describe_use(grant)),
        TableCell::styled(style, describe_state(grant)),
    ]
}

/// The scope; for a yes for some time, the time that was chosen.
fn describe_scope(grant: &GrantView) -> String {
    match (grant.scope, grant.ends_at) {
        (Scope::Until, Some(end)) => {
            let minutes = (end.0.micros() - grant.granted_at.0.micros()) / 60_000_000;
            match (minutes / 60, minutes % 60) {
                (0, minutes) => format!("{minutes}m"),
                (hours, 0) => format!("{hours}h"),
                (hours, minutes) => format!("{hours}h {minutes}m"),
            }
        }
        (scope, _) => scope.to_string(),
    }
}

/// What a grant covers; for a command also where.
pub(crate) fn describe_coverage(grant: &GrantView) -> String {
    let covers = &grant.covers;
    match &grant.coverage {
        Coverage::Command { cwd: Some(folder), .. } => format!("{covers} in {folder}"),
        Coverage::Command { cwd: None, .. } => format!("{covers} (no folder named)"),
        _ => covers.clone(),
    }
}

/// The source of a grant, with the agent's reason in quotes.
fn source_text(grant: &GrantView) -> String {
    let source = describe_source(grant.source);
    match &grant.reason {
        Some(reason) => format!("{source} to {}", Value::from(reason.as_str())),
        None => source.to_owned(),
    }
}

fn describe_use(grant: &GrantView) -> String {
    match (grant.uses, &grant.last_use) {
        (0, _) => "not yet".to_owned(),
        (uses, None) => format!("{uses}×"),
        (uses, Some(last)) => {
            format!(
                "{uses}×, {} by {}",
                screen::display_time(last.at.0),
                short_id(&last.call.to_string())
            )
        }
    }
}

fn describe_state(grant: &GrantView) -> String {
    match (&grant.state, grant.in_force) {
        (GrantState::Spent, _) => "used up".to_owned(),
        (GrantState::Reserved { .. }, _) => "in use".to_owned(),
        (GrantState::Revoked, _) => "revoked".to_owned(),
        (GrantState::Live | GrantState::Released { .. }, true) => {
            match (grant.ends_at, grant.review_at) {
                (Some(end), _) => screen::display_end(end.0),
                (None, Some(review)) => {
                    format!("until its review {}", screen::display_time(review.0))
                }
                (None, None) => "live".to_owned(),
            }
        }
        (GrantState::Live | GrantState::Released { .. }, false) if grant.review_at.is_some() => {
            "due for review".to_owned()
        }
        (GrantState::Live | GrantState::Released { .. } | GrantState::Ended, _) => {
            "ended".to_owned()
        }
    }
}

fn show(args: &GrantsShowArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let grant = client.grant(find_grant(&client, &args.id)?)?;
    args.daemon.print(&grant, || grant_page(&grant))
}

/// One grant, with one fact per line.
pub(super) fn grant_page(grant: &GrantView) -> Page {
    let mut page = Page::new();
    page.styled(BOLD, &grant.id.to_string()).end();
    let owner = match &grant.owner {
        GrantOwner::Project(project) => format!("project {project}"),
        GrantOwner::User => "every project of yours".to_owned(),
        GrantOwner::Session(_) => format!("session {}", grant.session),
    };
    let folder = match &grant.coverage {
        Coverage::Command { cwd: Some(folder), .. } => folder.clone(),
        _ => String::new(),
    };
    let used_for = grant.last_use.as_ref().map(|last| join_actions(&last.actions));
    let fields = [
        ("covers", grant.covers.clone()),
        ("in folder", folder),
        ("agent", grant.agent.to_string()),
        ("valid in", owner),
        ("scope", describe_scope(grant)),
        ("max risk", grant.max_risk.to_string()),
        ("granted", format!("{} in session {}", grant.granted_at, grant.session)),
        ("source", source_text(grant)),
        ("request", grant.request.map(|id| id.to_string()).unwrap_or_default()),
        ("used", describe_use(grant)),
        ("used for", used_for.unwrap_or_default()),
        ("state", describe_state(grant)),
    ];
    add_fields(&mut page, fields);
    page
}

fn add(args: &GrantsAddArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let session = match &args.session {
        Some(session) => session.clone(),
        None => find_session_of_project(&client, args, settings)?,
    };
    let response = client.add_grant(&grant_request(args, session)?)?;
    args.daemon.print(&response, || added_page(&response))
}

pub(super) fn added_page(response: &GrantResponse) -> Page {
    let grant = &response.grant;
    let mut page = Page::new();
    page.styled(GREEN, "granted").text(": ").text(&describe_coverage(grant));
    page.text(" to ").text(grant.agent.as_str()).text(", ").text(&describe_state(grant));
    page.text(" ").styled(DIM, &format!("[grant {}]", short_id(&grant.id.to_string()))).end();
    for line in response.reason.iter().chain(&response.declines) {
        page.text(line).end();
    }
    page
}

/// The session that was used last in the project of a folder: it says which agent is meant.
fn find_session_of_project(
    client: &OperatorClient,
    args: &GrantsAddArgs,
    settings: &Settings,
) -> Result<SessionName, Failure> {
    let folder = args.project.as_ref().and_then(Option::as_deref).unwrap_or(Path::new("."));
    let files = RealFileSystem::new(AgentIdentity::current_user(), "");
    let root = find_repository_root(&files, settings.home.as_deref(), folder)?;
    let sessions = client.list_sessions()?.sessions;
    let is_there =
        |view: &&SessionView| view.project.as_ref().is_some_and(|project| project.as_str() == root);
    let Some(found) = sessions.iter().find(is_there) else {
        return Err(Failure::usage(
            format!(
                "no agent has an open session in {root}, so nobody knows whom the grant is for"
            ),
            "start the agent there, or name a session with `--session` (`countersign sessions`)",
        ));
    };
    SessionName::parse(&format!("{}/{}", found.agent, found.session.as_str()))
        .map_err(|error| Failure::new(error.to_string(), "name the session with `--session`"))
}

fn grant_request(args: &GrantsAddArgs, session: SessionName) -> Result<GrantRequest, Failure> {
    let project = args.project.as_ref().and_then(Option::as_deref);
    let folder = args.folder.as_deref().or(project).unwrap_or_else(|| Path::new("."));
    let cwd = match (&args.command, args.no_folder) {
        (Some(_), false) => Some(fit_bounds("folder", resolve_folder(folder)?)?),
        _ => None,
    };
    let seconds = |time| (Time::from_micros(0) + time).micros() / 1_000_000;
    Ok(GrantRequest {
        session,
        command: args.command.clone().map(|line| fit_bounds("command", line)).transpose()?,
        cwd,
        action: args.action.clone(),
        category: args.category.clone(),
        scope: match (args.once, args.project.is_some()) {
            (true, _) => GrantableScope::Once,
            (_, true) => GrantableScope::Project,
            (false, false) => GrantableScope::Session,
        },
        seconds: args.time.map(|time| fit_bounds("time", seconds(time))).transpose()?,
        confirm: args.confirm.clone().map(|text| fit_bounds("confirmation", text)).transpose()?,
    })
}

/// The folder as the agent's calls name it: absolute, with links resolved.
fn resolve_folder(folder: &Path) -> Result<String, Failure> {
    let resolved = std::fs::canonicalize(folder)
        .map_err(|error| Failure::file("open", folder, &error, "name a folder that exists"))?;
    resolved
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| Failure::usage("the name of the folder is not UTF-8", "name another folder"))
}

fn revoke(args: &GrantsShowArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let request = RevokeRequest::for_grant(find_grant(&client, &args.id)?);
    send_revocation(&client, &request, &args.daemon)
}
