//! Answers: yes, no, and taking back. What is answered is shown first.

use super::find::meant_id;
use super::look::drawn;
use super::{list, put, text};
use crate::args::{Approve, DaemonOption, Decline, PauseArgs, RevokeArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, GREEN, Page};
use crate::settings::Settings;
use countersign_client::Client;
use serde_json::{Value, json};

pub(crate) fn approve(args: &Approve, settings: &Settings) -> Result<Exit, Failure> {
    let choice = match (args.task, &args.quarter, args.session, args.project) {
        (true, ..) => "run",
        (_, Some(_), ..) => "15m",
        (_, _, true, _) => "session",
        (_, _, _, true) => "project",
        _ => "once",
    };
    let mut body = json!({"choice": choice, "note": args.note});
    if let Some(confirm) = &args.confirm {
        put(&mut body, "confirm", confirm);
    }
    answer((&args.daemon, &args.id), settings, body)
}

pub(crate) fn decline(args: &Decline, settings: &Settings) -> Result<Exit, Failure> {
    let body = json!({"choice": "decline", "note": args.note, "stop": args.stop});
    answer((&args.daemon, &args.id), settings, body)
}

fn answer(
    (daemon, id): (&DaemonOption, &str),
    settings: &Settings,
    mut body: Value,
) -> Result<Exit, Failure> {
    let client = daemon.operator(settings)?;
    let request = meant_id(&client, "request", id)?;
    let found = client.get(&format!("/v1/requests/{request}"))?;
    let card = found.get("card").unwrap_or(&Value::Null);
    if !daemon.json {
        out::show(&drawn(card))?;
    }
    put(&mut body, "digest", text(card, "/digest"));
    put(&mut body, "surface", "command-line");
    let said = client.post(&format!("/v1/requests/{request}/answer"), &body)?;
    if daemon.json {
        out::show_json(&said)?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    for given in list(&said, "given") {
        let granted = match given.get("scope_granted").and_then(Value::as_str) {
            Some(scope) => format!("allowed for {scope}"),
            None => "declined".to_owned(),
        };
        page.styled(GREEN, "answered")
            .text(": ")
            .text(text(given, "/action"))
            .text(" ")
            .text(&granted);
        if let Some(why) = given.get("reason").and_then(Value::as_str) {
            page.text(", because ").text(why);
        }
        page.end();
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

pub(crate) fn pause(args: &PauseArgs, settings: &Settings) -> Result<Exit, Failure> {
    told(args, settings, "/v1/pause", "is paused: its calls are denied until you resume it")
}

pub(crate) fn resume(args: &PauseArgs, settings: &Settings) -> Result<Exit, Failure> {
    told(args, settings, "/v1/resume", "goes on")
}

fn told(args: &PauseArgs, settings: &Settings, path: &str, what: &str) -> Result<Exit, Failure> {
    let said = args.daemon.operator(settings)?.post(path, &json!({"agent": args.agent}))?;
    if args.daemon.json {
        out::show_json(&said)?;
    } else {
        let mut page = Page::new();
        page.styled(BOLD, args.agent.as_str()).text(" ").text(what).end();
        out::show(&page)?;
    }
    Ok(Exit::Allowed)
}

pub(crate) fn revoke(args: &RevokeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let mut body = json!({"all": args.all});
    if let Some(given) = &args.grant {
        put(&mut body, "grant", meant_id(&client, "grant", given)?);
    }
    if let Some(workflow) = &args.workflow {
        put(&mut body, "workflow", workflow);
    }
    if let Some(session) = &args.session {
        put(&mut body, "session", session);
    }
    taken_back(&client, &body, &args.daemon)
}

pub(super) fn taken_back(
    client: &Client,
    body: &Value,
    daemon: &DaemonOption,
) -> Result<Exit, Failure> {
    let said = client.post("/v1/revoke", body)?;
    if daemon.json {
        out::show_json(&said)?;
        return Ok(Exit::Allowed);
    }
    let reached = list(&said, "revoked").len();
    out::show(&Page::of(&match reached {
        0 => "nothing was in force that this reaches".to_owned(),
        1 => "1 grant was revoked".to_owned(),
        many => format!("{many} grants were revoked"),
    }))?;
    Ok(Exit::Allowed)
}
