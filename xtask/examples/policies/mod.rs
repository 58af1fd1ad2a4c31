//! An action with five policies: our ruling, beside the evaluations of Cedar that it needs.
//!
//! For Cedar everything is made beforehand: entities, requests and the very policies that ours are
//! compiled to. Ours begins with the facts and ends with a tier and the names behind it. The call
//! is one that is evaluated twice, as not approved and as approved.

use cedar_policy::{
    Authorizer, Context, Decision, EntityId, EntityTypeName, EntityUid, Request,
    RestrictedExpression,
};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use countersign_graph::policies::facts::{Fact, PathFacts};
use countersign_graph::policies::{ArgumentFacts, CompiledPolicies, PolicyFile, compile};
use countersign_graph::{Format, load_graph};
use std::error::Error;
use std::hint::black_box;
use std::str::FromStr;
use xtask::bench::rounds::Variant;
use xtask::bench::rules as suite;

const GRAPH: &str =
    "files: {autonomous: [read, edit], requires_approval: [delete], blocked: [wipe]}\n";

const POLICIES: &str = r#"
    @id("one")
    forbid(principal, action == Action::"files.edit", resource)
    when { !context.approved } unless { context.facts.in_workspace };
    @id("two")
    forbid(principal, action in Action::"files", resource) when { context.facts.secret };
    @id("three")
    forbid(principal, action == Action::"files.edit", resource)
    when { context.facts.under.contains("/etc") || context.facts.under.contains("~/.config") };
    @id("four")
    permit(principal, action == Action::"files.edit", resource)
    when { context.facts has name && context.facts.name == "notes.txt" };
    @id("five")
    forbid(principal, action, resource)
    when { context.facts has amount && context.facts.amount > 5000 };
"#;

const REPEATS: u32 = 16;

pub fn variants() -> Result<Vec<Variant<'static>>, Box<dyn Error>> {
    let graph = load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml)?.graph;
    let (name, shown) = ("p.cedar".to_owned(), "p.cedar".to_owned());
    let source = PolicyFile { name, display_path: shown, bytes: POLICIES.into() };
    let rules = compile(&graph, &[source]).map_err(|_| "the policies do not compile")?;
    let action = Action::parse("files.edit")?;
    let facts = [facts()];
    let found = rules.evaluate(&action, &facts).ok_or("no policy reaches the action")?;
    if (found.tier, rules.policy_names_for(&action).len()) != (Tier::RequiresApproval, 5) {
        return Err(format!("the action is ruled as {found:?}").into());
    }
    let bare = bare(&rules, &action)?;
    let ours = move || drop(black_box(rules.evaluate(black_box(&action), black_box(&facts))));
    Ok(vec![repeated(suite::EVALUATIONS, bare), repeated(suite::RULED, ours)])
}

fn repeated(name: &'static str, mut work: impl FnMut() + 'static) -> Variant<'static> {
    Variant::new(name, REPEATS, move || (0..REPEATS).for_each(|_| work()))
}

/// Two evaluations, denied and allowed, of requests that are ready.
fn bare(
    rules: &CompiledPolicies,
    action: &Action,
) -> Result<impl FnMut() + 'static, Box<dyn Error>> {
    let policies = rules.policy_set_for(action).ok_or("the action has no policies")?.clone();
    let entity = rules.action_entity(action).ok_or("the action has no entity")?;
    let entities = rules.schema().action_entities()?;
    let requests = [request(entity, false)?, request(entity, true)?];
    let authorizer = Authorizer::new();
    let mut decisions = Vec::new();
    for request in &requests {
        decisions.push(authorizer.is_authorized(request, &policies, &entities).decision());
    }
    if decisions != [Decision::Deny, Decision::Allow] {
        return Err(format!("Cedar alone says {decisions:?}").into());
    }
    Ok(move || {
        for request in &requests {
            black_box(authorizer.is_authorized(black_box(request), &policies, &entities));
        }
    })
}

/// A path six folders deep, outside of the workspace.
fn facts() -> ArgumentFacts {
    let under = under().iter().map(|folder| (*folder).to_owned()).collect();
    let facts = PathFacts {
        path: Some("/home/me/desk/notes/2026/may/a.txt".to_owned()),
        name: Some("a.txt".to_owned()),
        under,
        in_workspace: false,
        secret: false,
    };
    ArgumentFacts { path: Fact::Known(facts), ..ArgumentFacts::absent() }
}

const fn under() -> [&'static str; 8] {
    [
        "/home/me/desk/notes/2026/may/a.txt",
        "/home/me/desk/notes/2026/may",
        "/home/me/desk/notes/2026",
        "/home/me/desk/notes",
        "/home/me/desk",
        "/home/me",
        "/home",
        "/",
    ]
}

fn request(action: &EntityUid, approved: bool) -> Result<Request, Box<dyn Error>> {
    let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
    let texts = |texts: &[&str]| RestrictedExpression::new_set(texts.iter().map(|one| text(one)));
    let flag = RestrictedExpression::new_bool;
    let facts = [
        ("path", text(under()[0])),
        ("name", text("a.txt")),
        ("under", texts(&under())),
        ("in_workspace", flag(false)),
        ("secret", flag(false)),
        ("hosts", texts(&[])),
        ("local_network", flag(false)),
        ("known_recipient", flag(false)),
        ("vip", flag(false)),
        ("recipient_hosts", texts(&[])),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value));
    let facts = RestrictedExpression::new_record(facts)?;
    let pairs = [("approved".to_owned(), flag(approved)), ("facts".to_owned(), facts)];
    let of = |kind: &str| -> Result<EntityUid, Box<dyn Error>> {
        Ok(EntityUid::from_type_name_and_id(EntityTypeName::from_str(kind)?, EntityId::new("any")))
    };
    let context = Context::from_pairs(pairs)?;
    Ok(Request::new(of("Agent")?, action.clone(), of("Target")?, context, None)?)
}
