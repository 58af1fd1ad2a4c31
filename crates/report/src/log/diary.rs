//! The record as a diary: one line for each call, with what became of it, and one for what the operator
//! did besides.
//!
//! A line is built from several entries: the decision, the answer, the second decision, the end.

use crate::entries::ParsedEntry;
use crate::entry_text::{describe_ahead, describe_answer_briefly, describe_call, describe_entry};
use countersign_console::short_id;
use countersign_core::decide::explain;
use countersign_core::model::change::{Answered, Attempt, Change, Timing};
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::{CallId, RequestId, RunId};
use countersign_core::model::names::SessionKey;
use countersign_core::model::request::Subject;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Effect, Ending, Outcome};
use std::collections::BTreeMap;

pub(super) struct DiaryLine {
    pub(super) at: Time,
    pub(super) session: Option<SessionKey>,
    pub(super) project: Option<String>,
    pub(super) agent: String,
    pub(super) state: LineState,
    /// The call, in one line.
    pub(super) what: String,
    /// Who decided, or which rule, and why.
    pub(super) why: String,
    /// What `why` takes; empty if there is no call.
    pub(super) id: String,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineState {
    Allowed,
    Denied,
    Waiting,
    Declined,
    Expired,
    Cancelled,
    Failed,
    /// No call: something that the operator or Countersign did.
    Event,
}

impl LineState {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Waiting => "waiting",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::Event => "",
        }
    }
}

/// What an entry may do in the diary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryRole {
    MayBegin,
    /// A filter leaves it out; it may still belong to a line.
    OnlyContinues,
}

/// The lines so far, and which of them a later entry belongs to.
#[derive(Default)]
pub(super) struct Diary {
    lines: Vec<DiaryLine>,
    projects: BTreeMap<SessionKey, String>,
    calls: BTreeMap<CallId, usize>,
    starts: BTreeMap<RunId, usize>,
    requests: BTreeMap<RequestId, Vec<usize>>,
}

impl Diary {
    /// Takes in an entry. What belongs to a line is taken in also if it may begin none.
    pub(super) fn add(&mut self, entry: &ParsedEntry, role: EntryRole) {
        match &entry.change {
            Change::SessionOpened { session, project: Some(project), .. } => {
                self.projects.insert(session.clone(), project.as_str().to_owned());
            }
            Change::CallDecided { attempt, decision, .. } => {
                self.add_decision(entry, attempt, decision, role);
            }
            Change::RequestOpened { request } => {
                let lines = match &request.subject {
                    Subject::Calls(calls) => {
                        calls.iter().filter_map(|id| self.calls.get(id).copied()).collect()
                    }
                    Subject::Start(start) => {
                        self.starts.get(&start.run).copied().into_iter().collect()
                    }
                    // The decision that opened it stands directly before.
                    _ => self.lines.len().checked_sub(1).into_iter().collect(),
                };
                self.requests.insert(request.id, lines);
            }
            Change::RequestAnswered { answered } => self.add_answer(answered),
            Change::CallCompleted { call, effect, .. } => self.add_effect(*call, *effect),
            Change::CallCancelled { call, .. } => {
                if let Some(line) = self.find_call(*call) {
                    line.state = LineState::Cancelled;
                }
            }
            change if role == EntryRole::MayBegin && is_event(change) => {
                let text = describe_entry(entry);
                self.push(entry, LineState::Event, (text.sentence, String::new()), String::new());
            }
            _ => {}
        }
    }

    /// The lines, by session: the session with the newest line last.
    pub(super) fn into_groups(self, last: Option<usize>) -> Vec<Vec<DiaryLine>> {
        let mut lines = self.lines;
        if let Some(last) = last {
            lines.drain(..lines.len().saturating_sub(last));
        }
        let mut groups: Vec<Vec<DiaryLine>> = Vec::new();
        for line in lines {
            let is_same = |group: &Vec<DiaryLine>| {
                group.first().is_some_and(|one| one.session == line.session)
            };
            match groups.iter().position(is_same) {
                Some(at) => {
                    let mut group = groups.remove(at);
                    group.push(line);
                    groups.push(group);
                }
                None => groups.push(vec![line]),
            }
        }
        groups
    }

    fn add_decision(
        &mut self,
        entry: &ParsedEntry,
        attempt: &Attempt,
        decision: &Decision,
        role: EntryRole,
    ) {
        let why = describe_reason(decision);
        let state = match decision.outcome {
            Outcome::Allow | Outcome::Notify => LineState::Allowed,
            Outcome::Ask => LineState::Waiting,
            Outcome::Deny => LineState::Denied,
        };
        let (what, id) = match attempt {
            Attempt::Retry(call) => return self.update(*call, state, why),
            Attempt::First(call) => {
                (describe_call(call), short_id(&call.id.to_string()).to_owned())
            }
            Attempt::Start { draft, .. } => (format!("start {}", draft.workflow), String::new()),
            Attempt::Ahead { draft, .. } => {
                (describe_ahead(draft.ahead.category.as_ref()), String::new())
            }
            Attempt::Proposal { .. } => ("propose a change".to_owned(), String::new()),
            Attempt::Apply { .. } => ("apply a change".to_owned(), String::new()),
            Attempt::Malformed { .. } => ("a malformed call".to_owned(), String::new()),
        };
        if role == EntryRole::OnlyContinues {
            return;
        }
        let at = self.lines.len();
        match attempt {
            Attempt::First(call) => {
                self.calls.insert(call.id, at);
            }
            Attempt::Start { run, .. } => {
                self.starts.insert(*run, at);
            }
            _ => {}
        }
        self.push(entry, state, (what, why), id);
    }

    fn push(&mut self, entry: &ParsedEntry, state: LineState, words: (String, String), id: String) {
        let session = entry.about.session.clone();
        let project = session.as_ref().and_then(|session| self.projects.get(session)).cloned();
        let agent = entry.about.agent.as_ref().map_or("", |agent| agent.as_str()).to_owned();
        let (what, why) = words;
        self.lines.push(DiaryLine { at: entry.at, session, project, agent, state, what, why, id });
    }

    /// A call is decided again after its answer. Whose answer it was stays.
    fn update(&mut self, call: CallId, state: LineState, why: String) {
        let Some(line) = self.find_call(call) else { return };
        let is_answered = line.state == LineState::Allowed && state == LineState::Allowed;
        if !is_answered && state != LineState::Waiting {
            line.why = why;
        }
        line.state = state;
    }

    fn add_answer(&mut self, answered: &Answered) {
        let Some(lines) = self.requests.get(&answered.request).cloned() else { return };
        if answered.timing == Timing::Late {
            return;
        }
        for at in lines {
            let Some(line) = self.lines.get_mut(at) else { continue };
            line.state = match answered.ending {
                Some(Ending::Approved) => LineState::Allowed,
                Some(Ending::Declined) => LineState::Declined,
                Some(Ending::Expired) => LineState::Expired,
                Some(Ending::Cancelled) => LineState::Cancelled,
                None => line.state,
            };
            line.why = describe_answer_briefly(answered);
        }
    }

    fn add_effect(&mut self, call: CallId, effect: Effect) {
        let Some(line) = self.find_call(call) else { return };
        let end = match effect {
            Effect::Done => return,
            Effect::Failed => "it failed",
            Effect::Nothing => "it did not run",
            Effect::Forbidden => "the server refused it",
            Effect::Unknown => "nobody knows whether it ran",
        };
        line.state = LineState::Failed;
        line.why = format!("{end}; {}", line.why);
    }

    fn find_call(&mut self, call: CallId) -> Option<&mut DiaryLine> {
        self.calls.get(&call).and_then(|at| self.lines.get_mut(*at))
    }
}

/// Why it was decided so, with the name of the action whose rule decided.
fn describe_reason(decision: &Decision) -> String {
    let sentence = explain::operator_sentence(decision);
    let rule = decision
        .verdicts
        .iter()
        .find(|verdict| (verdict.outcome, verdict.reason) == (decision.outcome, decision.reason));
    match rule {
        Some(verdict) if !sentence.contains(verdict.action.as_str()) => {
            format!("{sentence} ({})", verdict.action)
        }
        Some(_) | None => sentence,
    }
}

/// What a reader wants to know although it is no call.
const fn is_event(change: &Change) -> bool {
    matches!(
        change,
        Change::GraphLoaded { .. }
            | Change::GraphReviewed { .. }
            | Change::GrantRevoked { .. }
            | Change::GrantReviewed { .. }
            | Change::AgentPaused { .. }
            | Change::AgentResumed { .. }
            | Change::ConsentReset { .. }
            | Change::StopEnded { .. }
            | Change::ProposalApplied { .. }
            | Change::ProposalVetoed { .. }
            | Change::ProposalUndone { .. }
            | Change::ArgumentsErased { .. }
            | Change::AgentRecorded { .. }
    )
}
