//! `grants`: what was granted, one of them, giving one, and taking one back.

use super::find::{encoded, meant_id};
use super::{is_true, list, put, text};
use crate::args::{Grants, GrantsAdd, GrantsCommand, GrantsLs, GrantsShow};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ids::short;
use crate::out;
use crate::page::{BOLD, DIM, GREEN, NONE, Page};
use crate::settings::Settings;
use crate::table::{self, Cell};
use countersign_client::Client;
use countersign_core::model::time::Time;
use serde_json::{Value, json};
use std::path::Path;

/// Of what was used up, so many are listed beside what is in force.
const USED: u64 = 20;
/// Pages of what was granted last that these are looked for in; `--all` looks everywhere.
const LATELY: u64 = 5;
/// Asked for at once.
const PAGE: u64 = 100;

pub(crate) fn grants(args: &Grants, settings: &Settings) -> Result<Exit, Failure> {
    match &args.command {
        None => ls(&args.ls, settings),
        Some(GrantsCommand::Ls(args)) => ls(args, settings),
        Some(GrantsCommand::Show(args)) => show(args, settings),
        Some(GrantsCommand::Add(args)) => add(args, settings),
        Some(GrantsCommand::Revoke(args)) => revoke(args, settings),
        Some(GrantsCommand::Review(args)) => super::review::review(args, settings),
    }
}

fn ls(args: &GrantsLs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let owner = match (&args.session, &args.project) {
        (Some(session), _) => format!("&session={}", encoded(session.as_str())),
        (None, Some(project)) => format!("&project={}", encoded(project.as_str())),
        (None, None) => String::new(),
    };
    let (mut found, more) = match args.all {
        true => pages(&client, &format!("state=all{owner}"), args.limit)?,
        false => pages(&client, &format!("state=in_force{owner}"), args.limit)?,
    };
    if !args.all {
        let used = some_pages(&client, &format!("state=used{owner}"), (USED, LATELY))?;
        found.extend(used.0);
    }
    if args.daemon.json {
        out::show_json(&json!({"grants": found, "more": more}))?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    if found.is_empty() {
        page.text("nothing is granted").end();
    } else {
        let rows: Vec<Vec<Cell>> = found.iter().map(row).collect();
        let headings = ["ID", "COVERS", "FOR", "AGENT", "GIVEN", "WHY", "USED", "STATE"];
        table::draw(&mut page, &headings, &rows);
    }
    if more {
        page.text("there are more: name a session or a project, or raise `--limit`").end();
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// All pages, up to so many grants, and whether there are more.
pub(crate) fn pages(
    client: &Client,
    query: &str,
    most: u64,
) -> Result<(Vec<Value>, bool), Failure> {
    some_pages(client, query, (most, u64::MAX))
}

/// The same, of so many pages: what is meant may lie far back among what is not.
fn some_pages(
    client: &Client,
    query: &str,
    (most, mut rounds): (u64, u64),
) -> Result<(Vec<Value>, bool), Failure> {
    let mut found: Vec<Value> = Vec::new();
    let mut before = String::new();
    loop {
        let left = most.saturating_sub(u64::try_from(found.len()).unwrap_or(u64::MAX));
        if left == 0 || rounds == 0 {
            return Ok((found, true));
        }
        rounds -= 1;
        let limit = left.min(PAGE);
        let page = client.get(&format!("/v1/grants?{query}&limit={limit}{before}"))?;
        found.extend(list(&page, "grants").iter().cloned());
        match page.get("next").and_then(Value::as_str) {
            None => return Ok((found, false)),
            Some(next) => before = format!("&before={next}"),
        }
    }
}

fn row(grant: &Value) -> Vec<Cell> {
    let style = if is_true(grant, "in_force") { NONE } else { DIM };
    vec![
        Cell::styled(BOLD, short(text(grant, "/id"))),
        Cell::new(covers(grant)),
        Cell::new(text(grant, "/scope")),
        Cell::new(text(grant, "/agent")),
        Cell::new(text(grant, "/granted_at")),
        Cell::new(why(grant)),
        Cell::new(used(grant)),
        Cell::styled(style, state(grant)),
    ]
}

/// What it covers; of a command also where.
pub(crate) fn covers(grant: &Value) -> String {
    let what = text(grant, "/covers");
    let command = grant.pointer("/coverage/command");
    match (command, command.and_then(|command| command.get("cwd")).and_then(Value::as_str)) {
        (None, _) => what.to_owned(),
        (Some(_), Some(folder)) => format!("{what} in {folder}"),
        (Some(_), None) => format!("{what} (no folder named)"),
    }
}

/// Why it was given. What an agent said stands in quotes.
fn why(grant: &Value) -> String {
    let source = match text(grant, "/source") {
        "answer" => "you said yes",
        "ahead" => "you said yes ahead",
        "standing" => "you named it",
        "run" => "a run began",
        "category" => "yes for this task",
        "plan" => "a plan",
        "import" => "brought in",
        other => other,
    };
    match grant.get("reason").and_then(Value::as_str) {
        Some(said) => format!("{source} to {}", json!(said)),
        None => source.to_owned(),
    }
}

fn used(grant: &Value) -> String {
    let uses = grant.get("uses").and_then(Value::as_u64).unwrap_or(0);
    match (uses, grant.pointer("/used/at").and_then(Value::as_str)) {
        (0, _) => "not yet".to_owned(),
        (uses, None) => format!("{uses}×"),
        (uses, Some(at)) => format!("{uses}×, {at} by op {}", short(text(grant, "/used/by"))),
    }
}

pub(super) fn state(grant: &Value) -> String {
    let word = match grant.get("state") {
        Some(Value::String(word)) => word.as_str(),
        Some(Value::Object(fields)) => fields.keys().next().map_or("", String::as_str),
        _ => "",
    };
    let review = grant.get("review_at").and_then(Value::as_str);
    let end = grant.get("ends_at").and_then(Value::as_str);
    match (word, is_true(grant, "in_force")) {
        ("spent", _) => "used up".to_owned(),
        ("reserved", _) => "in use".to_owned(),
        ("live" | "released", true) => match (end, review) {
            (Some(end), _) => format!("until {end}"),
            (None, Some(review)) => format!("until its review {review}"),
            (None, None) => "live".to_owned(),
        },
        ("live" | "released", false) if review.is_some() => "due for review".to_owned(),
        ("live" | "released", false) => "ended".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn show(args: &GrantsShow, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let id = meant_id(&client, "grant", &args.id)?;
    let grant = client.get(&format!("/v1/grants/{id}"))?;
    if args.daemon.json {
        out::show_json(&grant)?;
    } else {
        out::show(&told(&grant))?;
    }
    Ok(Exit::Allowed)
}

/// One grant, a fact a line.
pub(super) fn told(grant: &Value) -> Page {
    let mut page = Page::new();
    page.styled(BOLD, text(grant, "/id")).end();
    let holds = match grant.pointer("/owner/project").and_then(Value::as_str) {
        Some(project) => format!("project {project}"),
        None => format!("session {}", text(grant, "/made_in")),
    };
    let folder = grant.pointer("/coverage/command/cwd").and_then(Value::as_str);
    let request = grant.get("request").and_then(Value::as_str);
    let actions = grant.pointer("/used/actions").and_then(Value::as_array);
    let actions: Vec<&str> =
        actions.map(|all| all.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
    for (name, value) in [
        ("covers", text(grant, "/covers").to_owned()),
        ("in folder", folder.unwrap_or_default().to_owned()),
        ("agent", text(grant, "/agent").to_owned()),
        ("holds in", holds),
        ("for", text(grant, "/scope").to_owned()),
        ("carries", format!("up to {} risk", text(grant, "/shown"))),
        ("given", format!("{} in session {}", text(grant, "/granted_at"), text(grant, "/made_in"))),
        ("because", why(grant)),
        ("request", request.unwrap_or_default().to_owned()),
        ("used", used(grant)),
        ("used for", actions.join(", ")),
        ("state", state(grant)),
    ] {
        if !value.is_empty() {
            page.text("  ").styled(BOLD, &format!("{name:<10}")).text(&value).end();
        }
    }
    page
}

fn add(args: &GrantsAdd, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let scope = match (args.once, args.project) {
        (true, _) => "once",
        (_, true) => "project",
        (false, false) => "session",
    };
    let mut body = json!({"session": args.session, "scope": scope});
    if let Some(command) = &args.command {
        put(&mut body, "command", command);
        if !args.no_folder {
            let folder = args.folder.as_deref().unwrap_or_else(|| Path::new("."));
            put(&mut body, "cwd", real(folder)?);
        }
    }
    if let Some(action) = &args.action {
        put(&mut body, "action", action);
    }
    if let Some(category) = &args.category {
        put(&mut body, "category", category);
    }
    if let Some(time) = args.time {
        let seconds = (Time::from_micros(0) + time).micros() / 1_000_000;
        put(&mut body, "seconds", seconds);
    }
    if let Some(confirm) = &args.confirm {
        put(&mut body, "confirm", confirm);
    }
    let said = client.post("/v1/grants", &body)?;
    if args.daemon.json {
        out::show_json(&said)?;
        return Ok(Exit::Allowed);
    }
    let grant = said.get("grant").unwrap_or(&Value::Null);
    let mut page = Page::new();
    page.styled(GREEN, "granted").text(": ").text(&covers(grant));
    page.text(" to ").text(text(grant, "/agent")).text(", ").text(&state(grant));
    page.text(" ").styled(DIM, &format!("[grant {}]", short(text(grant, "/id")))).end();
    if let Some(reason) = said.get("reason").and_then(Value::as_str) {
        page.text(reason).end();
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// The folder as the agent's calls name it: whole, and behind every link.
fn real(folder: &Path) -> Result<String, Failure> {
    let whole = std::fs::canonicalize(folder).map_err(|error| {
        Failure::file(("look at", folder), &error, "name a folder that is there")
    })?;
    whole.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::usage("the folder's name is no text", "name one that can be written down")
    })
}

fn revoke(args: &GrantsShow, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let id = meant_id(&client, "grant", &args.id)?;
    super::answer::taken_back(&client, &json!({"grant": id}), &args.daemon)
}
