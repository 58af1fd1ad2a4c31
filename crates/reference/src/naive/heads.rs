//! Whether grants of heads cover a line, command by command.

use super::question::ActionQuestion;
use countersign_core::model::call::Part;
use countersign_core::model::danger::DangerKind;
use countersign_core::model::grant::{Coverage, Grant};
use countersign_core::model::graph::{AskingRule, ChannelRule, Decay, LastReview};
use countersign_core::model::names::Action;
use countersign_core::model::place::{ActionOrigin, Bound, Findings, GitRemote};
use countersign_core::model::words::{Risk, Tier};

/// One command of the line that has to be covered.
struct NeededHead<'a> {
    words: &'a [String],
    /// The action of its class, if that is not the one that is decided.
    class: Option<&'a Action>,
    within: &'a [Bound],
}

/// Every command that does not pass by itself has a grant that can carry its risk. The programs of the
/// line are pinned.
pub fn are_heads_covered(q: &ActionQuestion, carries: impl Fn(&Grant, Risk) -> bool) -> bool {
    let Some(heads) = list_heads(q) else { return false };
    let is_ordinary = q.part == Part::Named
        && q.call.detectors.is_empty()
        && q.decided.findings.iter().all(|found| is_unremarkable(found))
        && (q.decided.origin == ActionOrigin::Class || q.decided.places.is_empty())
        && heads.iter().all(|head| is_possible(q, head));
    let needed: Vec<&NeededHead> = heads.iter().filter(|head| !passes_alone(q, head)).collect();
    let is_covered = |head: &&NeededHead| {
        q.facts.state.grants.iter().any(|grant| {
            let covered = heads.iter().filter(|other| names(q, grant, other));
            let risk = covered.map(|other| risk_of(q, other)).max();
            names(q, grant, head) && risk.is_some_and(|risk| carries(grant, risk))
        })
    };
    is_ordinary && !needed.is_empty() && needed.iter().all(is_covered)
}

/// None if a command has no head.
fn list_heads<'a>(q: &ActionQuestion<'a>) -> Option<Vec<NeededHead<'a>>> {
    let mut heads = Vec::new();
    for found in &q.decided.findings {
        if found.heads.is_empty() {
            return None;
        }
        let is_calls_own = q.decided.origin == ActionOrigin::Call;
        let of_line = found.class.as_ref().filter(|_| is_calls_own);
        heads.extend(found.heads.iter().map(|head| NeededHead {
            words: &head.words,
            class: head.class.as_ref().or(of_line),
            within: &head.within,
        }));
    }
    Some(heads)
}

/// The tier of an action that the graph lists, after policies.
fn tier_of(q: &ActionQuestion, action: &Action) -> Option<Tier> {
    let listed = q.graph.rules.get(action)?.tier;
    Some(q.facts.ruled.policies.get(action).map_or(listed, |by| by.tier))
}

/// A longer yes could be given to the command alone.
fn is_possible(q: &ActionQuestion, head: &NeededHead) -> bool {
    let is_grantable = |class: &Action| {
        let rule = q.graph.rules.get(class);
        let has_conditions =
            q.graph.domains.get(class.domain()).is_some_and(|domain| domain.conditions.any());
        tier_of(q, class).is_some_and(|tier| tier != Tier::Blocked)
            && !has_conditions
            && rule.is_some_and(|rule| {
                rule.risk < Risk::Critical
                    && rule.asking != AskingRule::Always
                    && rule.channel != ChannelRule::TrustedOnly
            })
    };
    head.class.is_none_or(is_grantable) && (!head.words.is_empty() || passes_alone(q, head))
}

/// Its class is autonomous and reviewed, and it stays in the workspace.
fn passes_alone(q: &ActionQuestion, head: &NeededHead) -> bool {
    let Some(class) = head.class else { return false };
    let Some(rule) = q.graph.rules.get(class) else { return false };
    let own = q.graph.domains.get(class.domain()).and_then(|domain| domain.last_reviewed.as_ref());
    let is_old = match (q.graph.decay, own.unwrap_or(&q.graph.last_reviewed)) {
        (Decay::Off, _) => false,
        (_, LastReview::Never | LastReview::Unreadable(_)) => true,
        (Decay::AfterDays(days), LastReview::On(date)) => {
            let age = q.facts.now.date().days_since(*date);
            age < 0 || age >= i64::from(days)
        }
    };
    tier_of(q, class) == Some(Tier::Autonomous)
        && rule.risk <= Risk::Moderate
        && !is_old
        && head.within.iter().all(|bound| *bound == Bound::Workspace)
}

fn risk_of(q: &ActionQuestion, head: &NeededHead) -> Risk {
    let rule = head.class.and_then(|class| q.graph.rules.get(class));
    rule.map_or(q.risk, |rule| rule.risk.min(q.risk))
}

/// The grant names this head, for this action, where the command acts.
fn names(q: &ActionQuestion, grant: &Grant, head: &NeededHead) -> bool {
    let Coverage::Head { words, action } = &grant.coverage else { return false };
    let bounds = grant.within.as_deref().unwrap_or_default();
    let contains = |bound: &Bound, act: &Bound| match (bound, act) {
        (Bound::Folder(folder), Bound::Folder(path)) => {
            path == folder || path.starts_with(&format!("{}/", folder.trim_end_matches('/')))
        }
        (_, Bound::GitRemote(GitRemote { addresses, .. })) if addresses.is_empty() => false,
        (_, Bound::Host(host)) if host.is_empty() => false,
        _ => bound == act,
    };
    let is_inside = |act: &Bound| bounds.iter().any(|bound| contains(bound, act));
    let is_here = match head.within.is_empty() {
        true => bounds.is_empty(),
        false => head.within.iter().all(is_inside),
    };
    !words.is_empty() && words == head.words && action == head.class.unwrap_or(q.action) && is_here
}

fn is_unremarkable(found: &Findings) -> bool {
    found.detectors.is_empty()
        && found.dangers.iter().all(|danger| danger.kind == DangerKind::Noted)
}
