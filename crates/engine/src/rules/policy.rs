//! The policies of a graph, asked about each action of a call with the facts of its arguments.

use crate::active_rules::ActiveRules;
use crate::{Engine, Store};
use countersign_core::decide::decided_actions::list_possible_actions;
use countersign_core::model::call::Call;
use countersign_core::model::names::Action;
use countersign_core::model::rule_results::{NO_RULE_RESULTS, PolicyResult, RuleResults};
use countersign_graph::policies::ArgumentFacts;
use countersign_observe::FactReader;
use std::collections::BTreeMap;

impl<S: Store> Engine<S> {
    /// What the policies say about each action of the call that one of them reaches.
    pub(super) fn evaluate_policies(
        &self,
        rules: &ActiveRules,
        call: &Call,
        ruled: &RuleResults,
    ) -> BTreeMap<Action, PolicyResult> {
        let Some(policies) = &rules.policies else { return BTreeMap::new() };
        // A policy may block an action as it is named, and then it is decided as no other.
        let named = call.parts().map(|(action, _)| action.clone());
        let named = named.chain(list_possible_actions(&rules.graph, ruled, call));
        let reached: Vec<_> =
            named.filter(|action| !policies.policy_names_for(action).is_empty()).collect();
        if reached.is_empty() {
            return BTreeMap::new();
        }
        let (files, graph) = (self.file_system.as_ref(), &*rules.graph);
        let (patterns, home) = (&rules.patterns, self.home.as_deref());
        let facts = FactReader { files, graph, patterns, home }.read_facts(call);
        let ruling = |action: Action| Some((action.clone(), policies.evaluate(&action, &facts)?));
        reached.into_iter().filter_map(ruling).collect()
    }

    /// The same about an action as such, without arguments: a proposal has a diff instead.
    pub(crate) fn evaluate_policies_without_arguments(
        &self,
        rules: Option<&ActiveRules>,
        action: &Action,
    ) -> RuleResults {
        let policies = rules.and_then(|rules| rules.policies.as_ref());
        let ruling =
            policies.and_then(|policies| policies.evaluate(action, &[ArgumentFacts::absent()]));
        let policies = ruling.map(|by| (action.clone(), by)).into_iter().collect();
        RuleResults { policies, ..NO_RULE_RESULTS.clone() }
    }
}
