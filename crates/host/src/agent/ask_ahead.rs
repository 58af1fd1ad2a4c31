//! Asks for permission before there is a call, and reads the answer now or later.

use crate::HostEngine;
use crate::{AgentError, Host};
use countersign_api::{AheadStatus, AskAheadResponse, AskedScope, Timestamp, WithdrawnResponse};
use countersign_core::decide::explain;
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::grant::{Grant, Scope};
use countersign_core::model::ids::{GrantId, RequestId};
use countersign_core::model::request::{RequestState, Subject};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Ending, Outcome, Reason, Risk};
use countersign_engine::{OwnQuestion, SessionOwner, Withdrawal};
use std::time::Duration;

/// What the seed's runtime says for an operator who is not there.
const NOBODY: &str = "no interactive operator available";

/// In place of an id where nobody was asked and nothing was granted.
const NO_GRANT_ID: &str = "none";

impl Host {
    /// Asks, and waits for the answer. A secret in the agent's words is redacted.
    pub async fn ask_ahead(
        &self,
        mut draft: AheadDraft,
        wait: Duration,
    ) -> Result<AskAheadResponse, AgentError> {
        draft.parking = self.limit_parking(draft.parking);
        let owner = SessionOwner { session: draft.session.clone(), agent: draft.agent.clone() };
        let asked = asked_scope(draft.ahead.scope);
        let (decision, request) = self.run(move |engine| engine.ask_ahead(&draft)).await?;
        if let Some(id) = request {
            return self.wait_for_question(id, &owner, wait).await;
        }
        match (decision.outcome, &decision.basis) {
            (Outcome::Allow, Basis::Grants(grants)) if !grants.is_empty() => {
                let (grant, now) = self.read_grant(grants.first().copied()).await?;
                Ok(describe_covered(&grant, asked, now))
            }
            _ => Ok(describe_denied(&decision, asked)),
        }
    }

    /// An own question, after a wait for its answer.
    pub async fn wait_for_question(
        &self,
        id: RequestId,
        owner: &SessionOwner,
        limit: Duration,
    ) -> Result<AskAheadResponse, AgentError> {
        let reader = owner.clone();
        let read = move |engine: &HostEngine| engine.read_question(id, &reader);
        let is_waiting = |found: &Option<OwnQuestion>| found.as_ref().is_some_and(|q| q.is_open());
        describe_own_question(self.wait_while(owner, limit, read, is_waiting).await?)
    }

    /// Withdraws an own question that is still open.
    pub async fn withdraw_question(
        &self,
        request_id: RequestId,
        owner: SessionOwner,
    ) -> Result<WithdrawnResponse, AgentError> {
        match self.run(move |engine| engine.withdraw_question(request_id, &owner)).await? {
            Withdrawal::Recorded => {
                Ok(WithdrawnResponse { request_id, status: AheadStatus::Cancelled })
            }
            Withdrawal::TooLate => Err(AgentError::QuestionClosed),
            Withdrawal::Unknown => Err(AgentError::Unknown("request")),
        }
    }

    async fn read_grant(&self, id: Option<GrantId>) -> Result<(Grant, Time), AgentError> {
        let unknown = || AgentError::Unknown("grant");
        let id = id.ok_or_else(unknown)?;
        let read = self.run(move |engine| Ok((engine.read_grant(id)?, engine.display_time())));
        let (state, now) = read.await?;
        Ok((state.grants.get(id).cloned().ok_or_else(unknown)?, now))
    }
}

fn describe_own_question(found: Option<OwnQuestion>) -> Result<AskAheadResponse, AgentError> {
    let question = found.ok_or(AgentError::Unknown("request"))?;
    let Subject::Ahead(ahead) = &question.request.subject else {
        return Err(AgentError::Unknown("request"));
    };
    let grant = question.grant.as_ref().filter(|grant| grant.in_force(question.now));
    let asked = asked_scope(ahead.scope);
    let (status, reason, sentence) = describe_state(&question, grant, asked);
    let minted = question.grant.as_ref().map(|grant| grant.id.to_string());
    Ok(AskAheadResponse {
        operator_note: question.request.note.clone(),
        grant_id: minted.unwrap_or_else(|| question.request.id.to_string()),
        request_id: Some(question.request.id),
        sentence,
        ..response(status, reason, grant, asked)
    })
}

/// A live grant covers what is asked for.
fn describe_covered(grant: &Grant, asked: AskedScope, now: Time) -> AskAheadResponse {
    let grant = Some(grant).filter(|grant| grant.in_force(now));
    let sentence = match grant {
        Some(grant) => format!("a live grant covers this{}", describe_narrowed(grant, asked)),
        None => "the grant for this has just ended".to_owned(),
    };
    AskAheadResponse {
        sentence,
        request_id: grant.and_then(|grant| grant.request),
        ..response(AheadStatus::Approved, Reason::Granted, grant, asked)
    }
}

fn describe_denied(decision: &Decision, asked: AskedScope) -> AskAheadResponse {
    let status = match decision.reason {
        Reason::DeclinedBefore => AheadStatus::Declined,
        _ => AheadStatus::Denied,
    };
    let operator_note = match decision.reason {
        Reason::DeclinedBefore => decision.note.clone(),
        Reason::NoOperator => NOBODY.to_owned(),
        _ => String::new(),
    };
    let sentence = explain::sentence(decision);
    AskAheadResponse { operator_note, sentence, ..response(status, decision.reason, None, asked) }
}

fn response(
    status: AheadStatus,
    reason: Reason,
    grant: Option<&Grant>,
    scope_requested: AskedScope,
) -> AskAheadResponse {
    AskAheadResponse {
        status,
        granted: grant.is_some(),
        scope_granted: grant.map(|grant| grant.scope.into()),
        operator_note: String::new(),
        grant_id: grant.map_or_else(|| NO_GRANT_ID.to_owned(), |grant| grant.id.to_string()),
        ends_at: grant.and_then(|grant| grant.ends_at).map(Timestamp),
        scope_requested,
        reason,
        sentence: String::new(),
        request_id: None,
    }
}

/// Where a question stands, why, and a sentence for the agent. `grant` is the one in force.
fn describe_state(
    question: &OwnQuestion,
    grant: Option<&Grant>,
    asked: AskedScope,
) -> (AheadStatus, Reason, String) {
    let is_critical = question.request.items.iter().any(|item| item.risk == Risk::Critical);
    let (status, reason, sentence) = match question.request.state {
        _ if question.is_open() && is_critical => {
            let notice = format!("the operator is asked; a yes will be recorded and {NO_GRANT}");
            return (AheadStatus::Pending, Reason::NoGrant, notice);
        }
        _ if question.is_open() => (AheadStatus::Pending, Reason::NoGrant, "the operator is asked"),
        RequestState::Closed(Ending::Approved) => {
            let (reason, rest) = match (grant, &question.grant) {
                (Some(grant), _) => (Reason::Granted, describe_narrowed(grant, asked).to_owned()),
                (None, Some(_)) => {
                    (Reason::Expired, ", and the grant has been used up or has ended".to_owned())
                }
                (None, None) if is_critical => {
                    (Reason::TooRiskyToCarry, format!("; it is recorded and {NO_GRANT}"))
                }
                (None, None) => (Reason::TooRiskyToCarry, "; there is no grant".to_owned()),
            };
            return (AheadStatus::Approved, reason, format!("the operator said yes{rest}"));
        }
        RequestState::Closed(Ending::Declined) => {
            (AheadStatus::Declined, Reason::DeclinedBefore, "the operator declined")
        }
        RequestState::Closed(Ending::Cancelled) => {
            (AheadStatus::Cancelled, Reason::Cancelled, "the question was withdrawn or cancelled")
        }
        // No sweep may have recorded its end yet.
        RequestState::Open | RequestState::Closed(Ending::Expired) => {
            (AheadStatus::Expired, Reason::Expired, "nobody answered in time")
        }
    };
    (status, reason, sentence.to_owned())
}

const NO_GRANT: &str =
    "gives no grant, because only an answer to the call itself allows a critical category";

/// Says so if a grant does not last as long as was asked for.
fn describe_narrowed(grant: &Grant, asked: AskedScope) -> &'static str {
    match (asked, grant.scope) {
        (AskedScope::Persistent, Scope::Session) => {
            ", for this session: it belongs to no project, or the operator chose that"
        }
        (AskedScope::ThisSession | AskedScope::Persistent, Scope::Once) => ", for one call",
        (AskedScope::ThisSession | AskedScope::Persistent, Scope::Until) => ", for some minutes",
        (_, Scope::Once | Scope::Until | Scope::Run | Scope::Session | Scope::Project) => "",
    }
}

fn asked_scope(scope: Scope) -> AskedScope {
    match scope {
        Scope::Once | Scope::Until | Scope::Run => AskedScope::ThisCall,
        Scope::Session => AskedScope::ThisSession,
        Scope::Project => AskedScope::Persistent,
    }
}
