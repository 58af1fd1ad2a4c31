//! `approve`, `decline`, `pause`, `resume` and `revoke`. An answer shows its card first.

use super::find::{find_grant, find_request};
use super::fit_bounds;
use super::overview::card_page;
use crate::args::{ApproveArgs, DaemonOption, DeclineArgs, PauseArgs, RevokeArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, GREEN, Page};
use crate::settings::Settings;
use countersign_api::{
    AnswerRequest, AnswerResponse, AnsweredItem, CardView, RevokeRequest, RevokeResponse,
    ShownDigest,
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
    build: impl FnOnce(ShownDigest) -> AnswerRequest,
) -> Result<Exit, Failure> {
    let client = daemon.operator(settings)?;
    let request = find_request(&client, id)?;
    let card = client.request(request)?.card;
    if !daemon.json {
        out::show(&card_page(&card))?;
    }
    let mut answer = build(shown_digest(&card)?);
    answer.surface = SurfaceName::parse(SURFACE).ok();
    let response = client.answer_request(request, &answer)?;
    daemon.print(&response, || {
        let mut page = Page::new();
        for line in describe_answer(&response) {
            page.styled(GREEN, "answered").text(": ").text(&line).end();
        }
        page
    })
}

/// The digest that an answer has to send back.
pub(crate) fn shown_digest(card: &CardView) -> Result<ShownDigest, Failure> {
    let digest = ShownDigest::try_from(card.card.digest.clone());
    digest.map_err(|error| Failure::new(error, "see the output of `countersign serve`"))
}

/// The result for each item.
pub(crate) fn describe_answer(response: &AnswerResponse) -> Vec<String> {
    let describe = |item: &AnsweredItem| {
        let action = item.action.as_ref().map_or("it", |action| action.as_str());
        let reason = item.reason.as_ref().map(|reason| format!(", because {reason}"));
        let reason = reason.unwrap_or_default();
        match item.scope_granted {
            Some(scope) => format!("you allowed {action}, {scope}{reason}"),
            None if item.scope_requested == Choice::Decline => format!("you declined {action}"),
            None => format!("you answered {action}{reason}"),
        }
    };
    response.items.iter().map(describe).collect()
}

pub(crate) fn pause(args: &PauseArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.operator(settings)?.pause(&args.agent)?;
    print_agent(args, &response, "is paused: Countersign denies its calls until you resume it")
}

pub(crate) fn resume(args: &PauseArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.operator(settings)?.resume(&args.agent)?;
    print_agent(args, &response, "is resumed")
}

fn print_agent(args: &PauseArgs, response: &impl Serialize, state: &str) -> Result<Exit, Failure> {
    args.daemon.print(response, || {
        let mut page = Page::new();
        page.styled(BOLD, args.agent.as_str()).text(" ").text(state).end();
        page
    })
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
    daemon.print(&response, || Page::from_line(&describe_revocation(&response)))
}

pub(crate) fn describe_revocation(response: &RevokeResponse) -> String {
    match response.revoked.len() {
        0 => "there was no such grant in force".to_owned(),
        1 => "1 grant was revoked".to_owned(),
        count => format!("{count} grants were revoked"),
    }
}
