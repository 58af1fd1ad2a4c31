//! Puts the session of a sub-agent below that of the agent that started it.
//!
//! A stop above then holds below. Nothing else follows from it, and no grant passes from one to the
//! other: so the agent or adapter that says it can only make things stricter. For the same reason it is said once.
//!
//! See docs/decisions/0111-sessions-of-sub-agents.md.

use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::limits;
use countersign_core::model::names::SessionKey;

/// Why a session is not put below another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinRefusal {
    #[error("the session above is not open")]
    NotOpen,
    #[error("the session is below another one already")]
    BelowAnother,
    #[error("the session would be below itself")]
    Circle,
    #[error("there are more than {} sub-agents below each other", limits::SUB_AGENT_DEPTH)]
    TooDeep,
    #[error("the session above has {} open sessions of sub-agents", limits::SUB_AGENT_SESSIONS)]
    TooMany,
}

/// Puts an open session below another one. No change if it is there already.
pub fn join_session(
    facts: &Facts,
    session: &SessionKey,
    above: &SessionKey,
) -> Result<Vec<Change>, JoinRefusal> {
    let state = facts.state;
    let joined = state.open_session(session, facts.now).and_then(|row| row.above.as_ref());
    if joined == Some(above) {
        return Ok(Vec::new());
    }
    let parent = state.open_session(above, facts.now).ok_or(JoinRefusal::NotOpen)?;
    let upwards = || state.sessions_above(above);
    let below = state.sessions_below(session);
    let height = below.iter().map(|below| state.sessions_above(below).count()).max().unwrap_or(0);
    if session == above || upwards().any(|key| key == session) {
        return Err(JoinRefusal::Circle);
    }
    if joined.is_some() {
        return Err(JoinRefusal::BelowAnother);
    }
    if upwards().count() + 1 + height > limits::SUB_AGENT_DEPTH {
        return Err(JoinRefusal::TooDeep);
    }
    if parent.below.len() >= limits::SUB_AGENT_SESSIONS {
        return Err(JoinRefusal::TooMany);
    }
    Ok(vec![Change::SessionJoined { session: session.clone(), above: above.clone() }])
}
