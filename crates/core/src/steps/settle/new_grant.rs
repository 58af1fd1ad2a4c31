//! Makes one grant: who holds it, when it ends, and what it carries if the operator gives it directly.
//!
//! Which grants an answer mints is in `mint`.

use crate::decide::facts::Facts;
use crate::model::grant::{
    Confirmation, Coverage, Grant, GrantState, Holder, Owner, Scope, Source,
};
use crate::model::graph::{Graph, Rule};
use crate::model::ids::GrantId;
use crate::model::limits;
use crate::model::time::Time;
use crate::model::words::Risk;

pub(super) const NO_PROJECT: &str =
    "the session has no project, so the grant lasts for the session";

/// The highest risk that a grant carries which the operator gives directly.
pub(crate) fn direct_risk(graph: Option<&Graph>, coverage: &Coverage) -> Risk {
    let rule_risk = |action| {
        let rule = graph.and_then(|graph| graph.rule(action));
        rule.map_or(Rule::UNCLASSIFIED_RISK, |rule| rule.risk)
    };
    match coverage {
        Coverage::Category(category) => category.floor(),
        Coverage::Action(action) | Coverage::Head { action, .. } => rule_risk(action),
        Coverage::Command { .. } => Risk::High,
        Coverage::Everything
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Step { .. } => Risk::Moderate,
        Coverage::Program(_) => Risk::ReadOnly,
        Coverage::Digest { .. } => Risk::Critical,
    }
}

/// Makes a grant that the operator gives directly. Also returns why the scope differs, if it does.
pub fn create_direct_grant(
    facts: &Facts,
    holder: &Holder,
    coverage: Coverage,
    (scope, ends_at, confirmation): (Scope, Option<Time>, Confirmation),
) -> (Grant, Option<&'static str>) {
    let lacks_project = scope == Scope::Project && holder.project.is_none();
    let (scope, why) =
        if lacks_project { (Scope::Session, Some(NO_PROJECT)) } else { (scope, None) };
    let shown = direct_risk(facts.graph, &coverage);
    let mut grant = new_grant(facts, holder, coverage, scope, Source::Standing);
    grant.shown = shown;
    grant.confirmation = confirmation;
    grant.ends_at = match (grant.ends_at, ends_at) {
        (Some(own), Some(named)) => Some(own.min(named)),
        (own, named) => own.or(named),
    };
    (grant, why)
}

pub(super) fn new_grant(
    facts: &Facts,
    holder: &Holder,
    coverage: Coverage,
    scope: Scope,
    source: Source,
) -> Grant {
    let owner = match (scope, holder.project) {
        (Scope::Project, Some(project)) => Owner::Project(project.clone()),
        (Scope::Project, None) | (Scope::Once | Scope::Until | Scope::Run | Scope::Session, _) => {
            Owner::Session(holder.session.clone())
        }
    };
    let ends_at = match scope {
        Scope::Once => Some(facts.now + limits::ONCE_UNUSED),
        Scope::Until => Some(facts.now + limits::A_QUARTER),
        Scope::Session => Some(facts.now + limits::SESSION_GRANT),
        Scope::Run => Some(facts.now + limits::RUN_GRANT),
        Scope::Project => None,
    };
    Grant {
        id: GrantId::generate(facts.ids),
        owner,
        made_in: holder.session.clone(),
        agent: holder.agent.clone(),
        coverage,
        scope,
        source,
        shown: Risk::ReadOnly,
        places: Vec::new(),
        within: None,
        confirmation: Confirmation::Plain,
        granted_at: facts.now,
        granted_turn: facts.state.turn(holder.session, facts.now),
        ends_at,
        reviewed_at: facts.now,
        run: None,
        request: None,
        asked: None,
        uses: 0,
        used: None,
        first_uses: Vec::new(),
        state: GrantState::Live,
    }
}
