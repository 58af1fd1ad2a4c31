//! Grants of an earlier system, brought in as questions: nothing carries before the operator has
//! confirmed each of them.
//!
//! Reading the old files is another room's work. Here is what may come in, and that it comes in
//! once.

use crate::call::Part;
use crate::change::Change;
use crate::digest::{Digest, Key};
use crate::facts::Facts;
use crate::grant::{Coverage, Scope};
use crate::graph::{Asking, Graph};
use crate::ids::RequestId;
use crate::limits;
use crate::record::opening;
use crate::request::{Item, Request, RequestState, Subject};
use crate::settle::Holder;
use crate::state::State;
use crate::time::Time;
use crate::words::{Choice, Ending, Reason, Risk, Tier, words};
use serde::{Deserialize, Serialize};
use serde_json::json;

words! {
    /// The systems whose grants can be brought in, by the number of their seed.
    Origin {
        ConsentSystem = "000",
        PermissionBridge = "002",
    }
}

/// A grant as it was given elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    pub origin: Origin,
    /// What it goes by there.
    pub key: String,
    /// What it was given for, in the words that were shown there.
    pub words: String,
    pub coverage: Coverage,
    /// How long it holds once it is confirmed.
    pub scope: Scope,
    pub given_at: Time,
    /// Where it had an end, the grant here ends no later.
    pub ends_at: Option<Time>,
}

/// Why a grant cannot come in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("the graph does not list {0}")]
    Unlisted(String),
    #[error("the graph blocks {0}")]
    Blocked(String),
    #[error("the graph always asks about {0}")]
    AlwaysAsked(String),
    #[error("{0} is {1} risk, and what is imported carries up to moderate; grant it anew")]
    TooRisky(String, Risk),
    #[error("the graph has no workflow {0}")]
    NoWorkflow(String),
    #[error("no grant of this kind is brought in")]
    NotThatKind,
}

/// The risk that a grant is shown with, if it can come in under this graph.
pub fn fits(graph: Option<&Graph>, coverage: &Coverage) -> Result<Risk, Unfit> {
    let up_to_moderate = |what: String, risk: Risk| {
        if risk > Risk::Moderate { Err(Unfit::TooRisky(what, risk)) } else { Ok(risk) }
    };
    match coverage {
        Coverage::Everything => Ok(Risk::Moderate),
        Coverage::Category(category) => up_to_moderate(category.to_string(), category.floor()),
        Coverage::Action(action) => {
            let name = action.to_string();
            let rule = graph.and_then(|graph| graph.rule(action));
            let Some(rule) = rule else { return Err(Unfit::Unlisted(name)) };
            match (rule.tier, rule.asking) {
                (Tier::Blocked, _) => Err(Unfit::Blocked(name)),
                (_, Asking::Always) => Err(Unfit::AlwaysAsked(name)),
                (Tier::Autonomous | Tier::RequiresApproval, _) => up_to_moderate(name, rule.risk),
            }
        }
        Coverage::Class { workflow, actions } => {
            let known = graph.and_then(|graph| graph.workflows.get(workflow));
            match known.filter(|known| known.actions == *actions) {
                Some(_) => Ok(Risk::Moderate),
                None => Err(Unfit::NoWorkflow(workflow.to_string())),
            }
        }
        Coverage::Digest { .. }
        | Coverage::Command { .. }
        | Coverage::Run { .. }
        | Coverage::Step { .. } => Err(Unfit::NotThatKind),
    }
}

/// What became of one grant that was to be brought in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// A new question.
    Opened(RequestId),
    /// It was brought in before, and still waits.
    Waiting(RequestId),
    /// It was brought in before, and answered.
    Settled(Ending),
    /// The session it is for belongs to another agent.
    Foreign,
}

/// Opens a question for each grant that has none yet. Each comes with the risk it is shown with.
pub fn import(
    facts: &Facts,
    holder: &Holder,
    offers: &[(Imported, Risk)],
) -> (Vec<Offered>, Vec<Change>) {
    let state = facts.state;
    if state.sessions.get(holder.session).is_some_and(|open| open.agent != *holder.agent) {
        return (offers.iter().map(|_| Offered::Foreign).collect(), Vec::new());
    }
    let mut changes = opening(facts, holder.session, holder.agent, holder.project);
    let mut became = Vec::new();
    for (imported, risk) in offers {
        let digest = digest(holder, imported, facts.key);
        let known = before(state, facts.now, &digest).or_else(|| opened(&changes, &digest));
        became.push(known.unwrap_or_else(|| {
            let request = question(facts, holder, (imported, *risk), digest);
            let id = request.id;
            changes.push(Change::RequestOpened { request: Box::new(request) });
            Offered::Opened(id)
        }));
    }
    let nothing = !became.iter().any(|offered| matches!(offered, Offered::Opened(_)));
    (became, if nothing { Vec::new() } else { changes })
}

/// What stands for a grant wherever it is brought in again.
pub fn digest(holder: &Holder, imported: &Imported, key: Option<&Key>) -> Digest {
    let form = json!({
        "agent": holder.agent,
        "session": holder.session,
        "project": holder.project,
        "imported": imported,
    });
    // Names and instants have a canonical form by construction.
    Digest::of("countersign/import/v1", &form).unwrap_or(Digest::zero()).keyed(key)
}

/// What became of it when it was brought in before. What was answered stays answered; what nobody
/// answered in time may be asked again.
pub fn before(state: &State, now: Time, digest: &Digest) -> Option<Offered> {
    let about: Vec<&Request> = state.requests.about(digest).collect();
    let settled = about.iter().find_map(|request| match request.state {
        RequestState::Closed(ending @ (Ending::Approved | Ending::Declined)) => {
            Some(Offered::Settled(ending))
        }
        RequestState::Closed(Ending::Expired | Ending::Cancelled) | RequestState::Open => None,
    });
    let open = about.iter().find(|request| request.is_open(now));
    settled.or_else(|| open.map(|request| Offered::Waiting(request.id)))
}

fn opened(changes: &[Change], digest: &Digest) -> Option<Offered> {
    changes.iter().find_map(|change| {
        let Change::RequestOpened { request } = change else { return None };
        (request.digest == *digest).then_some(Offered::Waiting(request.id))
    })
}

fn question(
    facts: &Facts,
    holder: &Holder,
    (imported, risk): (&Imported, Risk),
    digest: Digest,
) -> Request {
    let choice = match imported.scope {
        Scope::Once => Choice::Once,
        Scope::Project => Choice::Project,
        Scope::Until | Scope::Run | Scope::Session => Choice::Session,
    };
    Request {
        id: RequestId::fresh(facts.fresh),
        session: holder.session.clone(),
        agent: holder.agent.clone(),
        project: holder.project.cloned(),
        subject: Subject::Imported(Box::new(imported.clone())),
        digest,
        lasting: digest,
        items: vec![Item {
            action: None,
            part: Part::Named,
            risk,
            reason: Reason::NoGrant,
            choices: vec![choice, Choice::Decline],
            answer: None,
        }],
        opened_at: facts.now,
        ends_at: facts.now + limits::IMPORT_OPEN,
        state: RequestState::Open,
    }
}
