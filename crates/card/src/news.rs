//! What is unusual about a request, compared with the recorded state.

use crate::CardContext;
use crate::hosts;
use crate::offers::is_critical_ahead;
use crate::places::describe_places;
use crate::text::DisplayText;
use countersign_conversation::{ask_whether_still_working, find_overdue_workflow};
use countersign_core::model::call::{Call, CallTarget};
use countersign_core::model::command::Command;
use countersign_core::model::names::{Action, SessionKey};
use countersign_core::model::request::{Request, RequestState, Subject};
use countersign_core::model::words::{Effect, Ending, Reason};
use countersign_core::state::{CallState, DeclineRecord};

pub(crate) fn collect_news(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
) -> Vec<DisplayText> {
    let mut news: Vec<DisplayText> = Vec::new();
    news.extend(describe_earlier_decline(context, request));
    if let Some(workflow) = find_long_workflow(context, request, call) {
        let question = ask_whether_still_working(workflow);
        news.push(DisplayText::from_untrusted(&question));
    } else {
        let unusual = request.items.iter().filter_map(|item| item.reason.traits().news);
        news.extend(unusual.map(DisplayText::from_trusted));
    }
    if request.items.iter().any(|item| is_critical_ahead(request, item)) {
        let text = "a yes is only recorded and returned to the agent; it gives no permission";
        news.push(DisplayText::from_trusted(text));
    }
    let Some(call) = call else { return news };
    news.extend(describe_declined_alternatives(context, request, call));
    news.extend(describe_places(request, call));
    for target in &call.target {
        if let Some(why) = hosts::describe_deceptive_host(target) {
            news.push(DisplayText::from_trusted(format!(
                "{why}: {}",
                DisplayText::from_untrusted(target)
            )));
        }
    }
    if request.items.iter().any(|item| item.reason == Reason::FanOut) {
        news.extend(describe_earlier_destination(context, &request.session, call));
    }
    news.extend(describe_earlier_attempt(context, call));
    news.extend(describe_identical_calls(request));
    news
}

/// The workflow whose consent has to be confirmed because it has gone on for long, if that is why the
/// request was opened.
pub(crate) fn find_long_workflow<'a>(
    context: CardContext<'a>,
    request: &Request,
    call: Option<&Call>,
) -> Option<&'a str> {
    let is_over = request.items.iter().any(|item| item.reason == Reason::Expired);
    call.filter(|_| is_over)
        .and_then(|call| find_overdue_workflow(context.state, call, context.now))
}

/// Other actions on the same target or recipient that were declined: this may be a way around them.
fn describe_declined_alternatives(
    context: CardContext<'_>,
    request: &Request,
    call: &Call,
) -> Option<DisplayText> {
    let restraints = context.state.restraints(&request.session, context.now);
    let now: Vec<String> = list_named_things(&CallTarget::Named(
        call.target.iter().chain(&call.recipients).cloned().collect(),
    ))
    .into_iter()
    .chain(call.command.iter().flat_map(list_words))
    .collect();
    let is_own =
        |action: &Action| request.items.iter().any(|item| item.action.as_ref() == Some(action));
    restraints.declined.iter().rev().filter(|(action, _)| !is_own(action)).find_map(
        |(action, target)| {
            let declined = list_named_things(target);
            let target =
                declined.iter().find(|one| now.iter().any(|two| is_same_thing(one, two)))?;
            Some(DisplayText::from_trusted(format!(
                "you declined {action} for the same target, {}: this may be a way around that",
                DisplayText::from_untrusted(target)
            )))
        },
    )
}

/// What a call acts on: its targets, or the words of its command line that can be a path or address.
fn list_named_things(target: &CallTarget) -> Vec<String> {
    match target {
        CallTarget::Named(targets) => targets.clone(),
        CallTarget::Command(command) => list_words(command),
    }
}

fn list_words(command: &Command) -> Vec<String> {
    let is_name = |word: &&str| word.contains(['/', '.']) && !word.starts_with('-');
    match command {
        Command::Plain { argv, .. } => {
            argv.iter().map(String::as_str).filter(is_name).map(str::to_owned).collect()
        }
        Command::NotPlain { text, .. } => {
            let words = text.split(|c: char| c.is_whitespace() || "\"'`;|&<>()".contains(c));
            words.filter(is_name).map(str::to_owned).collect()
        }
    }
}

/// The same text, or the same path once from its folder and once from the root.
fn is_same_thing(one: &str, two: &str) -> bool {
    let ends_with = |whole: &str, part: &str| {
        let part = part.trim_start_matches("./");
        !part.is_empty() && whole.starts_with('/') && whole.ends_with(&format!("/{part}"))
    };
    one == two || ends_with(one, two) || ends_with(two, one)
}

/// That the agent sends one call again and again.
fn describe_identical_calls(request: &Request) -> Option<DisplayText> {
    let text = || format!("{} identical calls wait for this answer", request.count_calls());
    (request.more_calls > 0).then(|| DisplayText::from_trusted(text()))
}

/// An earlier decline of the same call, with the operator's note.
fn describe_earlier_decline(context: CardContext<'_>, request: &Request) -> Option<DisplayText> {
    // The answer to this very request is no news about it.
    let is_earlier = |declined: &&DeclineRecord| declined.at < request.opened_at;
    if let Some(declined) = context.state.declined.get(&request.lasting).filter(is_earlier) {
        let note = match declined.note.as_str() {
            "" => String::new(),
            note => format!(", and said: {}", DisplayText::from_untrusted(note)),
        };
        return Some(DisplayText::from_trusted(format!(
            "you declined this on {}{note}",
            declined.at
        )));
    }
    if let Some(text) = describe_declined_question(context, request) {
        return Some(text);
    }
    let was_declined = |item: &countersign_core::model::request::RequestItem| {
        item.reason == Reason::PreviouslyDeclined
    };
    request.items.iter().any(was_declined).then(|| {
        DisplayText::from_trusted("you declined the same action on the same target before")
    })
}

/// An earlier question of the same category in other words, which the operator declined.
fn describe_declined_question(context: CardContext<'_>, request: &Request) -> Option<DisplayText> {
    let earlier = context.state.requests.get(&request.declined_before?)?;
    let Subject::Ahead(ahead) = &earlier.subject else { return None };
    let note = match earlier.note.as_str() {
        "" => String::new(),
        note => format!(", and said: {}", DisplayText::from_untrusted(note)),
    };
    let kind = ahead.category.as_ref().map_or("", |category| category.as_str());
    let kind = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
    let asked = DisplayText::from_untrusted(&ahead.text);
    Some(DisplayText::from_trusted(format!(
        "you declined the same kind of thing{kind} in this session, asked as: {asked}{note}"
    )))
}

/// The destination that the same events went to before.
fn describe_earlier_destination(
    context: CardContext<'_>,
    session: &SessionKey,
    call: &Call,
) -> Option<DisplayText> {
    let restraints = &context.state.sessions.get(session)?.restraints;
    let domain = call.actions.first()?.domain();
    let first = restraints.destinations.get(domain)?.values().next()?;
    let is_new = !call.target.contains(first);
    is_new.then(|| {
        DisplayText::from_trusted(format!(
            "so far such went to {}",
            DisplayText::from_untrusted(first)
        ))
    })
}

/// An earlier attempt at the same call that failed or may have run.
fn describe_earlier_attempt(context: CardContext<'_>, call: &Call) -> Option<DisplayText> {
    let earlier = context.state.calls.values().find(|record| {
        record.call.lasting == call.lasting
            && record.call.id != call.id
            && matches!(record.state, CallState::Ended(Effect::Failed | Effect::Unknown))
    })?;
    let how =
        if earlier.state == CallState::Ended(Effect::Failed) { "failed" } else { "may have run" };
    let requests = earlier.requests.iter().filter_map(|id| context.state.requests.get(id));
    let was_approved =
        requests.clone().any(|request| request.state == RequestState::Closed(Ending::Approved));
    let after = if was_approved { " after a yes" } else { "" };
    Some(DisplayText::from_trusted(format!("the same call {how}{after} before")))
}
