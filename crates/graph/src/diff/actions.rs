//! Compares actions: tier, risk, categories and the flags of their rules.

use super::{
    DiffDirection, DiffSubject, Difference, GraphPair, SubjectDiff, join_names, union_keys,
};
use countersign_core::model::category::Category;
use countersign_core::model::graph::{
    AskingRule, ChannelRule, Graph, Rule, Unclassified, WhenIdle,
};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier, Undo};

/// The verbs that decide about messages to unknown recipients, if a domain lists one of them.
pub(super) const STRANGER_VERBS: [&str; 2] = ["send_unknown", "send_to_unknown"];

pub(super) fn diff(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    for action in union_keys(graphs.old.rules.keys(), graphs.new.rules.keys()) {
        let subject = DiffSubject::Action(action.to_string());
        let mut out = SubjectDiff { subject, differences: &mut *differences };
        match (graphs.old.rule(action), graphs.new.rule(action)) {
            (Some(old), Some(new)) => diff_rule(old, new, &mut out),
            (None, Some(new)) => {
                let unlisted = describe_unlisted(graphs.old).to_owned();
                out.add("listed", unlisted, new.tier.to_string(), direction_when_added(new));
            }
            (Some(old), None) => {
                let unlisted = describe_unlisted(graphs.new).to_owned();
                out.add(
                    "listed",
                    old.tier.to_string(),
                    unlisted,
                    direction_when_removed(graphs, action, old),
                );
            }
            (None, None) => {}
        }
    }
}

const fn describe_unlisted(graph: &Graph) -> &'static str {
    match graph.unclassified {
        Unclassified::Ask => "unlisted: asks",
        Unclassified::Deny => "unlisted: denied",
    }
}

/// A listed action can be granted for longer than one call, unless it is blocked.
fn direction_when_added(new: &Rule) -> DiffDirection {
    if new.tier == Tier::Blocked { DiffDirection::Stricter } else { DiffDirection::Looser }
}

fn direction_when_removed(graphs: &GraphPair<'_>, action: &Action, old: &Rule) -> DiffDirection {
    // Without a stranger verb, messages to strangers are decided like any other message. Without a
    // blocked `send…`, that message is decided like one to a stranger.
    let blocked_message = old.tier == Tier::Blocked && action.verb().starts_with("send");
    if STRANGER_VERBS.contains(&action.verb()) || blocked_message {
        return DiffDirection::Looser;
    }
    let domain = graphs.old.domains.get(action.domain());
    let denied = old.tier == Tier::Blocked
        || old.channel == ChannelRule::TrustedOnly
        || (old.tier == Tier::RequiresApproval && domain.is_some_and(|d| d.conditions.any()));
    match graphs.new.unclassified {
        Unclassified::Deny => DiffDirection::Stricter,
        Unclassified::Ask if denied || is_stricter_than_unlisted(old) => DiffDirection::Looser,
        Unclassified::Ask => DiffDirection::Stricter,
    }
}

/// An unlisted action counts as high, and a grant for an exact command can cover it.
fn is_stricter_than_unlisted(rule: &Rule) -> bool {
    rule.risk == Risk::Critical || rule.asking == AskingRule::Always
}

/// Compares only the tier if the action is blocked in either graph: then nothing else matters.
fn diff_rule(old: &Rule, new: &Rule, out: &mut SubjectDiff<'_>) {
    out.compare("tier", old.tier, new.tier, |tier| tier.to_string());
    if old.tier == Tier::Blocked || new.tier == Tier::Blocked {
        return;
    }
    if let Some(direction) = risk_direction(old, new) {
        out.add("risk", old.risk.to_string(), new.risk.to_string(), direction);
    }
    if join_categories(&old.categories) != join_categories(&new.categories) {
        let direction = DiffDirection::from_categories(&old.categories, &new.categories);
        out.add(
            "categories",
            join_categories(&old.categories),
            join_categories(&new.categories),
            direction,
        );
    }
    let is_irreversible = |rule: &Rule| rule.assumed_undo() == Undo::Irreversible;
    out.compare("reversible", is_irreversible(old), is_irreversible(new), |no| (!no).to_string());
    let always_asks = |rule: &Rule| rule.asking == AskingRule::Always;
    out.compare("always_ask", always_asks(old), always_asks(new), bool::to_string);
    let asks_when_idle = |rule: &Rule| rule.when_idle == WhenIdle::Ask;
    out.compare("when_idle", asks_when_idle(old), asks_when_idle(new), |no| (!no).to_string());
    let is_bound = |rule: &Rule| rule.channel == ChannelRule::TrustedOnly;
    out.compare("trusted_channel_required", is_bound(old), is_bound(new), bool::to_string);
}

/// The risk of an autonomous rule is also the limit up to which its calls stay autonomous.
fn risk_direction(old: &Rule, new: &Rule) -> Option<DiffDirection> {
    let direction = DiffDirection::from_strictness(&old.risk, &new.risk)?;
    let autonomous = old.tier == Tier::Autonomous && new.tier == Tier::Autonomous;
    Some(match direction {
        DiffDirection::Stricter if autonomous && new.risk == Risk::High => DiffDirection::Looser,
        DiffDirection::Looser if autonomous && old.risk == Risk::High => DiffDirection::Unclear,
        direction => direction,
    })
}

pub(super) fn join_categories(categories: &[Category]) -> String {
    join_names(&categories.iter().map(|category| category.as_str().to_owned()).collect())
}
