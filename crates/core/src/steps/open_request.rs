//! Opens a request: the one place where a `Request` is made.

use crate::decide::facts::Facts;
use crate::encoding::digest::Digest;
use crate::model::call::Part;
use crate::model::change::Change;
use crate::model::decision::Verdict;
use crate::model::grant::Holder;
use crate::model::ids::RequestId;
use crate::model::limits;
use crate::model::names::SessionKey;
use crate::model::place::PinnedProgram;
use crate::model::request::{Request, RequestItem, RequestState, Subject};
use crate::model::time::Span;
use crate::model::words::{Choice, Reason, Risk};
use crate::state::DeclinedQuestion;

/// What a request is about, who asks, and how long it stays open.
pub struct NewRequest<'a> {
    pub holder: Holder<'a>,
    pub subject: Subject,
    /// The digest that an answer refers to.
    pub digest: Digest,
    /// The digest that a decline applies to.
    pub lasting: Digest,
    pub items: Vec<RequestItem>,
    pub programs: Vec<PinnedProgram>,
    pub open_for: Span,
}

impl NewRequest<'_> {
    pub fn open(self, facts: &Facts) -> Request {
        Request {
            declined_before: find_declined_question(facts, self.holder.session, &self.subject),
            id: RequestId::generate(facts.ids),
            session: self.holder.session.clone(),
            agent: self.holder.agent.clone(),
            project: self.holder.project.cloned(),
            subject: self.subject,
            more_calls: 0,
            digest: self.digest,
            lasting: self.lasting,
            items: self.items,
            programs: self.programs,
            run_files: Vec::new(),
            opened_at: facts.now,
            ends_at: facts.now + self.open_for,
            state: RequestState::Open,
            shown_whole_on: Vec::new(),
            note: String::new(),
            grant: None,
        }
    }
}

/// The last question of this session about the same category that was declined: other words ask for
/// the same thing.
fn find_declined_question(
    facts: &Facts,
    session: &SessionKey,
    subject: &Subject,
) -> Option<RequestId> {
    let Subject::Ahead(ahead) = subject else { return None };
    let declined = &facts.state.open_session(session, facts.now)?.declined_questions;
    let is_same = |question: &&DeclinedQuestion| question.category == ahead.category;
    declined.iter().rev().find(is_same).map(|question| question.request)
}

pub fn request_opened(request: Request) -> Change {
    Change::RequestOpened { request: Box::new(request) }
}

/// How long a request stays open. A critical request is about one moment, so it closes sooner.
pub fn request_lifetime(risk: Risk) -> Span {
    match risk {
        Risk::Critical => limits::CRITICAL_REQUEST_OPEN,
        Risk::ReadOnly | Risk::Low | Risk::Moderate | Risk::High => limits::REQUEST_OPEN,
    }
}

/// The item of a request that is about no single action: an ask-ahead, a start, a standing grant.
pub fn item_without_action(risk: Risk, choices: Vec<Choice>) -> RequestItem {
    let (part, reason) = (Part::Named, Reason::NoGrant);
    RequestItem { action: None, part, risk, reason, choices, answer: None, bounds: None }
}

/// The item for one action of a call or a proposal.
pub fn item_for_action(verdict: &Verdict, choices: Vec<Choice>) -> RequestItem {
    RequestItem {
        action: Some(verdict.action.clone()),
        part: verdict.part,
        risk: verdict.risk,
        reason: verdict.reason,
        choices,
        answer: None,
        bounds: None,
    }
}
