//! Random results of policies and command rules, about any action, listed or not, and findings.

use super::findings::set_random_findings;
use super::names;
use crate::rng::Rng;
use countersign_core::model::names::Action;
use countersign_core::model::rule_results::{
    CommandRuleResult, Firmness, FolderPlace, OwnFileResult, PolicyResult, RuleResults,
};
use countersign_core::model::words::Tier;

pub fn generate_rulings(rng: &mut Rng) -> Option<RuleResults> {
    let all = names::ACTIONS
        .iter()
        .chain(&names::PLACE_ACTIONS)
        .filter_map(|name| Action::parse(name).ok());
    let some = all.filter(|_| rng.chance(30)).collect::<Vec<_>>();
    let policies = some
        .into_iter()
        .filter_map(|action| Some((action, generate_policy_ruling(rng)?)))
        .collect();
    let command = match rng.below(10) {
        0..2 => Some(CommandRuleResult::Allowed {
            rules: vec!["allow git *".to_owned()],
            programs: vec![],
        }),
        2 => Some(CommandRuleResult::Denied { why: "deny rm".to_owned() }),
        3 => Some(CommandRuleResult::Protected { why: "it names our socket".to_owned() }),
        _ => None,
    };
    let target = match rng.below(20) {
        0 => Some(OwnFileResult::Protected { own: "/var/ours".to_owned() }),
        1..5 => {
            Some(OwnFileResult::Unresolved { why: "it leads through too many links".to_owned() })
        }
        _ => None,
    };
    let folder = match rng.chance(40) {
        true => FolderPlace::InWorkspace,
        false => FolderPlace::Elsewhere,
    };
    let mut ruled = RuleResults { policies, command, target, folder, ..RuleResults::default() };
    if rng.chance(60) {
        set_random_findings(&mut ruled, rng)?;
    }
    Some(ruled)
}

fn generate_policy_ruling(rng: &mut Rng) -> Option<PolicyResult> {
    let tier = match rng.below(10) {
        0..5 => Tier::Autonomous,
        5..9 => Tier::RequiresApproval,
        _ => Tier::Blocked,
    };
    let hold = *rng.pick(&[Firmness::Open, Firmness::Firm])?;
    Some(PolicyResult { tier, policies: vec!["p".to_owned()], hold, error: None })
}
