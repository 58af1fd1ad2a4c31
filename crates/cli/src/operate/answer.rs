//! `approve`, `decline`, `pause`, `resume` and `revoke`. An answer shows its card first.

use super::find::{find_grant, find_request};
use super::fit_bounds;
use super::look::card_page;
use crate::args::{ApproveArgs, DaemonOption, DeclineArgs, PauseArgs, RevokeArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, GREEN, Page};
use crate::settings::Settings;
use countersign_api::{
    AnswerRequest, AnswerResponse, CardView, RevokeRequest, RevokeResponse, ShownDigest,
};
use countersign_client::OperatorClient;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::words::Choice;
use serde::Serialize;

/// The name of this surface in the record.
pub(crate) const SURFACE: &str = "command-line";

pub(crate) fn approve(args: &ApproveArgs, settings: &Settings) -> Result<Exit, Failure> {
    let choice = match (args.task, &args.quarter, args.session, args.project) {
        (true, ..) => Choice::Run,
        (_, Some(_), ..) => Choice::Quarter,
        (_, _, true, _) => Choice::Session,
        (_, _, _, true) => Choice::Project,
        _ => Choice::Once,
    };
    let confirm = args.confirm.clone().map(|text| fit_bounds("confirmation", text)).transpose()?;
    let note = fit_bounds("note", args.note.clone())?;
    answer(&args.daemon, settings, &args.id, |digest| AnswerRequest {
        note,
        confirm,
        ..AnswerRequest::new(digest, choice)
    })
}

pub(crate) fn decline(args: &DeclineArgs, settings: &Settings) -> Result<Exit, Failure> {
    let note = fit_bounds("note", args.note.clone())?;
    answer(&args.daemon, settings, &args.id, |digest| AnswerRequest {
        note,
        stop: args.stop,
        ..AnswerRequest::new(digest, Choice::Decline)
    })
}

fn answer(
    daemon: &DaemonOption,
    settings: &Settings,
    id: &str,
    make: impl FnOnce(ShownDigest) -> AnswerRequest,
) -> Result<Exit, Failure> {
    let client = daemon.operator(settings)?;
    let request = find_request(&client, id)?;
    let card = client.request(request)?.card;
    if !daemon.json {
        out::show(&card_page(&card))?;
    }
    let mut answer = make(shown_digest(&card)?);
    answer.surface = SurfaceName::parse(SURFACE).ok();
    let response = client.answer_request(request, &answer)?;
    if daemon.json {
        out::show_json(&response)?;
    } else {
        out::show(&answered_page(&response))?;
    }
    Ok(Exit::Allowed)
}

/// The digest that an answer has to send back.
pub(crate) fn shown_digest(card: &CardView) -> Result<ShownDigest, Failure> {
    let digest = ShownDigest::try_from(card.card.digest.clone());
    digest.map_err(|error| Failure::new(error, "look at what `countersign serve` says"))
}

fn answered_page(response: &AnswerResponse) -> Page {
    let mut page = Page::new();
    for item in &response.items {
        let granted = match item.scope_granted {
            Some(scope) => format!("allowed for {scope}"),
            None => "declined".to_owned(),
        };
        let action = item.action.as_ref().map_or("", |action| action.as_str());
        page.styled(GREEN, "answered").text(": ").text(action).text(" ").text(&granted);
        if let Some(reason) = &item.reason {
            page.text(", because ").text(reason);
        }
        page.end();
    }
    page
}

pub(crate) fn pause(args: &PauseArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.operator(settings)?.pause(&args.agent)?;
    show_agent(args, &response, "is paused: its calls are denied until you resume it")
}

pub(crate) fn resume(args: &PauseArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.operator(settings)?.resume(&args.agent)?;
    show_agent(args, &response, "goes on")
}

fn show_agent(args: &PauseArgs, response: &impl Serialize, what: &str) -> Result<Exit, Failure> {
    if args.daemon.json {
        out::show_json(response)?;
    } else {
        let mut page = Page::new();
        page.styled(BOLD, args.agent.as_str()).text(" ").text(what).end();
        out::show(&page)?;
    }
    Ok(Exit::Allowed)
}

pub(crate) fn revoke(args: &RevokeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let grant = args.grant.as_ref().map(|given| find_grant(&client, given)).transpose()?;
    let request = RevokeRequest {
        session: args.session.clone(),
        grant,
        workflow: args.workflow.clone(),
        all: args.all,
    };
    send_revocation(&client, &request, &args.daemon)
}

pub(super) fn send_revocation(
    client: &OperatorClient,
    request: &RevokeRequest,
    daemon: &DaemonOption,
) -> Result<Exit, Failure> {
    let response = client.revoke(request)?;
    if daemon.json {
        out::show_json(&response)?;
    } else {
        out::show(&Page::from_line(&describe_revocation(&response)))?;
    }
    Ok(Exit::Allowed)
}

pub(crate) fn describe_revocation(response: &RevokeResponse) -> String {
    match response.revoked.len() {
        0 => "nothing was in force that this reaches".to_owned(),
        1 => "1 grant was revoked".to_owned(),
        count => format!("{count} grants were revoked"),
    }
}
