//! What an agent hears where no story can go.

use crate::world::{bare, call, engine, grant, graph, owner, session};
use countersign_core::model::call::{CallDraft, Definition, DefinitionChange};
use countersign_core::model::category::Category;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::names::Tool;
use countersign_core::model::words::{Outcome, Reason, Risk, Undo};
use countersign_engine::{Engine, Memory};
use countersign_observe::FakeFileSystem;
use serde_json::json;

fn heard(engine: &Engine<Memory>, draft: &CallDraft) -> (Outcome, Reason) {
    let checked = engine.check(draft).unwrap();
    (checked.decision().outcome, checked.decision().reason)
}

fn with_grant(coverage: &Coverage) -> Engine<Memory> {
    let engine = engine();
    engine.open_session(&owner(), None).unwrap();
    let terms = (Scope::Session, None, Confirmation::Plain);
    grant(&engine, session(), coverage.clone(), terms);
    engine
}

#[test]
fn without_a_graph_nothing_passes() {
    assert_eq!(heard(&bare(), &call("files.read")), (Outcome::Deny, Reason::NoGraph));
}

#[test]
fn our_own_files_are_out_of_reach() {
    let engine = bare()
        .with_file_system(Box::new(FakeFileSystem::without_links()))
        .with_protected_paths(vec!["/etc/countersign".into()]);
    engine.load_graph(graph()).unwrap();
    for (target, expected) in [
        ("/etc/countersign", (Outcome::Deny, Reason::SelfProtection)),
        ("/etc/countersign/graph.yaml", (Outcome::Deny, Reason::SelfProtection)),
        ("/etc/countersigned", (Outcome::Allow, Reason::Autonomous)),
    ] {
        let mut read = call("files.read");
        read.target = vec![target.into()];
        assert_eq!(heard(&engine, &read), expected, "{target}");
    }
}

#[test]
fn a_changed_tool_asks_whatever_was_granted() {
    let engine = with_grant(&Coverage::Everything);
    let mut write = call("files.write");
    assert_eq!(heard(&engine, &write), (Outcome::Allow, Reason::Granted));
    write.observed.definition = Definition::Changed(DefinitionChange::default());
    assert_eq!(heard(&engine, &write), (Outcome::Ask, Reason::ToolChanged));
}

#[test]
fn a_category_that_the_agent_claims_is_covered_by_no_category_grant() {
    let category = Category::parse("filesystem_write").unwrap();
    let engine = with_grant(&Coverage::Category(category.clone()));
    let mut write = call("files.write");
    write.observed.categories = vec![category.clone()];
    assert_eq!(heard(&engine, &write), (Outcome::Allow, Reason::Granted));
    write.claims.categories = vec![Category::parse("git_write").unwrap()];
    assert_eq!(heard(&engine, &write), (Outcome::Ask, Reason::NoGrant));
    write.observed.categories = Vec::new();
    write.claims.categories = vec![category];
    assert_eq!(heard(&engine, &write), (Outcome::Ask, Reason::NoGrant));
}

#[test]
fn what_an_agent_says_only_makes_it_stricter() {
    let mut claims: Vec<(&str, CallDraft)> = Vec::new();
    let mut low = call("files.write");
    low.claims.risk = Some(Risk::ReadOnly);
    claims.push(("low risk", low));
    let mut reversible = call("files.write");
    reversible.claims.undo = Some(Undo::Reversible);
    reversible.claims.confidence = 1.0;
    claims.push(("reversible", reversible));
    for (what, draft) in claims {
        assert_eq!(heard(&engine(), &draft).0, Outcome::Ask, "{what}");
    }
    let mut high = call("files.read");
    high.claims.risk = Some(Risk::High);
    assert_eq!(heard(&engine(), &high).0, Outcome::Ask);
}

#[test]
fn a_command_line_comes_out_of_the_arguments_that_the_graph_points_at() {
    let argv = vec!["make".to_owned(), "check".to_owned()];
    let engine = with_grant(&Coverage::Command { argv, cwd: None, action: None });
    let mut shell = call("files.write");
    shell.tool = Some(Tool::parse("sh").unwrap());
    shell.args = json!({"line": "make  check"});
    assert_eq!(heard(&engine, &shell), (Outcome::Allow, Reason::Granted));
    shell.args = json!({"line": "make check; id"});
    assert_eq!(heard(&engine, &shell), (Outcome::Ask, Reason::NoGrant));
}
