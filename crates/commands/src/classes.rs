//! Classes: rules by which a command line stands for actions.
//!
//! See docs/decisions/0050-how-far-a-yes-goes.md.
//! See docs/decisions/0059-commands-outside-of-the-workspace.md.

use crate::allow::AllowIndex;
use crate::rule::{self, CommandRule, RuleEffect, RuleError};
use countersign_core::model::names::Action;

/// A rule that stands for an action: a line whose commands all have one is decided as these actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassRule {
    pub action: Action,
    /// Compared like an allow rule.
    pub rule: CommandRule,
}

impl ClassRule {
    /// The rules of classes as a graph lists them: an action with the bodies of its rules.
    pub fn parse_all(classes: &[(Action, Vec<String>)]) -> Result<Vec<Self>, (String, RuleError)> {
        let bodies = classes
            .iter()
            .flat_map(|(action, bodies)| bodies.iter().map(move |body| (action.clone(), body)));
        let parse = |(action, body): (Action, &String)| {
            let rule = rule::parse_body(RuleEffect::Allow, body);
            rule.map(|rule| Self { action, rule }).map_err(|error| (body.clone(), error))
        };
        bodies.map(parse).collect()
    }
}

/// The class rules of a set, indexed like allow rules.
#[derive(Debug, Default)]
pub(crate) struct ClassIndex {
    pub(crate) index: AllowIndex,
    pub(crate) rules: Vec<CommandRule>,
    /// The action of each rule.
    actions: Vec<Action>,
}

/// The class that covers a simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveringClass {
    pub action: Action,
    /// As it is written in the graph.
    pub rule: String,
}

impl ClassIndex {
    pub(crate) fn new(classes: Vec<ClassRule>) -> Self {
        let (actions, rules): (Vec<_>, Vec<_>) =
            classes.into_iter().map(|class| (class.action, class.rule)).unzip();
        Self { index: AllowIndex::new(&rules), rules, actions }
    }

    /// The class of a rule.
    pub(crate) fn covering(&self, rule: usize) -> Option<CoveringClass> {
        let action = self.actions.get(rule)?.clone();
        Some(CoveringClass { action, rule: self.rules.get(rule)?.text.clone() })
    }
}
