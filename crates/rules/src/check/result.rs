//! The result of a check, for people and for programs.

use super::CheckArgs;
use crate::graph::describe_layer;
use anstyle::Style;
use countersign_console::{BOLD, CYAN, Exit, GREEN, Page, RED, YELLOW};
use countersign_core::decide::explain;
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::graph::{Decay, Graph, LastReview, Rule};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Outcome, Printed, Risk, Tier, VisiblePolicy};
use countersign_setup::GraphFile;
use serde_json::{Value, json};

pub(super) struct CheckReport<'a> {
    pub action: &'a Action,
    pub confidence: f64,
    pub printed: Printed,
    pub decision: Decision,
    pub file: &'a GraphFile,
    /// With the rules of the folder's repository.
    pub graph: &'a Graph,
    pub policies_evaluated: bool,
    /// A similar action, if the graph does not list this one.
    pub suggestion: Option<&'a Action>,
}

impl CheckReport<'_> {
    pub(super) fn exit(&self) -> Exit {
        Exit::from_outcome(self.decision.outcome, self.decision.reason)
    }

    pub(super) fn draw(&self, args: &CheckArgs) -> Page {
        let mut page = Page::new();
        let style = outcome_style(self.decision.outcome);
        page.styled(style.bold(), self.printed.word())
            .text(" -- ")
            .text(describe_tier(self.printed))
            .end();
        if tier_outcome(self.printed) != self.decision.outcome {
            let Decision { outcome, reason, .. } = self.decision;
            page.text("enforced: ").styled(style, outcome.word()).text(&format!(" ({reason})"));
            page.end();
        }
        if args.explain {
            self.draw_explanation(&mut page);
        }
        page
    }

    fn draw_explanation(&self, page: &mut Page) {
        let graph = self.graph;
        let mut line = |name: &str, text: &str| {
            page.text("  ").styled(BOLD, &format!("{name:<10}")).text(text).end();
        };
        line("because", &explain::operator_sentence(&self.decision));
        line("to change", &explain::nearest(&self.decision));
        line("rule", &self.describe_rule(graph));
        if self.printed == Printed::Visible {
            line("visible", &describe_visible(graph, self.action));
        }
        if let Some(policies) = self.describe_policies() {
            line("policies", &policies);
        }
        if let Some(review) = describe_review(graph, self.action) {
            line("review", &review);
        }
        line("graph", &format!("{} ({})", self.file.name, graph.hash.short()));
        if let Some(layer) = &graph.layer {
            line("repo", &describe_layer(layer));
        }
    }

    fn describe_rule(&self, graph: &Graph) -> String {
        let Some(rule) = graph.rule(self.action) else {
            return format!("no rule lists {}; risk {}", self.action, Rule::UNCLASSIFIED_RISK);
        };
        let (tier, undo) = (rule.tier, rule.assumed_undo());
        let mut parts =
            vec![tier.to_string(), format!("risk {}", self.risk_word()), undo.to_string()];
        parts.extend(rule.categories.iter().map(|category| category.as_str().to_owned()));
        format!("{}: {}", self.action, parts.join(", "))
    }

    /// Which policies can apply to this action, and whether one of them decided.
    fn describe_policies(&self) -> Option<String> {
        let names = self.applicable_policies();
        let all = names.join(", ");
        if names.is_empty() {
            return None;
        }
        if !self.policies_evaluated {
            return Some(format!("not evaluated without `--target`: {all}"));
        }
        Some(match self.decision.verdicts.first().map(|verdict| &verdict.basis) {
            Some(Basis::Policies(names)) => format!("decided by {}", names.join(", ")),
            Some(Basis::NotEvaluated(why)) => format!("could not be evaluated: {why}"),
            _ => format!("do not change the tier: {all}"),
        })
    }

    fn deciding_policies(&self) -> &[String] {
        match self.decision.verdicts.first().map(|verdict| &verdict.basis) {
            Some(Basis::Policies(names)) => names,
            _ => &[],
        }
    }

    fn applicable_policies(&self) -> &[String] {
        self.file.loaded.policies.as_ref().map_or(&[], |rules| rules.policy_names_for(self.action))
    }

    fn verdict_risk(&self) -> Option<Risk> {
        self.decision.verdicts.first().map(|verdict| verdict.risk)
    }

    fn risk_word(&self) -> &'static str {
        self.verdict_risk().map_or("unknown", Risk::word)
    }

    pub(super) fn to_json(&self) -> Value {
        let Decision { outcome, reason, .. } = self.decision;
        json!({
            "v": 1,
            "action": self.action,
            "confidence": self.confidence,
            "printed": self.printed,
            "outcome": outcome,
            "reason": reason,
            "exit": self.exit().code(),
            "tier": self.file.loaded.graph.rule(self.action).map(|rule| rule.tier.word()),
            "risk": self.verdict_risk(),
            "sentence": explain::operator_sentence(&self.decision),
            "nearest": explain::nearest(&self.decision),
            "policies": {
                "evaluated": self.policies_evaluated,
                "applicable": self.applicable_policies(),
                "deciding": self.deciding_policies(),
            },
            "did_you_mean": self.suggestion,
            "graph": self.file.to_json(),
        })
    }
}

/// Consent Graph's text for its word.
fn describe_tier(printed: Printed) -> &'static str {
    match printed {
        Printed::Silent => "proceed",
        Printed::Visible => "proceed and notify",
        Printed::Forced => "ask first",
        Printed::Blocked => "do not proceed",
    }
}

/// The outcome that the printed word stands for.
fn tier_outcome(printed: Printed) -> Outcome {
    match printed {
        Printed::Silent => Outcome::Allow,
        Printed::Visible => Outcome::Notify,
        Printed::Forced => Outcome::Ask,
        Printed::Blocked => Outcome::Deny,
    }
}

fn outcome_style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Allow => GREEN,
        Outcome::Notify => CYAN,
        Outcome::Ask => YELLOW,
        Outcome::Deny => RED,
    }
}

/// What the graph says about confidence. It states the context and judges nothing.
fn describe_visible(graph: &Graph, action: &Action) -> String {
    let domain = graph.domains.get(action.domain());
    let visible = graph.visible(domain);
    let meaning = match visible.policy {
        VisiblePolicy::Seed => "actions up to moderate risk proceed",
        VisiblePolicy::Reversible => {
            "reversible actions up to moderate risk proceed, unless trust is low"
        }
        VisiblePolicy::Never => "no action proceeds on confidence",
    };
    let trust = domain.and_then(|domain| domain.trust).map_or("not stated", |trust| trust.word());
    let (threshold, policy) = (visible.threshold, visible.policy);
    format!("from {threshold}, policy {policy}: {meaning}; trust {trust}")
}

fn describe_review(graph: &Graph, action: &Action) -> Option<String> {
    let Decay::AfterDays(days) = graph.decay else { return None };
    let autonomous = graph.rule(action).is_some_and(|rule| rule.tier == Tier::Autonomous);
    let date = match graph.reviewed(graph.domains.get(action.domain())) {
        LastReview::Never => "never reviewed".to_owned(),
        LastReview::On(date) => format!("last reviewed {date}"),
        LastReview::Unreadable(text) => {
            format!("the date of the last review, `{text}`, is not valid")
        }
    };
    autonomous.then(|| format!("{date}, due after {days} days"))
}
