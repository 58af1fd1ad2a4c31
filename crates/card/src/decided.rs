//! A call together with the actions it was decided as: a class of commands, a place or a recipient
//! can make them others than the call names.

use crate::CardContext;
use countersign_core::model::call::{Call, Part};
use countersign_core::model::category::Category;
use countersign_core::model::graph::{Graph, Rule};
use countersign_core::model::names::Action;
use countersign_core::model::place::ActionOrigin;
use countersign_core::model::request::{Request, RequestItem};

#[derive(Clone, Copy)]
pub(crate) struct DecidedCall<'a> {
    pub(crate) call: &'a Call,
    pub(crate) graph: Option<&'a Graph>,
    /// Never empty for a call that was decided.
    pub(crate) actions: &'a [Action],
    origin: ActionOrigin,
}

impl<'a> DecidedCall<'a> {
    pub(crate) fn new(context: CardContext<'a>, request: &Request, call: &'a Call) -> Self {
        let record = context.state.calls.get(&call.id);
        let decided = record.map(|record| record.decided.as_slice());
        let actions = decided.filter(|actions| !actions.is_empty()).unwrap_or(&call.actions);
        let origin = match request.items.iter().any(is_classed) {
            true => ActionOrigin::Class,
            false => ActionOrigin::Call,
        };
        Self { call, graph: context.graph, actions, origin }
    }

    /// The rule of each action, in the order of the actions.
    pub(crate) fn rules(&self) -> impl Iterator<Item = Option<&'a Rule>> {
        let graph = self.graph;
        self.actions.iter().map(move |action| graph.and_then(|graph| graph.rule(action)))
    }

    /// The categories from rules, tool mapping and the agent's claims. A class replaces those of the
    /// tool.
    pub(crate) fn categories(&self) -> Vec<&'a Category> {
        let from_rules = self.rules().flatten().flat_map(|rule| &rule.categories);
        let given = match self.origin {
            ActionOrigin::Class => &self.call.observed.categories,
            ActionOrigin::Call => &self.call.given,
        };
        let mut all: Vec<&Category> =
            from_rules.chain(given).chain(&self.call.claims.categories).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// Whether a class of commands stands for the action of an item.
pub(crate) fn is_classed(item: &RequestItem) -> bool {
    let bounds = item.bounds.as_ref();
    item.part == Part::Named && bounds.is_some_and(|bounds| bounds.origin == ActionOrigin::Class)
}
