//! Consent in a conversation: what an operator's turn does.
//!
//! Text from an agent never counts as a turn of the operator. A turn that an agent reports can only
//! make things stricter; if it would relax something, the operator gets a request instead.

// A new variant must not fall into a wildcard arm unnoticed.
#![deny(clippy::wildcard_enum_match_arm)]

mod announce;
mod answer;
mod decline_and_stop;
mod end_session;
mod join_session;
mod listing;
mod operations;
pub mod phrases;
pub mod plan;
mod reset;
mod slash;
mod standing;
mod text;
mod utterance;

pub use announce::{
    AnnounceContext, announce, announce_reset, announce_run_end, ask_whether_still_working,
    find_overdue_workflow,
};
pub use decline_and_stop::decline_and_stop;
pub use end_session::{end_session, end_silent_session};
pub use join_session::{JoinRefusal, join_session};
pub use listing::{allowlist, consent};
pub use operations::{OperationConsent, find_grant_of};
pub use reset::{ReportedMove, context_changed, topic_changed};
pub use standing::{carried_over, hand_over, standing_command};
pub use utterance::{ShortReply, Utterance, parse_utterance};

use announce::announce_run_ends;
use utterance::{UtteranceEffect, begins_with_no};

use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::ids::GestureId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::request::AnswerFrom;
use countersign_core::model::turn::{Speaker, StopAfterTurn, TurnResult};

/// One turn, as it was reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    pub session: SessionKey,
    pub speaker: Speaker,
    pub text: String,
    /// Whose showing of a call counts if the turn is a yes.
    pub from: AnswerFrom,
}

/// What a turn did, the lines to show in reply, and the gesture that it made.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessedTurn {
    pub heard: TurnResult,
    pub lines: Vec<String>,
    pub gesture: Option<GestureId>,
    pub changes: Vec<Change>,
}

impl ProcessedTurn {
    fn new(heard: TurnResult, lines: Vec<String>, changes: Vec<Change>) -> Self {
        Self { heard, lines, gesture: None, changes }
    }

    fn nothing() -> Self {
        Self::new(TurnResult::Nothing, Vec::new(), Vec::new())
    }
}

/// Interprets a turn and returns what follows from it.
pub fn say(facts: &Facts, turn: &Turn, analyse: Analyse) -> ProcessedTurn {
    let utterance = parse_utterance(&turn.text);
    let mut outcome =
        if turn.speaker == Speaker::Agent && utterance.effect() == UtteranceEffect::Loosens {
            ask_operator_instead(facts, turn, &utterance, analyse)
        } else {
            apply_utterance(facts, turn, &utterance, analyse)
        };
    if turn.speaker != Speaker::Agent && is_reset(&utterance) && begins_with_no(&turn.text) {
        answer::decline_too(facts, turn, &mut outcome);
    }
    let stop = if ends_stop(&utterance) { StopAfterTurn::Ends } else { StopAfterTurn::Stays };
    record_turn(facts, &turn.session, turn.speaker, (outcome, stop))
}

/// Whether a turn is a word to go on after a stop.
fn ends_stop(utterance: &Utterance) -> bool {
    match utterance.effect() {
        UtteranceEffect::Loosens => !matches!(utterance, Utterance::Answer(ShortReply::No { .. })),
        UtteranceEffect::EndsWork | UtteranceEffect::None => true,
        UtteranceEffect::HoldsBack | UtteranceEffect::EndsConsent | UtteranceEffect::Lists => false,
    }
}

/// What follows from the operator's word *stop*, however it was given.
pub(crate) fn say_stop(facts: &Facts, session: &SessionKey) -> ProcessedTurn {
    let stopped = reset::stop_session(facts, session);
    record_turn(facts, session, Speaker::Operator, (stopped, StopAfterTurn::Stays))
}

fn record_turn(
    facts: &Facts,
    session: &SessionKey,
    speaker: Speaker,
    (mut outcome, stop): (ProcessedTurn, StopAfterTurn),
) -> ProcessedTurn {
    let heard = outcome.heard;
    // Said only where it matters.
    let is_stopped = facts.state.mode(session, facts.now).is_stopped();
    let stop = if is_stopped { stop } else { StopAfterTurn::Ends };
    let mut changes = vec![Change::TurnSaid { session: session.clone(), speaker, heard, stop }];
    changes.append(&mut outcome.changes);
    if speaker != Speaker::Agent {
        let idle = reset::end_idle_runs(facts, session, &changes);
        outcome.lines.extend(announce_run_ends(&idle));
        changes.extend(idle);
        number_grants(facts, session, &mut changes);
    }
    outcome.changes = changes;
    outcome
}

/// What this turn grants was granted in this turn, which is one after those counted so far.
fn number_grants(facts: &Facts, session: &SessionKey, changes: &mut [Change]) {
    let turn = facts.state.turn(session, facts.now).saturating_add(1);
    for change in changes {
        if let Change::GrantMinted { grant } = change {
            grant.granted_turn = turn;
        }
    }
}

/// Analyses a command line. The crate `commands` provides it.
pub type Analyse = fn(&str) -> countersign_core::model::command::CommandAnalysis;

/// Whether a turn can only make things stricter, so that it must not be lost.
pub fn is_tightening(text: &str) -> bool {
    match parse_utterance(text).effect() {
        UtteranceEffect::HoldsBack | UtteranceEffect::EndsConsent | UtteranceEffect::EndsWork => {
            true
        }
        UtteranceEffect::Loosens | UtteranceEffect::Lists | UtteranceEffect::None => false,
    }
}

/// Whether a turn could allow something that was not allowed before.
pub fn is_loosening(text: &str) -> bool {
    parse_utterance(text).effect() == UtteranceEffect::Loosens
}

/// Whether a turn ends consent and leaves the open requests alone.
fn is_reset(utterance: &Utterance) -> bool {
    matches!(utterance.effect(), UtteranceEffect::EndsConsent | UtteranceEffect::EndsWork)
}

/// An agent reports a turn that would relax something: the operator is asked instead. A yes is about
/// a request that is already open, so it opens no new one.
fn ask_operator_instead(
    facts: &Facts,
    turn: &Turn,
    utterance: &Utterance,
    analyse: Analyse,
) -> ProcessedTurn {
    match utterance {
        Utterance::Grant(commands) => {
            standing::ask_about_reported(facts, &turn.session, commands, analyse)
        }
        Utterance::Slash(name) => slash::ask_about_reported(facts, &turn.session, name),
        Utterance::Answer(_)
        | Utterance::DryRun
        | Utterance::Stop
        | Utterance::Correction
        | Utterance::Clear
        | Utterance::Revoke(_)
        | Utterance::RevokeAll
        | Utterance::Allowlist
        | Utterance::Consent
        | Utterance::RunEnd
        | Utterance::Other => ProcessedTurn::nothing(),
    }
}

fn apply_utterance(
    facts: &Facts,
    turn: &Turn,
    utterance: &Utterance,
    analyse: Analyse,
) -> ProcessedTurn {
    let session = &turn.session;
    match utterance {
        Utterance::DryRun => {
            let line = "Dry run: until your next message, only reading is allowed";
            ProcessedTurn::new(TurnResult::DryRun, vec![line.into()], Vec::new())
        }
        Utterance::Stop => reset::stop_session(facts, session),
        Utterance::Correction => reset::apply_correction(facts, session),
        Utterance::Clear => reset::clear_consent(facts, session),
        Utterance::RunEnd => reset::end_all_runs(facts, session),
        Utterance::Revoke(names) => {
            standing::revoke_named(facts, session, names, turn.speaker, analyse)
        }
        Utterance::RevokeAll => standing::revoke_all(facts, session, turn.speaker),
        Utterance::Grant(commands) => standing::grant_commands(facts, session, commands, analyse),
        Utterance::Allowlist => {
            ProcessedTurn::new(TurnResult::Listed, allowlist(facts, session), Vec::new())
        }
        Utterance::Consent => {
            ProcessedTurn::new(TurnResult::Listed, consent(facts, session), Vec::new())
        }
        Utterance::Slash(name) => slash::make_gesture(facts, session, name),
        Utterance::Answer(reply) => answer::apply_reply(facts, turn, reply),
        Utterance::Other => answer::confirm_amount(facts, turn),
    }
}
