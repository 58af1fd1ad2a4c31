//! Random graphs, valid by construction: none that the validation of a graph file would refuse.

use super::names;
use crate::rng::Rng;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::category::Category;
use countersign_core::model::graph::{
    AskingRule, ChannelRule, CommandRules, Conditions, Decay, Demand, Destinations, Domain, Graph,
    LastReview, Reducer, Repeat, Rule, StepConsent, StepRule, ToolMapping, ToolPattern,
    Unclassified, VisibilityRule, WhenIdle, WorkflowRule,
};
use countersign_core::model::names::{Action, StepName, Workflow};
use countersign_core::model::time::Date;
use countersign_core::model::words::{Risk, Tier, TrustLevel, Undo, VisiblePolicy};
use std::collections::{BTreeMap, HashMap};

pub fn generate_graph(rng: &mut Rng) -> Option<Graph> {
    let rules = generate_rules(rng)?;
    let mut domains = Vec::new();
    for name in ["mail", "files", "shell", "alerts", "self", "system"] {
        domains.push((name.to_owned(), generate_domain(rng, name)?));
    }
    let mut workflows = BTreeMap::new();
    for name in names::WORKFLOWS {
        workflows.insert(Workflow::parse(name).ok()?, generate_workflow(rng, &rules)?);
    }
    let decay = if rng.chance(40) { Decay::AfterDays(30) } else { Decay::Off };
    let contacts = [("Ann".to_owned(), vec!["ann@here".to_owned(), "/tmp/a".to_owned()])];
    Some(Graph {
        hash: Digest::zero(),
        decay,
        review_days: 30,
        last_reviewed: generate_review_date(rng)?,
        visible: generate_visible(rng)?,
        unclassified: if rng.chance(15) { Unclassified::Deny } else { Unclassified::Ask },
        domains: domains.into_iter().collect(),
        reducers: generate_reducers(rng, &rules)?,
        tools: generate_tools(rng)?,
        workflows,
        rules,
        contacts: contacts.into(),
        slash: BTreeMap::new(),
        commands: CommandRules::NONE,
        secrets: Vec::new(),
        guarded: Vec::new(),
        presets: BTreeMap::new(),
        preset: None,
        layer: None,
    })
}

fn generate_rules(rng: &mut Rng) -> Option<HashMap<Action, Rule>> {
    let mut rules = HashMap::new();
    for name in names::ACTIONS {
        let stays_unknown = name.ends_with("unknown") && rng.chance(50);
        if name != "odd.thing" && !stays_unknown && !rng.chance(6) {
            rules.insert(Action::parse(name).ok()?, generate_rule(rng)?);
        }
    }
    let places: &[&str] = if rng.chance(60) { &names::PLACE_ACTIONS } else { &[] };
    for name in places {
        if rng.chance(50) {
            rules.insert(Action::parse(name).ok()?, generate_rule(rng)?);
        }
    }
    Some(rules)
}

fn generate_rule(rng: &mut Rng) -> Option<Rule> {
    let tier = match rng.below(100) {
        0..35 => Tier::Autonomous,
        35..92 => Tier::RequiresApproval,
        _ => Tier::Blocked,
    };
    let count = *rng.pick(&[0, 0, 1, 1, 2])?;
    let mut categories = names::pick_categories(rng, count)?;
    // Critical rules are rare in real graphs, and every call under one asks.
    categories.retain(|category| category.as_str() != "purchase" || rng.chance(20));
    let usual = match tier {
        Tier::Autonomous => Risk::Low,
        Tier::RequiresApproval => Risk::Moderate,
        Tier::Blocked => Risk::High,
    };
    let choices =
        [Risk::ReadOnly, Risk::Low, Risk::Low, Risk::Moderate, Risk::High, Risk::Critical];
    let own = if rng.chance(50) { *rng.pick(&choices)? } else { usual };
    let risk = categories.iter().map(|category| category.floor()).fold(own, Risk::max);
    let bound = tier != Tier::Blocked && rng.chance(4);
    Some(Rule {
        tier,
        risk,
        categories,
        undo: match rng.chance(60) {
            true => Some(Undo::Reversible),
            false => *rng.pick(&[None, Some(Undo::Irreversible)])?,
        },
        asking: if rng.chance(5) { AskingRule::Always } else { AskingRule::ByTier },
        when_idle: if rng.chance(40) { WhenIdle::Pass } else { WhenIdle::Ask },
        channel: if bound { ChannelRule::TrustedOnly } else { ChannelRule::Any },
    })
}

fn generate_domain(rng: &mut Rng, name: &str) -> Option<Domain> {
    let one = name == "alerts" || rng.chance(10);
    let conditions = match (name, rng.below(4)) {
        ("self", 0) => Conditions { diff: Demand::Needed, ..Conditions::NONE },
        ("self", 1) => Conditions { cooling_hours: Some(24), ..Conditions::NONE },
        ("self", 2) => Conditions { undo_days: Some(7), ..Conditions::NONE },
        (_, _) => Conditions::NONE,
    };
    let trust = *rng.pick(&[None, Some(TrustLevel::Low), Some(TrustLevel::High)])?;
    Some(Domain {
        trust,
        last_reviewed: if rng.chance(30) { Some(generate_review_date(rng)?) } else { None },
        visible: generate_visible(rng)?,
        destinations: if one { Destinations::One } else { Destinations::Any },
        conditions,
    })
}

fn generate_visible(rng: &mut Rng) -> Option<VisibilityRule> {
    let policies = [VisiblePolicy::Seed, VisiblePolicy::Reversible, VisiblePolicy::Never];
    let threshold = *rng.pick(&[0.5, 0.85, 1.0])?;
    Some(VisibilityRule { threshold, policy: *rng.pick(&policies)? })
}

/// Scenarios start on 5 January and seldom last longer than a month.
fn generate_review_date(rng: &mut Rng) -> Option<LastReview> {
    let day = Date::parse("2026-01-05")?;
    Some(match rng.below(8) {
        0 => LastReview::Never,
        1 => LastReview::Unreadable("soon".to_owned()),
        2 => LastReview::On(day.plus_days(1)),
        3 => LastReview::On(day.plus_days(-29)),
        4 => LastReview::On(day.plus_days(-30)),
        _ => LastReview::On(day),
    })
}

fn generate_workflow(rng: &mut Rng, rules: &HashMap<Action, Rule>) -> Option<WorkflowRule> {
    let mut known: Vec<Action> = rules.keys().cloned().collect();
    known.sort_unstable();
    let mut steps = Vec::new();
    for name in ["first", "second"] {
        steps.push(StepRule {
            name: StepName::parse(name).ok()?,
            actions: rng.subset(12, &known),
            consent: match rng.chance(30) {
                true => StepConsent::Individual,
                false => StepConsent::OfTheRun,
            },
        });
    }
    Some(WorkflowRule { actions: rng.subset(60, &known), steps })
}

/// No reducer raises a risk or applies to an action that is critical, blocked, channel-bound or
/// always asked.
fn generate_reducers(rng: &mut Rng, rules: &HashMap<Action, Rule>) -> Option<Vec<Reducer>> {
    let mut free: Vec<&Action> = rules.keys().collect();
    free.sort_unstable();
    free.retain(|action| {
        rules.get(*action).is_some_and(|rule| {
            rule.risk < Risk::Critical
                && rule.asking == AskingRule::ByTier
                && rule.tier != Tier::Blocked
                && rule.channel == ChannelRule::Any
        })
    });
    let mut reducers = Vec::new();
    for action in free {
        let own = rules.get(action)?.risk;
        for caller in ["shell.run", "files.write", "sh"] {
            let to = *rng.pick(&[Risk::ReadOnly, Risk::Low, Risk::Low, Risk::Moderate])?;
            if to <= own && rng.chance(45) {
                reducers.push(Reducer { caller: caller.to_owned(), action: action.clone(), to });
            }
        }
    }
    rng.shuffle(&mut reducers);
    Some(reducers)
}

fn generate_tools(rng: &mut Rng) -> Option<Vec<ToolMapping>> {
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
        let (actions, categories) = (rng.below(2), rng.below(2));
        let points = |yes: bool, to: &str| yes.then(|| to.to_owned());
        tools.push(ToolMapping {
            actions: names::pick_actions(rng, actions)?,
            categories: match is_shell && rng.chance(60) {
                true => vec![Category::parse("shell_exec").ok()?],
                false => names::pick_categories(rng, categories)?,
            },
            target: points(rng.chance(50), "/to").into_iter().collect(),
            command: points(is_shell, "/cmd"),
            recipient: points(rng.chance(30), "/who"),
            folder: Vec::new(),
            amount: None,
            undo: *rng.pick(&[None, Some(Undo::Reversible), Some(Undo::Irreversible)])?,
            repeat: match rng.chance(40) {
                true => Repeat::Idempotent,
                false => Repeat::NeedsAPerson,
            },
            health: None,
            if_empty: None,
            declares: Vec::new(),
            pattern,
        });
    }
    rng.shuffle(&mut tools);
    Some(tools)
}
