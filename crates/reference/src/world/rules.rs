//! What policies and command rules might say: any verdict about any action, listed or not.

use super::names;
use crate::chance::Chance;
use countersign_core::model::names::Action;
use countersign_core::model::ruled::{ByCommand, ByPolicy, Firmness, Ruled};
use countersign_core::model::words::Tier;

pub fn random(chance: &mut Chance) -> Ruled {
    let all = names::ACTIONS.iter().filter_map(|name| Action::parse(name).ok());
    let some = all.filter(|_| chance.percent(30)).collect::<Vec<_>>();
    let policies = some.into_iter().filter_map(|action| Some((action, policy(chance)?))).collect();
    let command = match chance.below(10) {
        0..2 => {
            Some(ByCommand::Allowed { rules: vec!["allow git *".to_owned()], programs: vec![] })
        }
        2 => Some(ByCommand::Denied { why: "deny rm".to_owned() }),
        3 => Some(ByCommand::Protected { why: "it names our socket".to_owned() }),
        _ => None,
    };
    Ruled { policies, command }
}

fn policy(chance: &mut Chance) -> Option<ByPolicy> {
    let tier = match chance.below(10) {
        0..5 => Tier::Autonomous,
        5..9 => Tier::RequiresApproval,
        _ => Tier::Blocked,
    };
    let hold = *chance.pick(&[Firmness::Open, Firmness::Firm])?;
    Some(ByPolicy { tier, policies: vec!["p".to_owned()], hold, error: None })
}
