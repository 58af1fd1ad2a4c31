//! Checks one action: do its details agree with its tier list?

use super::{LintCheck, LintFindings};
use crate::node::{DocumentNode, MapEntry, NodeValue};
use crate::problem::TextSpan;
use countersign_core::model::category::Category;
use countersign_core::model::graph::{AskingRule, Rule, WhenIdle};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier, Undo};

/// An action as a tier list names it.
pub(super) struct ListedAction<'f> {
    pub(super) action: Action,
    pub(super) span: TextSpan,
    pub(super) rule: &'f Rule,
    pub(super) detail: Option<&'f MapEntry>,
}

impl ListedAction<'_> {
    fn declared_risk(&self) -> Option<(Risk, &DocumentNode)> {
        let node = self.detail?.value.get("risk")?;
        let NodeValue::String(word) = &node.value else { return None };
        Risk::from_input(word).map(|risk| (risk, node))
    }

    /// The span of a key of the details, or of the list entry if the key is missing.
    fn key_span(&self, key: &str) -> TextSpan {
        let node = self.detail.and_then(|detail| detail.value.get(key));
        node.map_or(self.span, |node| node.span)
    }

    /// The category whose floor is the action's risk.
    fn risk_raising_category(&self) -> Option<&Category> {
        self.rule.categories.iter().find(|category| category.floor() == self.rule.risk)
    }
}

pub(super) fn lint_action(listed: &ListedAction<'_>, findings: &mut LintFindings) {
    match listed.rule.tier {
        Tier::Autonomous => check_autonomous(listed, findings),
        Tier::RequiresApproval => check_when_idle(listed, findings),
        Tier::Blocked => check_blocked(listed, findings),
    }
    check_declared_risk(listed, findings);
}

fn check_autonomous(listed: &ListedAction<'_>, findings: &mut LintFindings) {
    let ListedAction { action, span, rule, .. } = listed;
    let mut asks = |span: TextSpan, why: &str| {
        let message = format!("`{action}` is listed as autonomous but asks every time: {why}");
        findings.add(LintCheck::AutonomousThatAsks, span, message);
    };
    if rule.asking == AskingRule::Always {
        asks(listed.key_span("always_ask"), "it is marked `always_ask`");
    } else if rule.risk == Risk::Critical {
        asks(*span, "its risk is critical");
    } else if rule.risk == Risk::High && listed.declared_risk().is_none_or(|(r, _)| r < Risk::High)
    {
        let category = listed.risk_raising_category().map_or("its category", Category::as_str);
        let message =
            format!("`{action}` runs without approval, although `{category}` makes its risk high");
        findings.add(LintCheck::SilentHigh, listed.key_span("categories"), message);
    }
    if rule.when_idle == WhenIdle::Pass {
        let message = format!("`when_idle` has no effect on `{action}`: it is autonomous");
        findings.add(LintCheck::MarkWithoutEffect, listed.key_span("when_idle"), message);
    }
}

fn check_when_idle(listed: &ListedAction<'_>, findings: &mut LintFindings) {
    let ListedAction { action, rule, .. } = listed;
    if rule.when_idle == WhenIdle::Ask {
        return;
    }
    let why = if rule.asking == AskingRule::Always {
        "it is marked `always_ask`".to_owned()
    } else if rule.risk > Risk::Low {
        format!("its risk is {}, and only low risk passes", rule.risk)
    } else if rule.assumed_undo() == Undo::Irreversible {
        "it is not marked `reversible`".to_owned()
    } else {
        return;
    };
    let message = format!("`when_idle` has no effect on `{action}`: {why}");
    findings.add(LintCheck::MarkWithoutEffect, listed.key_span("when_idle"), message);
}

fn check_blocked(listed: &ListedAction<'_>, findings: &mut LintFindings) {
    let ListedAction { action, rule, .. } = listed;
    let marks = [
        ("always_ask", rule.asking == AskingRule::Always),
        ("when_idle", rule.when_idle == WhenIdle::Pass),
    ];
    for (mark, _) in marks.iter().filter(|(_, set)| *set) {
        let message = format!("`{mark}` has no effect on `{action}`: it is blocked");
        findings.add(LintCheck::MarkWithoutEffect, listed.key_span(mark), message);
    }
}

fn check_declared_risk(listed: &ListedAction<'_>, findings: &mut LintFindings) {
    let Some((declared, node)) = listed.declared_risk() else { return };
    if let Some(category) = listed.risk_raising_category().filter(|_| declared < listed.rule.risk) {
        let (action, risk) = (&listed.action, listed.rule.risk);
        let message =
            format!("`{action}` is declared as {declared} but counts as {risk}: `{category}`");
        findings.add(LintCheck::RiskWithoutEffect, node.span, message);
    }
}
