//! Raises notices to the operator about decisions and about a refused graph.
//!
//! See docs/decisions/0016-notices-and-alerts.md.
//! See docs/decisions/0067-notices-that-end.md.

use crate::decide::explain;
use crate::decide::facts::Facts;
use crate::encoding::digest::Digest;
use crate::model::change::Change;
use crate::model::decision::Decision;
use crate::model::ids::{CallId, NoticeId};
use crate::model::limits;
use crate::model::names::{Agent, SessionKey};
use crate::model::notice::{Cause, Notice, NoticeState};
use crate::model::words::Outcome;

/// The attempt that a decision was about.
#[derive(Clone, Copy, Debug)]
pub struct DecidedAttempt<'a> {
    pub session: &'a SessionKey,
    pub agent: &'a Agent,
    pub digest: Digest,
    /// None if there is no call record.
    pub call: Option<CallId>,
}

/// The notice that a decision raises, if it raises one.
pub fn notice_for(facts: &Facts, attempted: DecidedAttempt, decision: &Decision) -> Option<Change> {
    let cause = match decision.outcome {
        Outcome::Notify => Cause::Visible,
        Outcome::Deny => decision.reason.traits().alert?,
        Outcome::Allow | Outcome::Ask => return None,
    };
    let action = explain::deciding_verdict(decision).map(|verdict| verdict.action.clone());
    let notice = Notice {
        agent: Some(attempted.agent.clone()),
        session: Some(attempted.session.clone()),
        action,
        digest: (cause == Cause::Visible).then_some(attempted.digest),
        call: attempted.call,
        ..new_notice(facts, cause, &explain::sentence(decision))
    };
    Some(Change::NoticeRaised { notice: Box::new(notice) })
}

/// An alert that is about no call.
pub fn operator_alert(facts: &Facts, cause: Cause, why: &str) -> Change {
    Change::NoticeRaised { notice: Box::new(new_notice(facts, cause, why)) }
}

/// An alert about something in a session that is no call.
pub fn session_alert(facts: &Facts, session: SessionKey, agent: Agent, why: &str) -> Change {
    let notice = new_notice(facts, Cause::SelfProtection, why);
    let notice = Notice { agent: Some(agent), session: Some(session), ..notice };
    Change::NoticeRaised { notice: Box::new(notice) }
}

/// An alert about the rules of a session's repository, once for each version of them.
pub fn layer_alert(
    facts: &Facts,
    (session, agent): (SessionKey, Agent),
    hash: Digest,
    why: &str,
) -> Change {
    let notice = new_notice(facts, Cause::LayerRefused, why);
    let (agent, session, digest) = (Some(agent), Some(session), Some(hash));
    Change::NoticeRaised { notice: Box::new(Notice { agent, session, digest, ..notice }) }
}

fn new_notice(facts: &Facts, cause: Cause, text: &str) -> Notice {
    Notice {
        id: NoticeId::generate(facts.ids),
        cause,
        agent: None,
        session: None,
        action: None,
        digest: None,
        call: None,
        text: shorten(text),
        count: 1,
        first_at: facts.now,
        last_at: facts.now,
        state: NoticeState::Open,
    }
}

fn shorten(text: &str) -> String {
    let end = text.floor_char_boundary(limits::NOTICE_BYTES);
    match text.get(..end) {
        Some(start) if end < text.len() => format!("{start}…"),
        Some(_) | None => text.to_owned(),
    }
}
