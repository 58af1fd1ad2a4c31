//! The card: what an operator sees about a request, computed once for all surfaces.
//!
//! Its content comes from the decided call. The agent's own statements are kept apart as claims.
//! Untrusted text is escaped, and the card says how much of it was left out.
//! Surfaces draw this value and add nothing to it. No IO, no clock.

mod categories;
mod closed;
mod command_objects;
mod coverage;
mod decided;
mod effects;
mod exact;
mod full_text;
mod grant_words;
mod headline;
mod hidden;
mod hosts;
mod kind;
mod limits;
mod lines;
mod news;
mod offers;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]
mod phrase_book;
mod phrases;
mod places;
mod programs;
mod question;
mod repetition;
mod required_text;
mod run_files;
mod said_amount;
mod spared;
mod suggestions;
mod text;
mod titles;
mod undo;
mod values;

pub use categories::describe_category;
pub use closed::Closed;
pub use effects::{CardEffect, EffectWeight};
pub use exact::ChangeCounts;
pub use full_text::render_full_text;
pub use grant_words::describe_grant;
pub use headline::describe_call;
pub use kind::CardKind;
pub use lines::render_lines;
pub use offers::{Offer, SecondConfirmation, TypedConfirmation};
pub use programs::{CardProgram, PinnedFor, ProgramPresence};
pub use question::{ProgramQuestion, render_question};
pub use repetition::Repetition;
pub use required_text::{RequiredText, required_text};
pub use suggestions::{
    SuggestedGrant, SuggestedRule, Suggestion, SuggestionInput, list_suggestions,
};
pub use text::{CardLine, DisplayText, LeftOut, escape_for_display, is_unsafe_to_display};
pub use undo::CardUndo;

use countersign_core::decide::explain;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::Call;
use countersign_core::model::grant::Scope;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::Action;
use countersign_core::model::request::{Request, RequestItem, Subject};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Covers, Reason, Risk};
use countersign_core::state::State;
use countersign_core::steps::may_answer::needed_proof;
use decided::DecidedCall;
use serde::{Deserialize, Deserializer, Serialize};
use text::Block;

/// The input of a card besides the request.
#[derive(Clone, Copy)]
pub struct CardContext<'a> {
    pub graph: Option<&'a Graph>,
    pub state: &'a State,
    pub now: Time,
}

/// The fields are in reading order.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    pub request: RequestId,
    /// The calls that wait for the answer, as many as the request lists.
    pub calls: Vec<CallId>,
    pub kind: CardKind,
    /// How the request ended. Then the card offers nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
    pub risk: Risk,
    pub undo: CardUndo,
    /// Verb, object and destination, worded by Countersign.
    pub headline: DisplayText,
    /// The complete action as it will be carried out, or as much of it as fits on a card.
    pub exact: Vec<CardField>,
    /// How much of the action `exact` and `who` leave out. If it is nothing, the card shows the whole
    /// call.
    pub left_out: LeftOut,
    /// How many lines of files it adds and removes, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeCounts>,
    pub effects: Vec<CardEffect>,
    /// Agent, session, project, tool and so on.
    pub who: Vec<CardField>,
    /// Programs of the command line that the agent could replace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<CardProgram>,
    /// What is unusual about this request.
    pub news: Vec<DisplayText>,
    pub items: Vec<CardItem>,
    /// The agent's statements, not verified.
    pub claims: Vec<CardField>,
    /// Why Countersign asks, one sentence per item.
    pub why: Vec<DisplayText>,
    /// First and last six characters of the digest that an answer refers to.
    pub digest: String,
    /// The text that the operator has to type to approve a critical request.
    pub confirm: Option<TypedConfirmation>,
    /// That such calls were asked about before in this session and always allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
    #[serde(serialize_with = "serialize_time", deserialize_with = "deserialize_time")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "date-time")))]
    pub opened_at: Time,
    #[serde(serialize_with = "serialize_time", deserialize_with = "deserialize_time")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "date-time")))]
    pub ends_at: Time,
}

impl Card {
    pub fn agent(&self) -> Option<&str> {
        self.first_line_of("agent")
    }

    pub fn session(&self) -> Option<&str> {
        self.first_line_of("session")
    }

    /// The headline without the command, which the card shows in full; none if nothing else is left.
    pub fn headline_without_command(&self) -> Option<&str> {
        let headline = self.headline.as_str();
        let Some(command) = self.one_line_command() else { return Some(headline) };
        match headline.strip_suffix(command) {
            Some("" | "Run ") => None,
            Some(start) => Some(start.strip_suffix(": ").unwrap_or(headline)),
            None => Some(headline),
        }
    }

    /// The command line, if it is one line that is shown in full.
    pub fn one_line_command(&self) -> Option<&str> {
        let field = self.exact.iter().find(|field| field.name.as_str() == "command")?;
        match field.lines.as_slice() {
            [CardLine::Text(only)] if field.left_out.is_nothing() => Some(only.as_str()),
            _ => None,
        }
    }

    /// Whether it can be undone, in the words of every surface; none where that is not known and the
    /// risk is small.
    pub fn describe_undo(&self) -> Option<String> {
        match &self.undo {
            CardUndo::Irreversible => Some("can't be undone".to_owned()),
            CardUndo::Reversible { how } => Some(format!("can be undone: {how}")),
            CardUndo::Unknown if self.risk >= Risk::High => {
                Some("not known whether it can be undone".to_owned())
            }
            CardUndo::Unknown => None,
        }
    }

    fn first_line_of(&self, name: &str) -> Option<&str> {
        let field = self.who.iter().find(|field| field.name.as_str() == name)?;
        field.lines.first().map(|line| line.display_text().as_str())
    }
}

fn serialize_time<S: serde::Serializer>(time: &Time, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

fn deserialize_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
    let text = String::deserialize(deserializer)?;
    let error = || serde::de::Error::custom(format!("`{text}` is not an instant"));
    Time::parse(&text).ok_or_else(error)
}

/// A labelled value of one or more lines.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardField {
    pub name: DisplayText,
    pub lines: Vec<CardLine>,
    /// How much of its value the lines leave out.
    #[serde(default, skip_serializing_if = "LeftOut::is_nothing")]
    pub left_out: LeftOut,
}

/// One item of the request. Each item is answered separately.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardItem {
    pub action: DisplayText,
    /// What a yes to this item covers.
    pub headline: DisplayText,
    pub risk: Risk,
    pub reason: Reason,
    pub offers: Vec<Offer>,
    /// The choice that a plain yes stands for.
    pub yes: Choice,
    /// Why nothing wider than *once* is offered, if what the call runs is the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_once: Option<DisplayText>,
}

impl CardItem {
    /// The action by which an answer to several items names this one.
    pub fn named_action(&self) -> Option<Action> {
        Action::parse(self.action.as_str()).ok()
    }

    /// The coverage that has to be named to choose this offer; none if the choice alone stands for
    /// it.
    pub fn extra_coverage(&self, offer: &Offer) -> Option<Covers> {
        let first = self.offers.iter().find(|other| other.choice == offer.choice);
        offer.covers.filter(|covers| first.and_then(|first| first.covers) != Some(*covers))
    }
}

impl CardField {
    pub(crate) fn single_line(name: &str, text: &str) -> Self {
        Self::from_block(name, Block::from_list([text]))
    }

    /// Names in the label have to be escaped already. A label that is too long counts as left out.
    pub(crate) fn from_block(label: &str, block: Block) -> Self {
        let (name, mut left_out) = text::cut_label(label);
        left_out += block.left_out;
        Self { name, lines: block.lines, left_out }
    }

    fn bytes(&self) -> usize {
        let lines = self.lines.iter().map(|line| line.display_text().as_str().len());
        self.name.as_str().len() + lines.sum::<usize>()
    }

    pub(crate) fn multi_line(name: &str, text: &str) -> Self {
        Self::from_block(name, Block::from_text(text))
    }
}

/// Builds the card of an open or closed request.
pub fn build_card(context: CardContext<'_>, request: &Request) -> Card {
    let call = match &request.subject {
        Subject::Calls(ids) => {
            ids.first().and_then(|id| context.state.calls.get(id)).map(|record| &*record.call)
        }
        Subject::Ahead(_)
        | Subject::Start(_)
        | Subject::Standing(_)
        | Subject::Slash(_)
        | Subject::Proposal(_)
        | Subject::Imported(_) => None,
    };
    let decided = call.map(|call| DecidedCall::new(context, request, call));
    let decided = decided.as_ref();
    let kind = select_kind(request, decided);
    let risk = request.items.iter().map(|item| item.risk).max().unwrap_or(Risk::High);
    let closed = closed::describe_end(context, request);
    let is_open = closed.is_none();
    let mut exact = exact::exact_fields(context, request, decided, kind);
    exact.extend(run_files::list_changed_files(request));
    let (exact, mut left_out) = bound_fields(exact);
    let who = describe_origin(context, request, call);
    who.iter().for_each(|field| left_out += field.left_out);
    let (programs, more_programs) = programs::list_programs(context, request);
    left_out += more_programs;
    let (hidden, hidden_values) = hidden::list_hidden_values(call);
    left_out += hidden_values;
    let exact = exact.into_iter().chain(hidden).collect();
    let items = request.open_items().filter(|_| is_open);
    Card {
        request: request.id,
        calls: waiting_calls(request),
        kind,
        closed,
        risk,
        undo: undo::determine_undo(context, request, decided, kind),
        headline: headline::card_headline(context, request, call),
        exact,
        left_out,
        change: call.and_then(|call| exact::count_changes(call, kind)),
        effects: decided
            .map_or_else(Vec::new, |decided| effects::describe_effects(context, request, decided)),
        who,
        programs,
        news: news::collect_news(context, request, call),
        items: items.map(|item| build_item(context, request, call, item)).collect(),
        claims: collect_claims(request, call),
        why: match news::find_long_workflow(context, request, call) {
            Some(_) => vec![DisplayText::from_trusted(format!(
                "{} turns have passed in this workflow; a yes confirms its consent",
                countersign_core::model::limits::RUN_CONFIRM_TURNS
            ))],
            None => request.items.iter().map(explain_item).collect(),
        },
        digest: request.digest.short(),
        confirm: (is_open && needed_proof(Choice::Once, None, risk) == AnswerProof::TypedText)
            .then(|| required_text(context.graph, request, call).into()),
        repetition: repetition::find_repetition(context, request, call).filter(|_| is_open),
        opened_at: request.opened_at,
        ends_at: request.ends_at,
    }
}

/// Keeps the fields that fit on a card, and counts what is left out, also inside of them.
fn bound_fields(fields: Vec<CardField>) -> (Vec<CardField>, LeftOut) {
    let (mut kept, mut kept_bytes) = (Vec::new(), 0);
    let (mut more, mut left_out) = (0_usize, LeftOut::default());
    for field in fields {
        let bytes = field.bytes();
        left_out += field.left_out;
        if kept.len() < limits::MAX_FIELDS && kept_bytes + bytes <= limits::MAX_FIELDS_BYTES {
            kept_bytes += bytes;
            kept.push(field);
        } else {
            more += 1;
            left_out.lines += field.lines.len();
        }
    }
    if more > 0 {
        let fields = if more == 1 { "field" } else { "fields" };
        let mut note = Block::default();
        note.push_note(format!("{more} more {fields}: {left_out} in all"));
        kept.push(CardField::from_block("left out", note));
    }
    (kept, left_out)
}

fn waiting_calls(request: &Request) -> Vec<CallId> {
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

fn select_kind(request: &Request, decided: Option<&DecidedCall<'_>>) -> CardKind {
    match (&request.subject, decided) {
        (Subject::Calls(_), Some(decided)) => kind::classify_call(decided),
        (Subject::Calls(_), None) => CardKind::Tool,
        (Subject::Ahead(_) | Subject::Slash(_), _) => CardKind::Ahead,
        (Subject::Start(_), _) => CardKind::Workflow,
        (Subject::Standing(_) | Subject::Imported(_), _) => CardKind::Standing,
        (Subject::Proposal(_), _) => CardKind::Policy,
    }
}

fn describe_origin(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
) -> Vec<CardField> {
    let mut origin = vec![
        CardField::single_line("agent", request.agent.as_str()),
        CardField::single_line("session", request.session.name()),
    ];
    origin.extend(
        request.project.as_ref().map(|project| CardField::single_line("project", project.as_str())),
    );
    let Some(call) = call else { return origin };
    let workspace = call.folders.workspace.as_ref();
    origin.extend(workspace.map(|folder| CardField::single_line("workspace", folder.as_str())));
    origin.extend(call.tool.as_ref().map(|tool| CardField::single_line("tool", tool.as_str())));
    origin.extend(call.cwd.as_ref().map(|cwd| CardField::single_line("folder", cwd)));
    let run = call.run.and_then(|id| context.state.runs.get(&id));
    origin.extend(run.map(|run| CardField::single_line("workflow", run.name())));
    origin.push(CardField::single_line("started by", call.observed.initiator.word()));
    origin.extend(
        call.observed.parent.map(|parent| CardField::single_line("inside", &parent.to_string())),
    );
    origin
}

fn collect_claims(request: &Request, call: Option<&Call>) -> Vec<CardField> {
    if let Subject::Slash(slash) = &request.subject {
        return vec![CardField::single_line("you typed", &format!("/{}", slash.name))];
    }
    let (reason, fallback, wish) = match (&request.subject, call) {
        (Subject::Ahead(ahead), _) => {
            (ahead.reason.as_str(), ahead.fallback.as_str(), ahead.text.as_str())
        }
        (_, Some(call)) => (call.claims.reason.as_str(), call.claims.fallback.as_str(), ""),
        (_, None) => ("", "", ""),
    };
    let scope = match &request.subject {
        Subject::Ahead(ahead) => describe_asked_scope(ahead.scope),
        _ => "",
    };
    [("wants to", wish), ("requested scope", scope), ("reason", reason), ("if not", fallback)]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| CardField::multi_line(name, text))
        .collect()
}

/// The scope that an ask-ahead asks for. What a yes gives stands with the choices.
const fn describe_asked_scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "one call (this_call)",
        Scope::Until => "15 minutes",
        Scope::Run => "this task",
        Scope::Session => "this session (this_session)",
        Scope::Project => "this project, in later sessions too (persistent)",
    }
}

fn build_item(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
    item: &RequestItem,
) -> CardItem {
    let (item, only_once) = offers::drop_useless_choices(context, request, call, item);
    let item = &item;
    CardItem {
        action: DisplayText::from_untrusted(
            item.action.as_ref().map_or("", |action| action.as_str()),
        ),
        headline: headline::item_headline(context, request, call, item),
        risk: item.risk,
        reason: item.reason,
        offers: offers::build_offers(context, request, call, item),
        yes: offers::default_choice(&request.subject, item),
        only_once: only_once.map(DisplayText::from_trusted),
    }
}

fn explain_item(item: &RequestItem) -> DisplayText {
    let what = match (&item.action, item.reason) {
        (None, _) => "this".to_owned(),
        // The graph lists actions by name.
        (Some(action), Reason::Unclassified) => action.to_string(),
        (Some(action), _) => coverage::name_deed(action),
    };
    let places = item.bounds.as_ref().map_or(&[][..], |bounds| &bounds.places);
    DisplayText::from_untrusted(&explain::asked_because(item.reason, &what, item.risk, places))
}
