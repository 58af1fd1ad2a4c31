//! Actions: tier, risk, categories, and what else their rule demands or spares.

use super::{Difference, Differences, Pair, Subject, Turn, either, listed};
use countersign_core::model::category::Category;
use countersign_core::model::graph::{Asking, ChannelRule, Graph, Rule, Unclassified, WhenIdle};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier, Undo};

/// What a message to a stranger is decided as, where a domain lists one of them.
pub(super) const STRANGERS: [&str; 2] = ["send_unknown", "send_to_unknown"];

pub(super) fn diff(graphs: &Pair<'_>, found: &mut Vec<Difference>) {
    for action in either(graphs.old.rules.keys(), graphs.new.rules.keys()) {
        let subject = Subject::Action(action.to_string());
        let mut out = Differences { subject, found: &mut *found };
        match (graphs.old.rule(action), graphs.new.rule(action)) {
            (Some(old), Some(new)) => changed((old, new), &mut out),
            (None, Some(new)) => {
                let unlisted = unlisted(graphs.old).to_owned();
                out.add("listed", (unlisted, new.tier.to_string()), added(new));
            }
            (Some(old), None) => {
                let unlisted = unlisted(graphs.new).to_owned();
                out.add("listed", (old.tier.to_string(), unlisted), removed(graphs, action, old));
            }
            (None, None) => {}
        }
    }
}

const fn unlisted(graph: &Graph) -> &'static str {
    match graph.unclassified {
        Unclassified::Ask => "unlisted: asks",
        Unclassified::Deny => "unlisted: denied",
    }
}

/// What is listed can be granted for longer than once, unless it is blocked.
fn added(new: &Rule) -> Turn {
    if new.tier == Tier::Blocked { Turn::Stricter } else { Turn::Looser }
}

fn removed(graphs: &Pair<'_>, action: &Action, old: &Rule) -> Turn {
    // Without the one, a message to a stranger is decided like any other; without the other, a
    // message that was blocked is decided like one to a stranger.
    let blocked_message = old.tier == Tier::Blocked && action.verb().starts_with("send");
    if STRANGERS.contains(&action.verb()) || blocked_message {
        return Turn::Looser;
    }
    let domain = graphs.old.domains.get(action.domain());
    let denied = old.tier == Tier::Blocked
        || old.channel == ChannelRule::TrustedOnly
        || (old.tier == Tier::RequiresApproval && domain.is_some_and(|d| d.conditions.any()));
    match graphs.new.unclassified {
        Unclassified::Deny => Turn::Stricter,
        Unclassified::Ask if denied || asks_for_more_than_unlisted(old) => Turn::Looser,
        Unclassified::Ask => Turn::Stricter,
    }
}

/// An unlisted action counts as high, and an exact command carries it.
fn asks_for_more_than_unlisted(rule: &Rule) -> bool {
    rule.risk == Risk::Critical || rule.asking == Asking::Always
}

/// Of a blocked action nothing else counts.
fn changed((old, new): (&Rule, &Rule), out: &mut Differences<'_>) {
    out.ordered("tier", (old.tier, new.tier), |tier| tier.to_string());
    if old.tier == Tier::Blocked || new.tier == Tier::Blocked {
        return;
    }
    if let Some(turn) = risk(old, new) {
        out.add("risk", (old.risk.to_string(), new.risk.to_string()), turn);
    }
    if names(&old.categories) != names(&new.categories) {
        let turn = Turn::of_categories(&old.categories, &new.categories);
        out.add("categories", (names(&old.categories), names(&new.categories)), turn);
    }
    let irreversible = |rule: &Rule| rule.undo == Undo::Irreversible;
    out.ordered("reversible", (irreversible(old), irreversible(new)), |no| (!no).to_string());
    let always = |rule: &Rule| rule.asking == Asking::Always;
    out.ordered("always_ask", (always(old), always(new)), bool::to_string);
    let waits = |rule: &Rule| rule.when_idle == WhenIdle::Ask;
    out.ordered("when_idle", (waits(old), waits(new)), |no| (!no).to_string());
    let bound = |rule: &Rule| rule.channel == ChannelRule::TrustedOnly;
    out.ordered("trusted_channel_required", (bound(old), bound(new)), bool::to_string);
}

/// The risk that an autonomous rule names is also how far a call of it may raise itself.
fn risk(old: &Rule, new: &Rule) -> Option<Turn> {
    let turn = Turn::towards(&old.risk, &new.risk)?;
    let autonomous = old.tier == Tier::Autonomous && new.tier == Tier::Autonomous;
    Some(match turn {
        Turn::Stricter if autonomous && new.risk == Risk::High => Turn::Looser,
        Turn::Looser if autonomous && old.risk == Risk::High => Turn::Unclear,
        turn => turn,
    })
}

pub(super) fn names(categories: &[Category]) -> String {
    listed(&categories.iter().map(|category| category.as_str().to_owned()).collect())
}
