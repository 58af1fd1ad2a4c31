//! The answer of a check, for people and for programs.

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::graph_file::GraphFile;
use crate::page::{BOLD, CYAN, GREEN, Page, RED, YELLOW};
use anstyle::Style;
use countersign_core::decide::explain;
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::graph::{Decay, Graph, Reviewed, Rule};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Outcome, Printed, Risk, Tier, VisiblePolicy};
use serde_json::{Value, json};

pub(super) struct Answer<'a> {
    pub action: &'a Action,
    pub confidence: f64,
    pub printed: Printed,
    pub decision: Decision,
    pub file: &'a GraphFile,
    /// Whether the graph's policies were asked.
    pub asked: bool,
    /// What was probably meant, where the graph does not list the action.
    pub meant: Option<&'a Action>,
}

impl Answer<'_> {
    pub(super) fn exit(&self) -> Exit {
        Exit::from_decision(&self.decision)
    }

    pub(super) fn page(&self, args: &CheckArgs) -> Page {
        let mut page = Page::new();
        let style = style(self.decision.outcome);
        page.styled(style.bold(), self.printed.word()).text(" -- ").text(said(self.printed)).end();
        if promised(self.printed) != self.decision.outcome {
            let Decision { outcome, reason, .. } = self.decision;
            page.text("enforced: ").styled(style, outcome.word()).text(&format!(" ({reason})"));
            page.end();
        }
        if args.explain {
            self.explain(&mut page);
        }
        page
    }

    fn explain(&self, page: &mut Page) {
        let graph = &self.file.loaded.graph;
        let mut line = |name: &str, text: &str| {
            page.text("  ").styled(BOLD, &format!("{name:<9}")).text(text).end();
        };
        line("because", &explain::sentence(&self.decision));
        line("nearest", &explain::nearest(&self.decision));
        line("rule", &self.rule(graph));
        if self.printed == Printed::Visible {
            line("visible", &visible(graph, self.action));
        }
        if let Some(policies) = self.policies() {
            line("policies", &policies);
        }
        if let Some(review) = review(graph, self.action) {
            line("review", &review);
        }
        line("graph", &format!("{} ({})", self.file.name, graph.hash.short()));
    }

    fn rule(&self, graph: &Graph) -> String {
        let Some(rule) = graph.rule(self.action) else {
            return format!("none lists {}; risk {}", self.action, Rule::UNCLASSIFIED_RISK);
        };
        let Rule { tier, undo, .. } = rule;
        let mut parts = vec![tier.to_string(), format!("risk {}", self.risk()), undo.to_string()];
        parts.extend(rule.categories.iter().map(|category| category.as_str().to_owned()));
        format!("{}: {}", self.action, parts.join(", "))
    }

    /// Which policies could speak about this action, and whether one of them decided.
    fn policies(&self) -> Option<String> {
        let reaching = self.reaching();
        let all = reaching.join(", ");
        if reaching.is_empty() {
            return None;
        }
        if !self.asked {
            return Some(format!("not asked without `--target`: {all}"));
        }
        Some(match self.decision.verdicts.first().map(|verdict| &verdict.basis) {
            Some(Basis::Policies(names)) => format!("decided by {}", names.join(", ")),
            Some(Basis::NotEvaluated(why)) => format!("could not be evaluated: {why}"),
            _ => format!("leave it as listed: {all}"),
        })
    }

    fn deciding(&self) -> &[String] {
        match self.decision.verdicts.first().map(|verdict| &verdict.basis) {
            Some(Basis::Policies(names)) => names,
            _ => &[],
        }
    }

    fn reaching(&self) -> &[String] {
        self.file.loaded.policies.as_ref().map_or(&[], |rules| rules.policy_names_for(self.action))
    }

    fn verdict_risk(&self) -> Option<Risk> {
        self.decision.verdicts.first().map(|verdict| verdict.risk)
    }

    fn risk(&self) -> &'static str {
        self.verdict_risk().map_or("unknown", Risk::word)
    }

    pub(super) fn json(&self) -> Value {
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
            "sentence": explain::sentence(&self.decision),
            "nearest": explain::nearest(&self.decision),
            "policies": {"asked": self.asked, "reaching": self.reaching(), "deciding": self.deciding()},
            "did_you_mean": self.meant,
            "graph": self.file.json(),
        })
    }
}

/// The seed's words behind its word.
fn said(printed: Printed) -> &'static str {
    match printed {
        Printed::Silent => "proceed",
        Printed::Visible => "proceed and notify",
        Printed::Forced => "ask first",
        Printed::Blocked => "do not proceed",
    }
}

/// The outcome that the printed tier stands for.
fn promised(printed: Printed) -> Outcome {
    match printed {
        Printed::Silent => Outcome::Allow,
        Printed::Visible => Outcome::Notify,
        Printed::Forced => Outcome::Ask,
        Printed::Blocked => Outcome::Deny,
    }
}

fn style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Allow => GREEN,
        Outcome::Notify => CYAN,
        Outcome::Ask => YELLOW,
        Outcome::Deny => RED,
    }
}

/// What confidence is worth here. The facts, not a second judgement.
fn visible(graph: &Graph, action: &Action) -> String {
    let domain = graph.domains.get(action.domain());
    let visible = graph.visible(domain);
    let meaning = match visible.policy {
        VisiblePolicy::Seed => "up to moderate risk it proceeds",
        VisiblePolicy::Reversible => {
            "only what is reversible, up to moderate risk and not of low trust proceeds"
        }
        VisiblePolicy::Never => "confidence never proceeds",
    };
    let trust = domain.and_then(|domain| domain.trust).map_or("not stated", |trust| trust.word());
    let (least, policy) = (visible.threshold, visible.policy);
    format!("from {least}, policy {policy}: {meaning}; trust {trust}")
}

fn review(graph: &Graph, action: &Action) -> Option<String> {
    let Decay::AfterDays(days) = graph.decay else { return None };
    let autonomous = graph.rule(action).is_some_and(|rule| rule.tier == Tier::Autonomous);
    let date = match graph.reviewed(graph.domains.get(action.domain())) {
        Reviewed::Never => "never reviewed".to_owned(),
        Reviewed::On(date) => format!("last reviewed {date}"),
        Reviewed::Unreadable(text) => format!("last reviewed on a date nobody can read, `{text}`"),
    };
    autonomous.then(|| format!("{date}, due after {days} days"))
}
