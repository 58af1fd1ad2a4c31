//! One action: does its detail say the same as the list it stands in?

use super::{Check, Findings};
use crate::node::{Entry, Kind, Node};
use crate::problem::Span;
use countersign_core::model::category::Category;
use countersign_core::model::graph::{Asking, Rule, WhenIdle};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier, Undo};

/// An action at its place in a tier list.
pub(super) struct Listed<'f> {
    pub(super) action: Action,
    pub(super) span: Span,
    pub(super) rule: &'f Rule,
    pub(super) detail: Option<&'f Entry>,
}

impl Listed<'_> {
    fn written_risk(&self) -> Option<(Risk, &Node)> {
        let node = self.detail?.value.get("risk")?;
        let Kind::String(word) = &node.value else { return None };
        Risk::from_input(word).map(|risk| (risk, node))
    }

    /// Where a mark of the detail stands; the list, if there is no detail.
    fn place(&self, key: &str) -> Span {
        let node = self.detail.and_then(|detail| detail.value.get(key));
        node.map_or(self.span, |node| node.span)
    }

    /// The category that brings the risk to where it is.
    fn heaviest(&self) -> Option<&Category> {
        self.rule.categories.iter().find(|category| category.floor() == self.rule.risk)
    }
}

pub(super) fn lint(listed: &Listed<'_>, found: &mut Findings) {
    match listed.rule.tier {
        Tier::Autonomous => autonomous(listed, found),
        Tier::RequiresApproval => when_idle(listed, found),
        Tier::Blocked => blocked(listed, found),
    }
    risk_below_its_floor(listed, found);
}

fn autonomous(listed: &Listed<'_>, found: &mut Findings) {
    let Listed { action, span, rule, .. } = listed;
    let mut asks = |span: Span, why: &str| {
        let message = format!("`{action}` is listed as autonomous, and asks every time: {why}");
        found.add(Check::AutonomousThatAsks, span, message);
    };
    if rule.asking == Asking::Always {
        asks(listed.place("always_ask"), "it is marked `always_ask`");
    } else if rule.risk == Risk::Critical {
        asks(*span, "its risk is critical");
    } else if rule.risk == Risk::High && listed.written_risk().is_none_or(|(r, _)| r < Risk::High) {
        let category = listed.heaviest().map_or("its category", Category::as_str);
        let message =
            format!("`{action}` happens without a question, and `{category}` makes its risk high");
        found.add(Check::SilentHigh, listed.place("categories"), message);
    }
    if rule.when_idle == WhenIdle::Pass {
        let message = format!("`when_idle` says nothing for `{action}`: it is autonomous");
        found.add(Check::MarkWithoutEffect, listed.place("when_idle"), message);
    }
}

fn when_idle(listed: &Listed<'_>, found: &mut Findings) {
    let Listed { action, rule, .. } = listed;
    if rule.when_idle == WhenIdle::Ask {
        return;
    }
    let why = if rule.asking == Asking::Always {
        "it is marked `always_ask`".to_owned()
    } else if rule.risk > Risk::Low {
        format!("its risk is {}, and only low passes", rule.risk)
    } else if rule.undo == Undo::Irreversible {
        "it is not marked `reversible`".to_owned()
    } else {
        return;
    };
    let message = format!("`when_idle` says nothing for `{action}`: {why}");
    found.add(Check::MarkWithoutEffect, listed.place("when_idle"), message);
}

fn blocked(listed: &Listed<'_>, found: &mut Findings) {
    let Listed { action, rule, .. } = listed;
    let marks = [
        ("always_ask", rule.asking == Asking::Always),
        ("when_idle", rule.when_idle == WhenIdle::Pass),
    ];
    for (mark, _) in marks.iter().filter(|(_, set)| *set) {
        let message = format!("`{mark}` says nothing for `{action}`: it is blocked");
        found.add(Check::MarkWithoutEffect, listed.place(mark), message);
    }
}

fn risk_below_its_floor(listed: &Listed<'_>, found: &mut Findings) {
    let Some((written, node)) = listed.written_risk() else { return };
    if let Some(category) = listed.heaviest().filter(|_| written < listed.rule.risk) {
        let (action, risk) = (&listed.action, listed.rule.risk);
        let message =
            format!("`{action}` is written as {written}, and counts as {risk}: `{category}`");
        found.add(Check::RiskWithoutEffect, node.span, message);
    }
}
