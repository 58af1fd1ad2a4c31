//! Imports grants of an earlier system as requests. None has effect until the operator confirms it.
//!
//! The crate `import` reads the old files. This module checks what can be imported, and imports each
//! grant only once.
//!
//! See docs/decisions/0020-imports-need-confirmation.md.

use countersign_core::decide::admission::check_owner;
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::model::change::Change;
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::{Coverage, Scope};
use countersign_core::model::graph::{AskingRule, Graph};
use countersign_core::model::imported::{ImportOutcome, ImportedGrant};
use countersign_core::model::limits;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::session_place::SessionFolders;
use countersign_core::model::words::{Choice, Risk, Tier};
use countersign_core::steps::open_request::{NewRequest, item_without_action, request_opened};
use countersign_core::steps::record::opening;
use serde_json::json;

/// Why a grant cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportRefusal {
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
    #[error("grants of this kind cannot be imported")]
    NotThatKind,
}

/// The risk to show for a grant, if it can be imported under this graph.
pub fn check_importable(graph: Option<&Graph>, coverage: &Coverage) -> Result<Risk, ImportRefusal> {
    let up_to_moderate = |what: String, risk: Risk| {
        if risk > Risk::Moderate { Err(ImportRefusal::TooRisky(what, risk)) } else { Ok(risk) }
    };
    match coverage {
        Coverage::Everything => Ok(Risk::Moderate),
        Coverage::Category(category) => up_to_moderate(category.to_string(), category.floor()),
        Coverage::Action(action) => {
            let name = action.to_string();
            let rule = graph.and_then(|graph| graph.rule(action));
            let Some(rule) = rule else { return Err(ImportRefusal::Unlisted(name)) };
            match (rule.tier, rule.asking) {
                (Tier::Blocked, _) => Err(ImportRefusal::Blocked(name)),
                (_, AskingRule::Always) => Err(ImportRefusal::AlwaysAsked(name)),
                (Tier::Autonomous | Tier::RequiresApproval, _) => up_to_moderate(name, rule.risk),
            }
        }
        Coverage::Class { workflow, actions } => {
            let known = graph.and_then(|graph| graph.workflows.get(workflow));
            match known.filter(|known| known.actions == *actions) {
                Some(_) => Ok(Risk::Moderate),
                None => Err(ImportRefusal::NoWorkflow(workflow.to_string())),
            }
        }
        Coverage::Digest { .. }
        | Coverage::Command { .. }
        | Coverage::Head { .. }
        | Coverage::Run { .. }
        | Coverage::Step { .. }
        | Coverage::Program(_) => Err(ImportRefusal::NotThatKind),
    }
}

/// Opens a request for each grant that has none yet. Each grant comes with the risk to show.
pub fn import_grants(
    facts: &Facts,
    holder: &Holder,
    offers: &[(ImportedGrant, Risk)],
) -> (Vec<ImportOutcome>, Vec<Change>) {
    let state = facts.state;
    if check_owner(holder.session, holder.agent).is_err() {
        return (offers.iter().map(|_| ImportOutcome::Foreign).collect(), Vec::new());
    }
    let mut changes =
        opening(facts, holder.session, holder.agent, (holder.project, SessionFolders::NONE));
    let mut results = Vec::new();
    for (imported, risk) in offers {
        let digest = digest(holder, imported, facts.key);
        let known =
            state.earlier_import(facts.now, &digest).or_else(|| find_opened(&changes, &digest));
        results.push(known.unwrap_or_else(|| {
            let request = new_request(facts, holder, imported, *risk, digest);
            let id = request.id;
            changes.push(request_opened(request));
            ImportOutcome::Opened(id)
        }));
    }
    let nothing = !results.iter().any(|offered| matches!(offered, ImportOutcome::Opened(_)));
    (results, if nothing { Vec::new() } else { changes })
}

/// The digest that identifies an imported grant, also when it is imported again.
pub fn digest(holder: &Holder, imported: &ImportedGrant, key: Option<&Key>) -> Digest {
    let form = json!({
        "agent": holder.agent,
        "session": holder.session.name(),
        "project": holder.project,
        "imported": imported,
    });
    // Names and instants always have a canonical form.
    Digest::hash_value("countersign/import/v1", &form).unwrap_or(Digest::zero()).keyed(key)
}

fn find_opened(changes: &[Change], digest: &Digest) -> Option<ImportOutcome> {
    changes.iter().find_map(|change| {
        let Change::RequestOpened { request } = change else { return None };
        (request.digest == *digest).then_some(ImportOutcome::Waiting(request.id))
    })
}

fn new_request(
    facts: &Facts,
    holder: &Holder,
    imported: &ImportedGrant,
    risk: Risk,
    digest: Digest,
) -> Request {
    let choice = match imported.scope {
        Scope::Once => Choice::Once,
        Scope::Project => Choice::Project,
        Scope::Until | Scope::Run | Scope::Session => Choice::Session,
    };
    let mut imported = imported.clone();
    imported.redact(facts.key);
    NewRequest {
        holder: *holder,
        subject: Subject::Imported(Box::new(imported)),
        digest,
        lasting: digest,
        items: vec![item_without_action(risk, vec![choice, Choice::Decline])],
        programs: Vec::new(),
        open_for: limits::IMPORT_OPEN,
    }
    .open(facts)
}
