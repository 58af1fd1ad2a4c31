//! What is out of the ordinary about a request, from what is remembered.

use crate::View;
use crate::hosts;
use crate::text::Shown;
use countersign_core::model::call::Call;
use countersign_core::model::names::SessionName;
use countersign_core::model::request::{Request, RequestState};
use countersign_core::model::words::{Effect, Ending, Reason};
use countersign_core::state::CallState;

pub(crate) fn of(view: View<'_>, request: &Request, call: Option<&Call>) -> Vec<Shown> {
    let mut news: Vec<Shown> = Vec::new();
    news.extend(declined(view, request));
    news.extend(request.items.iter().filter_map(|item| noted(item.reason)));
    let Some(call) = call else { return news };
    for target in &call.target {
        if let Some(why) = hosts::deceives(target) {
            news.push(Shown::said(format!("{why}: {}", Shown::line(target))));
        }
    }
    if request.items.iter().any(|item| item.reason == Reason::FanOut) {
        news.extend(destination(view, &request.session, call));
    }
    news.extend(failed(view, call));
    news
}

fn noted(reason: Reason) -> Option<Shown> {
    let text = match reason {
        Reason::FanOut => "this event has gone to another destination already",
        Reason::ToolChanged => "the tool is not what it was when it was approved",
        Reason::Unclassified => "no list of the graph names this",
        Reason::UnknownEffect => "it was tried before, and may have happened",
        Reason::TooRiskyToCarry => "there is a permission for it, and this is riskier",
        Reason::Expired => "there was a permission for it, and it has ended",
        Reason::Decayed => "the permission for it is due for review",
        _ => return None,
    };
    Some(Shown::said(text))
}

/// An earlier no to the same thing, with the operator's own words.
fn declined(view: View<'_>, request: &Request) -> Option<Shown> {
    if let Some(declined) = view.state.declined.get(&request.lasting) {
        let note = match declined.note.as_str() {
            "" => String::new(),
            note => format!(", and you said: {}", Shown::line(note)),
        };
        return Some(Shown::said(format!("declined on {}{note}", declined.at)));
    }
    let asked =
        |item: &countersign_core::model::request::Item| item.reason == Reason::PreviouslyDeclined;
    request
        .items
        .iter()
        .any(asked)
        .then(|| Shown::said("the same action on the same target was declined before"))
}

/// Where the same events went before.
fn destination(view: View<'_>, session: &SessionName, call: &Call) -> Option<Shown> {
    let open = view.state.sessions.get(session)?;
    let domain = call.actions.first()?.domain();
    let first = open.destinations.get(domain)?.values().next()?;
    let elsewhere = !call.target.contains(first);
    elsewhere.then(|| Shown::said(format!("so far such went to {}", Shown::line(first))))
}

/// The last attempt at the same call, if it is in view.
fn failed(view: View<'_>, call: &Call) -> Option<Shown> {
    let before = view.state.calls.values().find(|record| {
        record.call.lasting == call.lasting
            && record.call.id != call.id
            && matches!(record.state, CallState::Ended(Effect::Failed | Effect::Unknown))
    })?;
    let how =
        if before.state == CallState::Ended(Effect::Failed) { "failed" } else { "may have run" };
    let closed = before.requests.iter().filter_map(|id| view.state.requests.get(id));
    let yes = closed.clone().any(|r| r.state == RequestState::Closed(Ending::Approved));
    let after = if yes { " after a yes" } else { "" };
    Some(Shown::said(format!("the same call {how}{after} before")))
}
