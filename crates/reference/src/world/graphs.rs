//! Random graphs, valid by construction: what the validation of a file refuses does not occur.

use super::names;
use crate::chance::Chance;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::{
    Asking, ChannelRule, CommandRules, Conditions, Decay, Demand, Destinations, Domain, Graph,
    Reducer, Repeat, Reviewed, Rule, StepConsent, StepRule, ToolMapping, ToolPattern, Unclassified,
    Visible, WhenIdle, WorkflowRule,
};
use countersign_core::model::names::{Action, Step, Workflow};
use countersign_core::model::time::Date;
use countersign_core::model::words::{Risk, Tier, TrustLevel, Undo, VisiblePolicy};
use std::collections::{BTreeMap, HashMap};

pub fn random(chance: &mut Chance) -> Option<Graph> {
    let rules = rules(chance)?;
    let mut domains = Vec::new();
    for name in ["mail", "files", "shell", "alerts", "self"] {
        domains.push((name.to_owned(), domain(chance, name)?));
    }
    let mut workflows = BTreeMap::new();
    for name in names::WORKFLOWS {
        workflows.insert(Workflow::parse(name).ok()?, workflow(chance, &rules)?);
    }
    let decay = if chance.percent(40) { Decay::AfterDays(30) } else { Decay::Off };
    let contacts = [("Ann".to_owned(), vec!["ann@here".to_owned(), "/tmp/a".to_owned()])];
    Some(Graph {
        hash: Digest::zero(),
        decay,
        review_days: 30,
        last_reviewed: reviewed(chance)?,
        visible: visible(chance)?,
        unclassified: if chance.percent(15) { Unclassified::Deny } else { Unclassified::Ask },
        domains: domains.into_iter().collect(),
        reducers: reducers(chance, &rules)?,
        tools: tools(chance)?,
        workflows,
        rules,
        contacts: contacts.into(),
        slash: BTreeMap::new(),
        commands: CommandRules::NONE,
    })
}

fn rules(chance: &mut Chance) -> Option<HashMap<Action, Rule>> {
    let mut rules = HashMap::new();
    for name in names::ACTIONS {
        let stays_unknown = name.ends_with("unknown") && chance.percent(50);
        if name != "odd.thing" && !stays_unknown && !chance.percent(6) {
            rules.insert(Action::parse(name).ok()?, rule(chance)?);
        }
    }
    Some(rules)
}

fn rule(chance: &mut Chance) -> Option<Rule> {
    let tier = match chance.below(100) {
        0..35 => Tier::Autonomous,
        35..92 => Tier::RequiresApproval,
        _ => Tier::Blocked,
    };
    let count = *chance.pick(&[0, 0, 1, 1, 2])?;
    let mut categories = names::categories(chance, count)?;
    // Critical rules are rare in graphs, and everything asks about them.
    categories.retain(|category| category.as_str() != "purchase" || chance.percent(20));
    let usual = match tier {
        Tier::Autonomous => Risk::Low,
        Tier::RequiresApproval => Risk::Moderate,
        Tier::Blocked => Risk::High,
    };
    let named = [Risk::ReadOnly, Risk::Low, Risk::Low, Risk::Moderate, Risk::High, Risk::Critical];
    let own = if chance.percent(50) { *chance.pick(&named)? } else { usual };
    let risk = categories.iter().map(|category| category.floor()).fold(own, Risk::max);
    let bound = tier != Tier::Blocked && chance.percent(4);
    Some(Rule {
        tier,
        risk,
        categories,
        undo: if chance.percent(60) { Undo::Reversible } else { Undo::Irreversible },
        asking: if chance.percent(5) { Asking::Always } else { Asking::ByTier },
        when_idle: if chance.percent(40) { WhenIdle::Pass } else { WhenIdle::Ask },
        channel: if bound { ChannelRule::TrustedOnly } else { ChannelRule::Any },
    })
}

fn domain(chance: &mut Chance, name: &str) -> Option<Domain> {
    let one = name == "alerts" || chance.percent(10);
    let conditions = match (name, chance.below(4)) {
        ("self", 0) => Conditions { diff: Demand::Needed, ..Conditions::NONE },
        ("self", 1) => Conditions { cooling_hours: Some(24), ..Conditions::NONE },
        ("self", 2) => Conditions { undo_days: Some(7), ..Conditions::NONE },
        (_, _) => Conditions::NONE,
    };
    let trust = *chance.pick(&[None, Some(TrustLevel::Low), Some(TrustLevel::High)])?;
    Some(Domain {
        trust,
        last_reviewed: if chance.percent(30) { Some(reviewed(chance)?) } else { None },
        visible: visible(chance)?,
        destinations: if one { Destinations::One } else { Destinations::Any },
        conditions,
    })
}

fn visible(chance: &mut Chance) -> Option<Visible> {
    let policies = [VisiblePolicy::Seed, VisiblePolicy::Reversible, VisiblePolicy::Never];
    let threshold = *chance.pick(&[0.5, 0.85, 1.0])?;
    Some(Visible { threshold, policy: *chance.pick(&policies)? })
}

/// Histories begin on the fifth of January and seldom last longer than a month.
fn reviewed(chance: &mut Chance) -> Option<Reviewed> {
    let day = Date::parse("2026-01-05")?;
    Some(match chance.below(8) {
        0 => Reviewed::Never,
        1 => Reviewed::Unreadable("soon".to_owned()),
        2 => Reviewed::On(day.plus_days(1)),
        3 => Reviewed::On(day.plus_days(-29)),
        4 => Reviewed::On(day.plus_days(-30)),
        _ => Reviewed::On(day),
    })
}

fn workflow(chance: &mut Chance, rules: &HashMap<Action, Rule>) -> Option<WorkflowRule> {
    let mut known: Vec<Action> = rules.keys().cloned().collect();
    known.sort_unstable();
    let mut steps = Vec::new();
    for name in ["first", "second"] {
        steps.push(StepRule {
            name: Step::parse(name).ok()?,
            actions: chance.some(12, &known),
            consent: match chance.percent(30) {
                true => StepConsent::Individual,
                false => StepConsent::OfTheRun,
            },
        });
    }
    Some(WorkflowRule { actions: chance.some(60, &known), steps })
}

/// None raises a risk, and none touches what is critical, blocked, channel-bound or always asked.
fn reducers(chance: &mut Chance, rules: &HashMap<Action, Rule>) -> Option<Vec<Reducer>> {
    let mut free: Vec<&Action> = rules.keys().collect();
    free.sort_unstable();
    free.retain(|action| {
        rules.get(*action).is_some_and(|rule| {
            rule.risk < Risk::Critical
                && rule.asking == Asking::ByTier
                && rule.tier != Tier::Blocked
                && rule.channel == ChannelRule::Any
        })
    });
    let mut reducers = Vec::new();
    for action in free {
        let own = rules.get(action)?.risk;
        for caller in ["shell.run", "files.write", "sh"] {
            let to = *chance.pick(&[Risk::ReadOnly, Risk::Low, Risk::Low, Risk::Moderate])?;
            if to <= own && chance.percent(45) {
                reducers.push(Reducer { caller: caller.to_owned(), action: action.clone(), to });
            }
        }
    }
    chance.shuffle(&mut reducers);
    Some(reducers)
}

fn tools(chance: &mut Chance) -> Option<Vec<ToolMapping>> {
    let patterns = [
        ToolPattern::Exact("sh".to_owned()),
        ToolPattern::Prefix("fs_".to_owned()),
        ToolPattern::Exact("fs_read".to_owned()),
        ToolPattern::Prefix("fs_read".to_owned()),
        ToolPattern::Exact("post".to_owned()),
    ];
    let mut tools = Vec::new();
    for pattern in patterns {
        let is_shell = pattern == ToolPattern::Exact("sh".to_owned());
        let (actions, categories) = (chance.below(2), chance.below(2));
        let points = |yes: bool, to: &str| yes.then(|| to.to_owned());
        tools.push(ToolMapping {
            actions: names::actions(chance, actions)?,
            categories: names::categories(chance, categories)?,
            target: points(chance.percent(50), "/to").into_iter().collect(),
            command: points(is_shell, "/cmd"),
            recipient: points(chance.percent(30), "/who"),
            amount: None,
            undo: *chance.pick(&[None, Some(Undo::Reversible), Some(Undo::Irreversible)])?,
            repeat: match chance.percent(40) {
                true => Repeat::Idempotent,
                false => Repeat::NeedsAPerson,
            },
            health: None,
            pattern,
        });
    }
    chance.shuffle(&mut tools);
    Some(tools)
}
