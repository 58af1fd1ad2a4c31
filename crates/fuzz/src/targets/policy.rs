//! A policy file: Cedar text beside a fixed graph.
//!
//! It compiles or is refused with places. What compiles keeps what the lists block, becomes no
//! looser by a `forbid` behind it and no stricter by a `permit` before it.

use super::places;
use crate::seeds;
use crate::target::{Held, Target, Traits};
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, PathFacts, RecipientFacts};
use countersign_graph::policies::{ArgumentFacts, CompiledPolicies, PolicyFile, compile};
use countersign_graph::{Format, Problems};
use std::sync::LazyLock;

pub(super) const TARGET: Target = Target {
    name: "policy",
    what: "a policy is refused with places, or compiles and keeps to the order of Cedar",
    longest: 4 << 10,
    words: &[
        "permit(principal, action, resource);",
        "forbid(principal, action, resource)",
        " when { ",
        " unless { ",
        " };",
        "context.facts.",
        "context.approved",
        " has ",
        " like ",
        " in ",
        " is ",
        ".contains(",
        ".containsAll(",
        ".isEmpty()",
        "@id(\"x\") ",
        "Action::\"files\"",
        "?principal",
        "ip(\"::1\")",
        "decimal(\"1.0\")",
        "datetime(\"2026-01-01\")",
        " && ",
        " || ",
        "if true then ",
        " else ",
        "-9223372036854775808",
        "/*",
        "\\*",
        "\\\"",
        "\\u{62}",
        "\\0",
    ],
    seeds: || seeds::own("policy"),
    hold,
};

const GRAPH: &str = "domains:
  files: {autonomous: [read, edit], requires_approval: [delete], blocked: [wipe]}
  money: {autonomous: [], requires_approval: [pay], blocked: []}
  web: {autonomous: [fetch], requires_approval: [post], blocked: []}
";

const STRICTER: &str = "forbid(principal, action, resource) when { !context.approved };";
const LOOSER: &str = "permit(principal, action, resource);";

fn graph() -> Result<&'static Graph, String> {
    static READ: LazyLock<Option<Graph>> = LazyLock::new(|| {
        let loaded = countersign_graph::load_graph("graph", GRAPH.as_bytes(), Format::Yaml);
        loaded.ok().map(|loaded| loaded.graph)
    });
    READ.as_ref().ok_or_else(|| "the graph of this target does not load".to_owned())
}

fn source(name: &str, bytes: &[u8]) -> PolicyFile {
    PolicyFile { name: name.to_owned(), display_path: name.to_owned(), bytes: bytes.to_vec() }
}

fn hold(bytes: &[u8]) -> Held {
    let mut traits = Traits::default();
    let given = source("p.cedar", bytes);
    let rules = match compile(graph()?, std::slice::from_ref(&given)) {
        Ok(rules) => rules,
        Err(files) if files.is_empty() => return Err("it is refused without a file".to_owned()),
        Err(files) => {
            files.iter().try_for_each(|problems| places::refused(problems, &mut traits))?;
            return Ok(traits);
        }
    };
    traits.count("policies", rules.names().len());
    // Compiling takes most of the time, so that one in four is compiled with others too.
    if !bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)).is_multiple_of(4) {
        return each(&rules, &mut traits).map(|()| traits);
    }
    let other = |text: &str| source("z.cedar", text.as_bytes());
    let stricter = compile(graph()?, &[given.clone(), other(STRICTER)]).map_err(refused)?;
    let looser = compile(graph()?, &[other(LOOSER), given]).map_err(refused)?;
    for (action, facts) in questions()? {
        let mut ask =
            |rules: &CompiledPolicies| asked(rules, &action, &facts, &mut traits).map(strictness);
        let tier = ask(&rules)?;
        if ask(&stricter)? < tier {
            return Err(format!("a forbid makes it looser: `{action}` {facts:?}"));
        }
        if ask(&looser)? > tier {
            return Err(format!("a permit makes it stricter: `{action}` {facts:?}"));
        }
    }
    Ok(traits)
}

fn each(rules: &CompiledPolicies, traits: &mut Traits) -> Result<(), String> {
    for (action, facts) in questions()? {
        asked(rules, &action, &facts, traits)?;
    }
    Ok(())
}

/// Every action, in every situation.
fn questions() -> Result<Vec<(Action, ArgumentFacts)>, String> {
    let names = ["files.read", "files.edit", "files.delete", "files.wipe", "money.pay", "web.post"];
    let mut questions = Vec::new();
    for name in names {
        let action = Action::parse(name).map_err(|error| error.to_string())?;
        questions.extend(situations().map(|facts| (action.clone(), facts)));
    }
    Ok(questions)
}

fn refused(files: Vec<Problems>) -> String {
    format!("one more policy and it is refused: `{files:?}`")
}

fn asked(
    rules: &CompiledPolicies,
    action: &Action,
    facts: &ArgumentFacts,
    traits: &mut Traits,
) -> Result<Tier, String> {
    let facts = std::slice::from_ref(facts);
    let listed = graph()?.rule(action).map(|rule| rule.tier);
    let evaluated =
        rules.evaluate_including_lists(action, facts).ok_or("a listed action has no slice")?;
    match rules.evaluate(action, facts) {
        Some(ruling) if ruling != evaluated => return Err("two answers to one question".to_owned()),
        None if Some(evaluated.tier) != listed => {
            return Err(format!("no policy reaches it, and it is not as listed: `{action}`"));
        }
        Some(_) | None => {}
    }
    if listed == Some(Tier::Blocked) && evaluated.tier != Tier::Blocked {
        return Err(format!("a policy lifts what the lists block: `{action}`"));
    }
    traits.note((action.as_str(), evaluated.tier.word(), evaluated.policies.len()));
    if let Some(error) = &evaluated.error {
        traits.say("error", error);
    }
    Ok(evaluated.tier)
}

const fn strictness(tier: Tier) -> u8 {
    match tier {
        Tier::Autonomous => 0,
        Tier::RequiresApproval => 1,
        Tier::Blocked => 2,
    }
}

/// Nothing known, all of it, and what cannot be read.
fn situations() -> [ArgumentFacts; 3] {
    let under = ["/w/a", "/w", "/"].map(str::to_owned).to_vec();
    let path = PathFacts {
        path: Some("/w/a".to_owned()),
        name: Some("a".to_owned()),
        under,
        in_workspace: true,
        secret: false,
    };
    let host = HostFacts {
        host: "api.example.com".to_owned(),
        hosts: ["api.example.com", "example.com", "com"].map(str::to_owned).to_vec(),
        scheme: Some("https".to_owned()),
        port: Some(8443),
        local_network: false,
    };
    let recipient =
        RecipientFacts { known: true, vip: true, hosts: vec!["example.com".to_owned()] };
    let amount = AmountFacts { minor_units: i64::MAX, currency: Some("EUR".to_owned()) };
    let all = ArgumentFacts {
        path: Fact::Known(path),
        host: Fact::Known(host),
        recipient: Fact::Known(recipient),
        amount: Fact::Known(amount),
        branch: Fact::Known("main".to_owned()),
    };
    let path = Fact::Unreadable("a link leads in a circle".to_owned());
    let looped = ArgumentFacts { path, ..all.clone() };
    [ArgumentFacts::absent(), all, looped]
}
