//! The card: what an operator is shown about a request, computed once for every surface.
//!
//! Everything in it comes from the decided call; what the agent says stands apart and is marked as
//! a claim. Text from outside is shown with everything visible, and what is left out is counted.
//! Surfaces draw this value and add nothing. Pure.

mod effects;
mod exact;
mod hosts;
mod kind;
mod lines;
mod news;
mod offers;
mod text;

pub use effects::Effect;
pub use kind::Kind;
pub use lines::lines;
pub use offers::{Confirm, Offer, SecondConfirmation};
pub use text::{Line, Shown, is_unfit, visible};

use countersign_core::decide::explain;
use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::request::{Item, Request, Subject};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Reason, Risk, Undo};
use countersign_core::state::State;
use serde::{Deserialize, Deserializer, Serialize};

/// What a card is computed from.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub graph: Option<&'a Graph>,
    pub state: &'a State,
}

/// In the order in which it is read.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    pub request: RequestId,
    /// The calls that wait for it.
    pub calls: Vec<CallId>,
    pub kind: Kind,
    pub risk: Risk,
    pub undo: Undo,
    /// Verb, object, destination: our words.
    pub headline: Shown,
    /// The action as it will happen, and nothing else.
    pub exact: Vec<Fact>,
    pub effects: Vec<Effect>,
    pub who: Vec<Fact>,
    pub news: Vec<Shown>,
    pub items: Vec<CardItem>,
    /// Not verified.
    pub claims: Vec<Fact>,
    pub why: Vec<Shown>,
    /// First and last six characters of what an answer refers to.
    pub digest: String,
    /// What has to be typed to say yes, where a key press is not enough.
    pub confirm: Option<Confirm>,
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "date-time")))]
    pub opened_at: Time,
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "date-time")))]
    pub ends_at: Time,
}

impl Card {
    pub fn agent(&self) -> Option<&str> {
        self.first_line_about("agent")
    }

    pub fn session(&self) -> Option<&str> {
        self.first_line_about("session")
    }

    fn first_line_about(&self, name: &str) -> Option<&str> {
        let fact = self.who.iter().find(|fact| fact.name.as_str() == name)?;
        fact.lines.first().map(|line| line.shown().as_str())
    }
}

fn as_text<S: serde::Serializer>(time: &Time, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(time)
}

fn from_text<'de, D: Deserializer<'de>>(from: D) -> Result<Time, D::Error> {
    let text = String::deserialize(from)?;
    let error = || serde::de::Error::custom(format!("`{text}` is not an instant"));
    Time::parse(&text).ok_or_else(error)
}

/// Something named, of one line or several.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub name: Shown,
    pub lines: Vec<Line>,
}

/// One thing that is asked, answered on its own.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardItem {
    pub action: Shown,
    pub risk: Risk,
    pub reason: Reason,
    pub offers: Vec<Offer>,
    /// What a plain yes means.
    pub yes: Choice,
}

impl Fact {
    pub(crate) fn line(name: &str, text: &str) -> Self {
        Self { name: Shown::said(name), lines: vec![Line::Text(Shown::line(text))] }
    }

    pub(crate) fn block(name: &str, text: &str) -> Self {
        Self { name: Shown::said(name), lines: text::block(text) }
    }
}

/// The card of a request that is open, or was.
pub fn card(view: View<'_>, request: &Request) -> Card {
    let call = match &request.subject {
        Subject::Calls(ids) => {
            ids.first().and_then(|id| view.state.calls.get(id)).map(|record| &*record.call)
        }
        Subject::Ahead(_)
        | Subject::Start(_)
        | Subject::Standing(_)
        | Subject::Slash(_)
        | Subject::Proposal(_)
        | Subject::Imported(_) => None,
    };
    let kind = kind_of(view, request, call);
    let risk = request.items.iter().map(|item| item.risk).max().unwrap_or(Risk::High);
    Card {
        request: request.id,
        calls: calls(request),
        kind,
        risk,
        undo: undo(view, call),
        headline: exact::headline(view, request, call, kind),
        exact: exact::exact(view, request, call, kind),
        effects: call.map_or_else(Vec::new, |call| effects::of(view.graph, call)),
        who: who(view, request, call),
        news: news::of(view, request, call),
        items: request.open_items().map(|item| asked(request, call, item)).collect(),
        claims: claims(request, call),
        why: request.items.iter().map(why).collect(),
        digest: request.digest.short(),
        confirm: (risk == Risk::Critical).then(|| offers::confirm(view, request, call)),
        opened_at: request.opened_at,
        ends_at: request.ends_at,
    }
}

fn calls(request: &Request) -> Vec<CallId> {
    match &request.subject {
        Subject::Calls(calls) => calls.clone(),
        Subject::Ahead(_)
        | Subject::Start(_)
        | Subject::Standing(_)
        | Subject::Slash(_)
        | Subject::Proposal(_)
        | Subject::Imported(_) => Vec::new(),
    }
}

fn kind_of(view: View<'_>, request: &Request, call: Option<&Call>) -> Kind {
    match (&request.subject, call) {
        (Subject::Calls(_), Some(call)) => kind::of(view.graph, call),
        (Subject::Calls(_), None) => Kind::Tool,
        (Subject::Ahead(_) | Subject::Slash(_), _) => Kind::Ahead,
        (Subject::Start(_), _) => Kind::Workflow,
        (Subject::Standing(_) | Subject::Imported(_), _) => Kind::Standing,
        (Subject::Proposal(_), _) => Kind::Policy,
    }
}

/// What nobody said can be taken back, cannot.
fn undo(view: View<'_>, call: Option<&Call>) -> Undo {
    let Some(call) = call else { return Undo::Irreversible };
    let ruled = |action| view.graph.and_then(|graph| graph.rule(action)).map(|rule| rule.undo);
    let by_rules = call.actions.iter().all(|action| ruled(action) == Some(Undo::Reversible));
    match (call.undo, by_rules) {
        (Some(undo), _) => undo,
        (None, true) => Undo::Reversible,
        (None, false) => Undo::Irreversible,
    }
}

fn who(view: View<'_>, request: &Request, call: Option<&Call>) -> Vec<Fact> {
    let mut who = vec![
        Fact::line("agent", request.agent.as_str()),
        Fact::line("session", request.session.as_str()),
    ];
    who.extend(request.project.as_ref().map(|project| Fact::line("project", project.as_str())));
    let Some(call) = call else { return who };
    who.extend(call.tool.as_ref().map(|tool| Fact::line("tool", tool.as_str())));
    who.extend(call.cwd.as_ref().map(|cwd| Fact::line("folder", cwd)));
    let run = call.run.and_then(|id| view.state.runs.get(&id));
    who.extend(run.map(|run| Fact::line("workflow", run.workflow.as_str())));
    who.push(Fact::line("began by", call.observed.initiator.word()));
    who.extend(call.observed.parent.map(|parent| Fact::line("inside", &parent.to_string())));
    who
}

fn claims(request: &Request, call: Option<&Call>) -> Vec<Fact> {
    if let Subject::Slash(slash) = &request.subject {
        return vec![Fact::line("you typed", &format!("/{}", slash.name))];
    }
    let (reason, fallback, asks) = match (&request.subject, call) {
        (Subject::Ahead(ahead), _) => {
            (ahead.reason.as_str(), ahead.fallback.as_str(), ahead.text.as_str())
        }
        (_, Some(call)) => (call.claims.reason.as_str(), call.claims.fallback.as_str(), ""),
        (_, None) => ("", "", ""),
    };
    [("wants to", asks), ("reason", reason), ("if not", fallback)]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| Fact::block(name, text))
        .collect()
}

fn asked(request: &Request, call: Option<&Call>, item: &Item) -> CardItem {
    CardItem {
        action: Shown::line(item.action.as_ref().map_or("", |action| action.as_str())),
        risk: item.risk,
        reason: item.reason,
        offers: offers::of(request, call, item),
        yes: offers::yes(&request.subject, item),
    }
}

fn why(item: &Item) -> Shown {
    let what = item.action.as_ref().map_or("this", |action| action.as_str());
    Shown::line(&explain::asked_because(item.reason, what, item.risk))
}
