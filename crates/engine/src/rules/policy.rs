//! The policies of a graph, asked about each action of a call with the facts of its arguments.

use super::InForce;
use crate::{Engine, Store};
use countersign_core::decide::effective_action;
use countersign_core::model::call::Call;
use countersign_core::model::names::Action;
use countersign_core::model::ruled::{ByPolicy, NOTHING, Ruled};
use countersign_graph::policies::ArgumentFacts;
use countersign_observe::FactReader;
use std::collections::BTreeMap;

impl<S: Store> Engine<S> {
    /// What the policies say about each action of the call that one of them reaches.
    pub(super) fn by_policy(&self, in_force: &InForce, call: &Call) -> BTreeMap<Action, ByPolicy> {
        let Some(policies) = &in_force.policies else { return BTreeMap::new() };
        // A send to a stranger is decided as another action, unless it is blocked as it is.
        let named = call.parts().flat_map(|(action, _)| {
            [action.clone(), effective_action(&in_force.graph, action, &call.recipients)]
        });
        let reached: Vec<_> =
            named.filter(|action| !policies.policy_names_for(action).is_empty()).collect();
        if reached.is_empty() {
            return BTreeMap::new();
        }
        let (files, graph) = (self.disk.as_ref(), &*in_force.graph);
        let facts = FactReader { files, graph, home: self.home.as_deref() }.read_facts(call);
        let ruling = |action: Action| Some((action.clone(), policies.evaluate(&action, &facts)?));
        reached.into_iter().filter_map(ruling).collect()
    }

    /// The same about an action as such, without arguments: a proposal has a diff instead.
    pub(crate) fn ruled_alone(&self, in_force: Option<&InForce>, action: &Action) -> Ruled {
        let policies = in_force.and_then(|in_force| in_force.policies.as_ref());
        let ruling = policies.and_then(|rules| rules.evaluate(action, &[ArgumentFacts::absent()]));
        let policies = ruling.map(|by| (action.clone(), by)).into_iter().collect();
        Ruled { policies, ..NOTHING.clone() }
    }
}
