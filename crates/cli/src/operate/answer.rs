//! `approve` and `decline`. An answer shows its card first.

mod args;

pub(crate) use args::{ApproveArgs, DeclineArgs};

use super::find::find_request;
use super::grants::list_grants;
use super::overview::{card_page, report_shown};
use super::{SURFACE, fit_bounds};
use crate::daemon_option::DaemonOption;
use crate::limits::MAX_REVIEWED_GRANTS;
use crate::settings::Settings;
use args::GrantLasting;
use countersign_api::{
    AnswerRequest, AnswerResponse, AnsweredItem, CardView, GrantFilter, GrantView, GrantsQuery,
    ShownDigest,
};
use countersign_card::CardItem;
use countersign_client::{ClientError, OperatorClient};
use countersign_console::{Exit, Failure, GREEN, Page, out, short_id};
use countersign_core::model::delivery::Extent;
use countersign_core::model::grant::Scope;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::{Action, SurfaceName};
use countersign_core::model::request::RequestState;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Ending, Risk};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub(crate) fn approve(args: &ApproveArgs, settings: &Settings) -> Result<Exit, Failure> {
    let choice = match (args.task, args.lasting, args.session, args.project) {
        (true, ..) => Choice::Run,
        (_, Some(GrantLasting::Time(_)), ..) => Choice::Quarter,
        (_, Some(GrantLasting::Session), ..) | (_, _, true, _) => Choice::Session,
        (_, Some(GrantLasting::Project), ..) | (_, _, _, true) => Choice::Project,
        _ => Choice::Once,
    };
    let confirm = args.confirm.clone().map(|text| fit_bounds("confirmation", text)).transpose()?;
    let note = fit_bounds("note", args.note.clone())?;
    let seconds = |time| (Time::from_micros(0) + time).micros() / 1_000_000;
    let seconds = args.time().map(|time| fit_bounds("time", seconds(time))).transpose()?;
    answer(&args.daemon, settings, &args.id, |card, digest| {
        let chosen = choose_items(args, choice, card)?;
        Ok(AnswerRequest { note, confirm, seconds, covers: args.covers, ..chosen.answer(digest) })
    })
}

/// What an answer says about the items of a card.
enum ItemChoices {
    /// The choice for the only item.
    One(Choice),
    Each(BTreeMap<Action, Choice>),
}

impl ItemChoices {
    fn answer(self, digest: ShownDigest) -> AnswerRequest {
        match self {
            Self::One(choice) => AnswerRequest::new(digest, choice),
            Self::Each(items) => {
                let choice = None;
                AnswerRequest { choice, items, ..AnswerRequest::new(digest, Choice::Decline) }
            }
        }
    }
}

/// The same choice for every item of a card.
fn choose_all(choice: Choice, card: &CardView) -> Result<ItemChoices, Failure> {
    match card.card.items.as_slice() {
        [] | [_] => Ok(ItemChoices::One(choice)),
        several => {
            let choose = |item: &CardItem| Ok((parse_action(item)?, choice));
            Ok(ItemChoices::Each(several.iter().map(choose).collect::<Result<_, Failure>>()?))
        }
    }
}

fn check_named_once(items: &[(Action, Choice)]) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    match items.iter().find(|(action, _)| !seen.insert(action)) {
        None => Ok(()),
        Some((action, _)) => {
            let message = format!("`--item {action}=…` is given twice");
            Err(Failure::usage(message, "name each action once"))
        }
    }
}

fn choose_items(
    args: &ApproveArgs,
    choice: Choice,
    card: &CardView,
) -> Result<ItemChoices, Failure> {
    if !args.items.is_empty() {
        check_named_once(&args.items)?;
        return Ok(ItemChoices::Each(args.items.iter().cloned().collect()));
    }
    let items = &card.card.items;
    if args.all_moderate {
        return match items.iter().find(|item| item.risk > Risk::Moderate) {
            None => choose_all(choice, card),
            Some(item) => {
                let message = format!("{} is of {} risk, not moderate", item.action, item.risk);
                Err(Failure::usage(message, "answer it by itself, without `--all-moderate`"))
            }
        };
    }
    if items.len() > 1 {
        let actions: Vec<String> =
            items.iter().map(|item| format!("--item {}={choice}", item.action)).collect();
        let message = format!("the card has {} items, and each one is answered", items.len());
        let help = format!("name them: {}; or `--all-moderate`", actions.join(" "));
        return Err(Failure::usage(message, help));
    }
    Ok(ItemChoices::One(choice))
}

fn parse_action(item: &CardItem) -> Result<Action, Failure> {
    Action::parse(item.action.as_str())
        .map_err(|error| Failure::new(error.to_string(), "see `countersign show`"))
}

pub(crate) fn decline(args: &DeclineArgs, settings: &Settings) -> Result<Exit, Failure> {
    let note = fit_bounds("note", args.note.clone())?;
    let client = args.daemon.operator(settings)?;
    let request = find_request(&client, &args.id)?;
    if let Some(offer) = offer_revocation(&client, request, args.daemon.data.as_deref())? {
        return Err(Failure::new(offer.message, offer.help));
    }
    answer(&args.daemon, settings, &args.id, |card, digest| {
        let declined = choose_all(Choice::Decline, card)?;
        Ok(AnswerRequest { note, stop: args.stop, ..declined.answer(digest) })
    })
}

fn answer(
    daemon: &DaemonOption,
    settings: &Settings,
    id: &str,
    build: impl FnOnce(&CardView, ShownDigest) -> Result<AnswerRequest, Failure>,
) -> Result<Exit, Failure> {
    let client = daemon.operator(settings)?;
    let request = find_request(&client, id)?;
    let card = client.request(request)?.card;
    if !daemon.json {
        out::show(&card_page(&card))?;
        // The person named this request and sees all of it here. What the card leaves out does not
        // count as shown.
        report_shown(&client, request, Extent::Card);
    }
    let mut answer = build(&card, shown_digest(&card)?)?;
    answer.surface = SurfaceName::parse(SURFACE).ok();
    let response = client.answer_request(request, &answer).map_err(|error| match error {
        error if error.is_not_shown() => not_shown(&error, &card),
        error => error.into(),
    })?;
    daemon.print(&response, || {
        let mut page = Page::new();
        for line in describe_answer(&response) {
            page.styled(GREEN, "answered").text(": ").text(&line).end();
        }
        page
    })
}

/// What to do instead of a decline that comes after a yes.
pub(crate) struct RevocationOffer {
    pub(crate) message: String,
    pub(crate) help: String,
}

/// None if nobody has said yes to the request.
pub(crate) fn offer_revocation(
    client: &OperatorClient,
    request: RequestId,
    data: Option<&Path>,
) -> Result<Option<RevocationOffer>, Failure> {
    if client.request(request)?.state != RequestState::Closed(Ending::Approved) {
        return Ok(None);
    }
    let query = |state| GrantsQuery { state, ..GrantsQuery::default() };
    let of_request = |grant: &&GrantView| grant.request == Some(request);
    let list = list_grants(client, query(GrantFilter::InForce), MAX_REVIEWED_GRANTS)?;
    let data = data.map(|data| format!(" --data {}", data.display())).unwrap_or_default();
    let commands: Vec<String> = list
        .grants
        .iter()
        .filter(of_request)
        .map(|grant| format!("countersign revoke{data} {}", short_id(&grant.id.to_string())))
        .collect();
    let message = "somebody has already allowed this, so it cannot be declined any more".to_owned();
    let help = match commands.is_empty() {
        true => "the yes is used up or has ended, so there is nothing to revoke".to_owned(),
        false => format!("to take the yes back, run: {}", commands.join(" && ")),
    };
    Ok(Some(RevocationOffer { message, help }))
}

/// The refusal of a yes, with the one step that shows what was left out.
fn not_shown(error: &ClientError, view: &CardView) -> Failure {
    let id = view.card.request.to_string();
    let left_out = match view.card.left_out {
        nothing if nothing.is_nothing() => String::new(),
        left_out => format!(" (the card leaves out {left_out})"),
    };
    let help = format!("`countersign show --full {}` shows it; then approve again", short_id(&id));
    Failure::Message {
        exit: Exit::from_client_error(error),
        message: format!("{error}{left_out}"),
        help,
    }
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
        let wide = item.scope_granted.is_some_and(|scope| scope != Scope::Once);
        let covers = item.covers.as_deref().filter(|_| wide).map(name_granted);
        let action = covers.unwrap_or_else(|| action.to_owned());
        let reason = item.reason.as_ref().map(|reason| format!(", because {reason}"));
        let reason = reason.unwrap_or_default();
        match item.scope_granted {
            Some(Scope::Until) => {
                let end = item.ends_at.map(|end| format!("until {end}"));
                format!("you allowed {action}, {}{reason}", end.unwrap_or_default())
            }
            Some(scope) => format!("you allowed {action}, {scope}{reason}"),
            None if item.scope_requested == Choice::Decline => format!("you declined {action}"),
            None => format!("you answered {action}{reason}"),
        }
    };
    response.items.iter().map(describe).chain(response.declines.clone()).collect()
}

/// What was granted, in a sentence.
fn name_granted(covers: &str) -> String {
    match (covers.strip_prefix("action "), covers.starts_with("command ")) {
        (Some(action), _) => action.to_owned(),
        (None, true) => format!("the {covers}"),
        (None, false) => covers.to_owned(),
    }
}
