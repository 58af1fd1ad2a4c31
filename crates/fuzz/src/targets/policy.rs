//! A policy file: Cedar text for a fixed graph.
//!
//! It compiles, or is refused with positions. A compiled policy cannot lift a blocked action. An
//! added `forbid` makes no action looser, and an added `permit` makes none stricter.

use super::problems;
use crate::seeds;
use crate::target::{Features, Target, TargetResult};
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, PathFacts, RecipientFacts};
use countersign_graph::policies::{ArgumentFacts, CompiledPolicies, PolicyFile, compile};
use countersign_graph::{Format, Problems};
use std::sync::LazyLock;

pub(super) const TARGET: Target = Target {
    name: "policy",
    property: "a policy is refused with positions, or compiles and follows the precedence of Cedar",
    max_bytes: 4 << 10,
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
    seeds: || seeds::load_seeds("policy"),
    check,
};

const GRAPH: &str = "domains:
  files: {autonomous: [read, edit], requires_approval: [delete], blocked: [wipe]}
  money: {autonomous: [], requires_approval: [pay], blocked: []}
  web: {autonomous: [fetch], requires_approval: [post], blocked: []}
";

const STRICTER_POLICY: &str = "forbid(principal, action, resource) when { !context.approved };";
const LOOSER_POLICY: &str = "permit(principal, action, resource);";

fn load_graph() -> Result<&'static Graph, String> {
    static LOADED: LazyLock<Option<Graph>> = LazyLock::new(|| {
        let loaded = countersign_graph::load_graph("graph", GRAPH.as_bytes(), Format::Yaml);
        loaded.ok().map(|loaded| loaded.graph)
    });
    LOADED.as_ref().ok_or_else(|| "the graph of this target does not load".to_owned())
}

fn make_source(name: &str, bytes: &[u8]) -> PolicyFile {
    PolicyFile { name: name.to_owned(), display_path: name.to_owned(), bytes: bytes.to_vec() }
}

fn check(bytes: &[u8]) -> TargetResult {
    let mut features = Features::default();
    let policy = make_source("p.cedar", bytes);
    let rules = match compile(load_graph()?, std::slice::from_ref(&policy)) {
        Ok(rules) => rules,
        Err(files) if files.is_empty() => return Err("refused without naming a file".to_owned()),
        Err(files) => {
            files
                .iter()
                .try_for_each(|problems| problems::check_refusal(problems, &mut features))?;
            return Ok(features);
        }
    };
    features.add_size("policies", rules.names().len());
    // Compiling takes most of the time, so only one input in four is compiled with other policies.
    if !bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)).is_multiple_of(4) {
        return check_rulings(&rules, &mut features).map(|()| features);
    }
    let other = |text: &str| make_source("z.cedar", text.as_bytes());
    let stricter = compile(load_graph()?, &[policy.clone(), other(STRICTER_POLICY)])
        .map_err(unexpected_refusal)?;
    let looser =
        compile(load_graph()?, &[other(LOOSER_POLICY), policy]).map_err(unexpected_refusal)?;
    for (action, facts) in list_questions()? {
        let mut strictness_of = |rules: &CompiledPolicies| {
            check_ruling(rules, &action, &facts, &mut features).map(strictness)
        };
        let tier = strictness_of(&rules)?;
        if strictness_of(&stricter)? < tier {
            return Err(format!("a forbid makes `{action}` looser with {facts:?}"));
        }
        if strictness_of(&looser)? > tier {
            return Err(format!("a permit makes `{action}` stricter with {facts:?}"));
        }
    }
    Ok(features)
}

fn check_rulings(rules: &CompiledPolicies, features: &mut Features) -> Result<(), String> {
    for (action, facts) in list_questions()? {
        check_ruling(rules, &action, &facts, features)?;
    }
    Ok(())
}

/// Every action with every set of facts.
fn list_questions() -> Result<Vec<(Action, ArgumentFacts)>, String> {
    let names = ["files.read", "files.edit", "files.delete", "files.wipe", "money.pay", "web.post"];
    let mut questions = Vec::new();
    for name in names {
        let action = Action::parse(name).map_err(|error| error.to_string())?;
        questions.extend(list_argument_facts().map(|facts| (action.clone(), facts)));
    }
    Ok(questions)
}

fn unexpected_refusal(files: Vec<Problems>) -> String {
    format!("refused once another policy is added: `{files:?}`")
}

fn check_ruling(
    rules: &CompiledPolicies,
    action: &Action,
    facts: &ArgumentFacts,
    features: &mut Features,
) -> Result<Tier, String> {
    let facts = std::slice::from_ref(facts);
    let listed = load_graph()?.rule(action).map(|rule| rule.tier);
    let evaluated =
        rules.evaluate_including_lists(action, facts).ok_or("a listed action has no policies")?;
    match rules.evaluate(action, facts) {
        Some(ruling) if ruling != evaluated => return Err("two evaluations differ".to_owned()),
        None if Some(evaluated.tier) != listed => {
            return Err(format!(
                "no policy applies, but the tier is not the listed one: `{action}`"
            ));
        }
        Some(_) | None => {}
    }
    if listed == Some(Tier::Blocked) && evaluated.tier != Tier::Blocked {
        return Err(format!("a policy lifts a blocked action: `{action}`"));
    }
    features.add((action.as_str(), evaluated.tier.word(), evaluated.policies.len()));
    if let Some(error) = &evaluated.error {
        features.add_message("error", error);
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

/// No facts, all facts, and an unreadable path.
fn list_argument_facts() -> [ArgumentFacts; 3] {
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
    let path = Fact::Unreadable("the symbolic links form a loop".to_owned());
    let looped = ArgumentFacts { path, ..all.clone() };
    [ArgumentFacts::absent(), all, looped]
}
