//! Collects what belongs to one decision: the call, the request, the answer, the grants, the effect.

use super::find::{DecisionLocation, DecisionSubject};
use super::search::search_back;
use crate::entries::scan_entries;
use crate::entry_text::{describe_ahead, join_actions};
use countersign_console::Failure;
use countersign_core::model::call::Call;
use countersign_core::model::change::{Answered, Attempt, Change, Kind, ReplayFacts};
use countersign_core::model::decision::Decision;
use countersign_core::model::grant::Grant;
use countersign_core::model::ids::{GrantId, RequestId};
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::narrowed::NarrowedCall;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Effect, Ending, Outcome};
use countersign_engine::StoreReader;
use countersign_ledger::Entry;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) struct DecisionHistory {
    pub(super) subject: DecisionSubject,
    pub(super) summary: SubjectSummary,
    /// All decisions about the subject, oldest first.
    pub(super) decisions: Vec<RecordedDecision>,
    /// The position of the explained decision. None: the last one.
    explained: Option<u64>,
    pub(super) requests: Vec<Request>,
    pub(super) answers: Vec<RecordedAnswer>,
    /// The grants behind the decision.
    pub(super) used: Vec<UsedGrant>,
    /// The grants that its answers minted.
    pub(super) minted: Vec<Grant>,
    pub(super) effects: Vec<(Time, Effect)>,
    /// The answers of the same session to questions of the same kind, the explained one included.
    pub(super) kind: KindAnswers,
    /// Whether sealed parts were erased.
    pub(super) erased: bool,
    /// The ids that belong to it. An entry without any of them is not parsed.
    ids: Vec<String>,
}

/// What was decided about, and for whom.
pub(super) struct SubjectSummary {
    pub(super) session: SessionName,
    pub(super) agent: Agent,
    pub(super) call: Option<Arc<Call>>,
    pub(super) text: String,
}

pub(super) struct RecordedDecision {
    pub(super) seq: u64,
    pub(super) at: Time,
    pub(super) decision: Decision,
    pub(super) given: ReplayFacts,
    /// The form in which the call ran, if that was less than what was sent.
    pub(super) narrowed: Option<Box<NarrowedCall>>,
}

pub(super) struct RecordedAnswer {
    pub(super) at: Time,
    pub(super) answered: Answered,
}

/// A grant that a call used, and the answer that minted it.
pub(super) struct UsedGrant {
    pub(super) grant: Grant,
    pub(super) answer: Option<RecordedAnswer>,
}

/// How often the operator was asked for one kind of call in one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KindAnswers {
    pub(super) yes: usize,
    pub(super) no: usize,
}

impl KindAnswers {
    /// Counts the answers of a request's session to questions of its kind.
    fn count(record: &dyn StoreReader, asked: Option<&Request>) -> Result<Self, Failure> {
        let (mut counts, mut same) = (Self::default(), BTreeSet::new());
        let Some((asked, item)) = asked.and_then(|asked| Some((asked, asked.items.first()?)))
        else {
            return Ok(counts);
        };
        scan_entries(record, 1..=u64::MAX, |entry| {
            if !matches!(entry.kind, Kind::RequestOpened | Kind::RequestAnswered) {
                return Ok(());
            }
            match entry.change()?.1 {
                Change::RequestOpened { request }
                    if request.session == asked.session
                        && request.items.iter().any(|other| other.is_same_kind(item)) =>
                {
                    same.insert(request.id);
                }
                Change::RequestAnswered { answered } if same.contains(&answered.request) => {
                    match answered.ending {
                        Some(Ending::Approved) => counts.yes += 1,
                        Some(Ending::Declined) => counts.no += 1,
                        Some(Ending::Cancelled | Ending::Expired) | None => {}
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// Nothing below three answers: that is no habit.
    pub(super) fn describe(self) -> Option<String> {
        let asked = self.yes + self.no;
        match (asked, self.no) {
            (..3, _) => None,
            (_, 0) => Some(format!("{asked} times in this session, always yes")),
            (_, no) => Some(format!("{asked} times in this session: {} yes, {no} no", self.yes)),
        }
    }
}

impl DecisionHistory {
    pub(super) fn load(
        record: &dyn StoreReader,
        location: &DecisionLocation,
    ) -> Result<Self, Failure> {
        let first = record.read_entries(location.first, 1)?.into_iter().next();
        let change = first.map(|entry| entry.change()).transpose()?;
        let Some(summary) = change.and_then(|(_, change)| SubjectSummary::from_change(change))
        else {
            let message = format!("entry {} does not contain the decision", location.first);
            return Err(Failure::new(message, "run `countersign ledger verify`"));
        };
        let mut history = Self::new(location, summary);
        scan_entries(record, location.first..=u64::MAX, |entry| history.add(&entry))?;
        history.add_shared_request(record, location.first)?;
        history.add_used_grants(record)?;
        history.kind = KindAnswers::count(record, history.requests.first())?;
        Ok(history)
    }

    fn new(location: &DecisionLocation, summary: SubjectSummary) -> Self {
        Self {
            subject: location.subject,
            summary,
            decisions: Vec::new(),
            explained: location.explained,
            requests: Vec::new(),
            answers: Vec::new(),
            used: Vec::new(),
            minted: Vec::new(),
            effects: Vec::new(),
            kind: KindAnswers::default(),
            erased: false,
            ids: vec![location.subject.id_text()],
        }
    }

    pub(super) fn explained(&self) -> Option<&RecordedDecision> {
        let named = self.decisions.iter().find(|decision| Some(decision.seq) == self.explained);
        named.or(self.decisions.last())
    }

    fn add(&mut self, entry: &Entry) -> Result<(), Failure> {
        if !self.ids.iter().any(|id| entry.bytes.contains(id)) {
            return Ok(());
        }
        let (at, change) = entry.change()?;
        match change {
            Change::CallDecided { attempt, decision, given, ruled }
                if DecisionSubject::from_attempt(&attempt) == Some(self.subject) =>
            {
                self.erased |= entry.is_erased();
                let (seq, given, narrowed) = (entry.seq, *given, ruled.narrowed);
                self.decisions.push(RecordedDecision { seq, at, decision, given, narrowed });
            }
            Change::RequestOpened { request } if self.is_about_subject(&request) => {
                self.ids.push(request.id.to_string());
                self.requests.push(*request);
            }
            Change::RequestAnswered { answered } if self.has_request(Some(answered.request)) => {
                self.answers.push(RecordedAnswer { at, answered: *answered });
            }
            Change::GrantMinted { grant } if self.has_request(grant.request) => {
                self.minted.push(*grant)
            }
            Change::CallCompleted { call, effect }
                if self.subject == DecisionSubject::Call(call) =>
            {
                self.effects.push((at, effect));
            }
            _ => {}
        }
        Ok(())
    }

    fn has_request(&self, request: Option<RequestId>) -> bool {
        self.requests.iter().any(|known| Some(known.id) == request)
    }

    fn is_about_subject(&self, request: &Request) -> bool {
        match (&request.subject, self.subject) {
            (Subject::Calls(calls), DecisionSubject::Call(call)) => calls.contains(&call),
            (Subject::Start(start), DecisionSubject::Start(run)) => start.run == run,
            (Subject::Proposal(asked), DecisionSubject::Proposal(proposal)) => *asked == proposal,
            (Subject::Ahead(_), DecisionSubject::Ahead(digest)) => request.digest == digest,
            _ => false,
        }
    }

    /// A call that repeats an open request waits for that request and opens none.
    fn add_shared_request(&mut self, record: &dyn StoreReader, first: u64) -> Result<(), Failure> {
        let asked = self.decisions.first().filter(|first| first.decision.outcome == Outcome::Ask);
        let (Some(at), Some(call), true) =
            (asked.map(|first| first.at), &self.summary.call, self.requests.is_empty())
        else {
            return Ok(());
        };
        let (digest, mut opened) = (call.digest, None);
        let text = digest.to_string();
        search_back(record, first, |entry| {
            if entry.kind != Kind::RequestOpened || !entry.bytes.contains(&text) {
                return Ok(None);
            }
            if let Change::RequestOpened { request } = entry.change()?.1
                && request.digest == digest
                && at < request.ends_at
            {
                opened = Some((entry.seq, *request));
            }
            Ok(Some(()))
        })?;
        let Some((seq, request)) = opened else { return Ok(()) };
        self.ids = vec![request.id.to_string()];
        self.requests.push(request);
        scan_entries(record, seq.saturating_add(1)..=u64::MAX, |entry| self.add(&entry))?;
        Ok(())
    }

    /// The grants behind the decision, as they were minted.
    fn add_used_grants(&mut self, record: &dyn StoreReader) -> Result<(), Failure> {
        let Some(explained) = self.explained() else { return Ok(()) };
        let ids: BTreeSet<GrantId> = explained.decision.grants().collect();
        let from = explained.seq;
        for id in ids {
            self.used.extend(find_grant(record, from, id)?);
        }
        Ok(())
    }
}

fn find_grant(
    record: &dyn StoreReader,
    from: u64,
    id: GrantId,
) -> Result<Option<UsedGrant>, Failure> {
    let text = id.to_string();
    let found = search_back(record, from, |entry| {
        if entry.kind != Kind::GrantMinted || !entry.bytes.contains(&text) {
            return Ok(None);
        }
        match entry.change()?.1 {
            Change::GrantMinted { grant } if grant.id == id => Ok(Some((entry.seq, *grant))),
            _ => Ok(None),
        }
    })?;
    let Some((seq, grant)) = found else { return Ok(None) };
    let Some(request) = grant.request else {
        return Ok(Some(UsedGrant { grant, answer: None }));
    };
    let answer = search_back(record, seq, |entry| {
        let (at, change) = entry.change()?;
        match change {
            Change::RequestAnswered { answered } if answered.request == request => {
                Ok(Some(Some(RecordedAnswer { at, answered: *answered })))
            }
            // An answer and its grants are one commit, so an older entry cannot be that answer.
            _ if at < grant.granted_at => Ok(Some(None)),
            _ => Ok(None),
        }
    })?;
    Ok(Some(UsedGrant { grant, answer: answer.flatten() }))
}

impl SubjectSummary {
    fn from_change(change: Change) -> Option<Self> {
        let Change::CallDecided { attempt, .. } = change else { return None };
        let (text, session, agent) = match attempt {
            Attempt::First(call) => {
                let (session, agent) = (call.session.to_name(), call.agent.clone());
                return Some(Self { text: describe_call(&call), session, agent, call: Some(call) });
            }
            Attempt::Start { draft, .. } => {
                (format!("start of workflow {}", draft.workflow), draft.session, draft.agent)
            }
            Attempt::Ahead { draft, .. } => {
                (describe_ahead(draft.ahead.category.as_ref()), draft.session, draft.agent)
            }
            Attempt::Proposal { draft, proposal } => {
                (format!("proposal {proposal}"), draft.session, draft.agent)
            }
            Attempt::Retry(_) | Attempt::Apply { .. } | Attempt::Malformed { .. } => return None,
        };
        Some(Self { text, session: session.to_name(), agent, call: None })
    }
}

fn describe_call(call: &Call) -> String {
    let actions = join_actions(&call.actions);
    match &call.command {
        Some(command) => format!("{actions}: {command}"),
        None if call.target.is_empty() => actions,
        None => format!("{actions}: {}", call.target.join(", ")),
    }
}
