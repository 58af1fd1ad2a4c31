//! Rules that a program has of its own, as command rules of a graph where they can be expressed.
//!
//! What cannot be expressed is listed with the reason. A rule is never made wider than it was.

mod claude;
mod codex;

use crate::Program;

/// What became of a program's own rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignRules {
    /// For `commands.allow` of a graph.
    pub allow: Vec<String>,
    /// For `commands.deny` of a graph.
    pub deny: Vec<String>,
    pub skipped: Vec<SkippedRule>,
}

/// A rule that a graph does not express, or not in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRule {
    pub rule: String,
    pub why: &'static str,
}

/// What a program does with a call that a rule covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForeignEffect {
    Allow,
    Ask,
    Deny,
}

const ASKS_ANYWAY: &str = "Countersign has no list for this: it asks unless the graph allows it";

impl ForeignRules {
    /// Reads a file of the program's rules.
    pub fn read(program: Program, text: &str) -> Self {
        let mut rules = Self::default();
        match program {
            Program::ClaudeCode => claude::read(text, &mut rules),
            Program::Codex => codex::read(text, &mut rules),
        }
        rules
    }

    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty() && self.skipped.is_empty()
    }

    pub fn extend(&mut self, other: Self) {
        for (rules, more) in [(&mut self.allow, other.allow), (&mut self.deny, other.deny)] {
            let new: Vec<String> = more.into_iter().filter(|rule| !rules.contains(rule)).collect();
            rules.extend(new);
        }
        self.skipped.extend(other.skipped);
    }

    fn skip(&mut self, rule: impl Into<String>, why: &'static str) {
        self.skipped.push(SkippedRule { rule: rule.into(), why });
    }

    /// Adds a command rule, unless it is there already.
    fn add(&mut self, effect: ForeignEffect, original: &str, rule: String) {
        let rules = match effect {
            ForeignEffect::Allow => &mut self.allow,
            ForeignEffect::Deny => &mut self.deny,
            ForeignEffect::Ask => return self.skip(original, ASKS_ANYWAY),
        };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
}
