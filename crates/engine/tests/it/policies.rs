//! Policies on real arguments: links, odd addresses, odd amounts, and what an agent may try.

use crate::world::{agent, bare, call, owner, session};
use countersign_core::decide::explain;
use countersign_core::model::call::CallDraft;
use countersign_core::model::change::Change;
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::names::{Action, Project, Tool};
use countersign_core::model::proposal::{Diff, ProposalDraft};
use countersign_core::model::rule_results::PolicyResult;
use countersign_core::model::words::{Outcome, Reason, Tier};
use countersign_engine::{Engine, Memory};
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, LoadedGraph, load_graph_with_policies};
use countersign_observe::{AgentIdentity, FakeFileSystem, RealFileSystem};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const GRAPH: &str = "
rules: policies
vip_contacts: {boss: boss@example.com}
tools:
  pay: {actions: [money.pay], amount: /order/total}
  write: {actions: [files.edit], target: /path}
domains:
  files: {autonomous: [edit], requires_approval: [delete], blocked: []}
  money: {autonomous: [], requires_approval: [pay], blocked: []}
  mail: {autonomous: [send], requires_approval: [delete], blocked: [send_unknown]}
  web: {autonomous: [fetch], requires_approval: [], blocked: []}
  self: {autonomous: [tune, note], requires_approval: [], blocked: []}
";

const POLICIES: &str = r#"
@id("outside") forbid(principal, action == Action::"files.edit", resource)
when { !context.approved } unless { context.facts.in_workspace };
@id("secrets") forbid(principal, action, resource) when { context.facts.secret };
@id("scratch") permit(principal, action == Action::"files.delete", resource)
when { context.facts.under.contains("./tmp") };
@id("small") permit(principal, action == Action::"money.pay", resource)
when { context.facts has amount && context.facts.amount <= 5000 };
@id("large") forbid(principal, action == Action::"money.pay", resource)
when { context.facts has amount && context.facts.amount > 100000 };
@id("vip") forbid(principal, action == Action::"mail.delete", resource)
when { context.facts.vip };
@id("elsewhere") forbid(principal, action == Action::"web.fetch", resource)
unless { context.facts.hosts.contains("example.com") };
@id("frozen") forbid(principal, action == Action::"self.tune", resource);
"#;

fn loaded(policies: &str) -> LoadedGraph {
    let files = |_: &str| {
        let (name, display_path) = ("p.cedar".into(), "p.cedar".into());
        Ok(vec![PolicyFile { name, display_path, bytes: policies.into() }])
    };
    load_graph_with_policies("g.yaml", GRAPH.as_bytes(), Format::Yaml, &files).unwrap()
}

fn with_policies(engine: Engine<Memory>) -> Engine<Memory> {
    engine.load_graph(loaded(POLICIES)).unwrap();
    engine
}

/// Where every path is what its words say.
fn on_paper() -> Engine<Memory> {
    with_policies(
        bare()
            .with_file_system(Box::new(FakeFileSystem::without_links()))
            .with_home(Some("/home/me".into())),
    )
}

fn on(action: &str, target: &str) -> CallDraft {
    CallDraft {
        target: vec![target.into()],
        project: Some(Project::parse("/w").unwrap()),
        ..call(action)
    }
}

fn decide(engine: &Engine<Memory>, draft: &CallDraft) -> Decision {
    engine.check(draft).unwrap().decision().clone()
}

fn check(engine: &Engine<Memory>, draft: &CallDraft, (outcome, by): (Outcome, &str)) {
    let decision = decide(engine, draft);
    let basis = match by {
        "" => Basis::Rule,
        name => Basis::Policies(vec![name.to_owned()]),
    };
    let found = (decision.outcome, &decision.verdicts[0].basis);
    assert_eq!(found, (outcome, &basis), "{:?} {:?}", draft.target, draft.args);
}

const ALLOW: Outcome = Outcome::Allow;
const ASK: Outcome = Outcome::Ask;
const DENY: Outcome = Outcome::Deny;

#[test]
fn a_path_counts_by_where_it_leads() {
    let room = tempfile::tempdir().unwrap();
    let root = room.path().canonicalize().unwrap();
    let path = |below: &str| root.join(below).to_str().unwrap().to_owned();
    fs::create_dir_all(path("w/tmp")).unwrap();
    fs::create_dir_all(path("out")).unwrap();
    for (at, to) in [
        ("w/leak", "../out"),
        ("w/tmp/up", "../src"),
        ("w/loop", "loop"),
        ("w/key", "../out/id_rsa"),
    ] {
        symlink(to, Path::new(&path(at))).unwrap();
    }
    let engine = with_policies(
        bare().with_file_system(Box::new(RealFileSystem::new(AgentIdentity::current_user(), ""))),
    );
    let project = Some(Project::parse(&path("w")).unwrap());
    let at = |action, target: &str| CallDraft { project: project.clone(), ..on(action, target) };
    check(&engine, &at("files.edit", "src/a.rs"), (ALLOW, ""));
    check(&engine, &at("files.edit", &path("w/src/a.rs")), (ALLOW, ""));
    check(&engine, &at("files.edit", "leak/a.rs"), (ASK, "outside"));
    check(&engine, &at("files.edit", "tmp/../../out/a.rs"), (ASK, "outside"));
    check(&engine, &at("files.edit", "key"), (DENY, "secrets"));
    check(&engine, &at("files.delete", "tmp/a"), (ALLOW, "scratch"));
    check(&engine, &at("files.delete", "tmp/up/a"), (ASK, ""));
    // Nobody knows where these lead, so that no policy about paths permits anything.
    for (target, why) in [
        ("loop", "the path leads through more than 40 links"),
        ("src/../../out/a.rs", &format!("`..` follows `{}`, which does not exist", path("w/src"))),
    ] {
        let sentence = explain::sentence(&decide(&engine, &at("files.edit", target)));
        let expected = format!(
            "files.edit is blocked by a policy that cannot be evaluated: \
             where `{target}` leads is unknown: {why}"
        );
        assert_eq!(sentence, expected);
    }
    // A link that points elsewhere by the time of the retry.
    let waiting = engine.check(&at("files.edit", "leak/b.rs")).unwrap().call().unwrap();
    fs::remove_file(path("w/leak")).unwrap();
    symlink("../.ssh", path("w/leak")).unwrap();
    let again = engine.retry(waiting, &owner()).unwrap();
    assert_eq!(again.decision().reason, Reason::Blocked);
}

#[test]
fn a_policy_that_names_no_action_reaches_what_no_list_names() {
    let engine = on_paper();
    let decision = decide(&engine, &on("mcp.tracker.attach", "notes.md"));
    assert_eq!((decision.outcome, decision.reason), (ASK, Reason::Unclassified));
    check(&engine, &on("mcp.tracker.attach", ".env"), (DENY, "secrets"));
}

#[test]
fn of_several_targets_the_strictest_holds() {
    let engine = on_paper();
    let mut draft = on("files.edit", "a");
    draft.target.push("/etc/a".into());
    check(&engine, &draft, (ASK, "outside"));
    draft.target.push("~/.ssh/id_rsa".into());
    check(&engine, &draft, (DENY, "secrets"));
    draft.target = (0..300).map(|n| format!("a{n}")).collect();
    assert_eq!(decide(&engine, &draft).reason, Reason::Blocked);
}

/// Where our side saw the call counts, not where the session began; and it is another call there.
#[test]
fn a_relative_path_begins_where_the_call_was_seen() {
    let engine = on_paper();
    let at = |cwd: &str| CallDraft { cwd: Some(cwd.into()), ..on("files.edit", "a.md") };
    check(&engine, &at("/w/src"), (ALLOW, ""));
    check(&engine, &at("src"), (ALLOW, ""));
    let outside = engine.check(&at("/etc")).unwrap();
    assert_eq!(outside.decision().outcome, ASK);
    let state = engine.read_whole_state().unwrap();
    let digests: std::collections::BTreeSet<_> =
        state.calls.values().map(|record| record.call.digest).collect();
    assert_eq!(digests.len(), 3);
}

#[test]
fn what_a_call_declares_is_ruled_too() {
    let engine = on_paper();
    let mut draft = on("web.fetch", "https://example.com");
    draft.declares = vec![Action::parse("self.tune").unwrap()];
    assert_eq!(decide(&engine, &draft).reason, Reason::Blocked);
}

fn paying(order: Value) -> CallDraft {
    let tool = Some(Tool::parse("pay").unwrap());
    CallDraft { tool, args: json!({"order": order}), ..call("money.pay") }
}

#[test]
fn an_amount_is_read_where_the_mapping_points() {
    let engine = on_paper();
    for (total, expected) in [
        (json!(49.99), (ALLOW, "small")),
        (json!("50.00 EUR"), (ALLOW, "small")),
        (json!(51), (ASK, "")),
        (json!("1000.01"), (DENY, "large")),
        (Value::Null, (ASK, "")),
    ] {
        check(&engine, &paying(json!({"total": total})), expected);
    }
    check(&engine, &paying(json!({})), (ASK, ""));
}

/// A float that is not exact, a number beyond 64 bits, and forms that Cedar would read as an entity
/// or an extension value: no policy about amounts permits anything.
#[test]
fn an_amount_that_cannot_be_read_is_not_permitted() {
    let engine = on_paper();
    for total in [
        json!(0.1 + 0.2),
        json!(1e300),
        json!(-1),
        json!("1,000"),
        json!({"__extn": {"fn": "decimal", "arg": "1.0"}}),
        json!({"__entity": {"type": "Agent", "id": "root"}}),
        json!([1]),
        json!(true),
    ] {
        let decision = decide(&engine, &paying(json!({"total": total})));
        assert_eq!((decision.outcome, decision.reason), (DENY, Reason::Blocked), "{total}");
    }
}

#[test]
fn an_argument_stays_text_whatever_it_looks_like() {
    let engine = on_paper();
    let tool = Some(Tool::parse("write").unwrap());
    let project = Some(Project::parse("/w").unwrap());
    let path = json!({"__entity": {"type": "Target", "id": "/w/a"}});
    let draft = CallDraft { tool, project, args: json!({"path": path}), ..call("files.edit") };
    // A name like any other, in the workspace.
    check(&engine, &draft, (ALLOW, ""));
}

#[test]
fn a_host_is_the_one_that_would_be_reached() {
    let engine = on_paper();
    for (target, expected) in [
        ("https://api.example.com/x", (ALLOW, "")),
        ("https://example.com@evil.org", (DENY, "elsewhere")),
        ("https://example.com.evil.org", (DENY, "elsewhere")),
        ("https://evilexample.com", (DENY, "elsewhere")),
    ] {
        check(&engine, &on("web.fetch", target), expected);
    }
    let odd = decide(&engine, &on("web.fetch", "https://evil.org\\@example.com"));
    assert_eq!(odd.reason, Reason::Blocked);
    check(&engine, &call("web.fetch"), (DENY, "elsewhere"));
}

#[test]
fn a_contact_is_one_in_any_writing() {
    let engine = on_paper();
    for target in ["boss@example.com", "BOSS@example.com", "boss+x@example.com", "Boss"] {
        check(&engine, &on("mail.delete", target), (DENY, "vip"));
    }
    check(&engine, &on("mail.delete", "other@example.com"), (ASK, ""));
}

#[test]
fn a_proposal_is_ruled_by_its_action() {
    let engine = on_paper();
    let draft = |action: &str| ProposalDraft {
        agent: agent(),
        session: session(),
        project: None,
        action: Action::parse(action).unwrap(),
        diff: Some(Diff { before: "1".into(), after: "2".into() }),
        undo: Some("put it back".into()),
        channel: countersign_core::model::words::Channel::Untrusted,
        parking: countersign_core::model::call::Parking::Refused,
        edits: None,
    };
    assert_eq!(engine.propose(&draft("self.tune")).unwrap().1.reason, Reason::Blocked);
    assert_eq!(engine.propose(&draft("self.note")).unwrap().1.outcome, ALLOW);
}

/// The record holds what the policies said, the graph's hash holds the policies.
#[test]
fn a_decision_records_the_policies_it_was_made_under() {
    let engine = on_paper();
    decide(&engine, &on("files.edit", "/etc/a"));
    let entries = engine.read_all_entries().unwrap();
    let (_, change) = entries.last().unwrap().change().unwrap();
    let decided = entries.iter().rev().find_map(|entry| match entry.change().unwrap().1 {
        Change::CallDecided { given, ruled, .. } => Some((given.graph, ruled)),
        _ => None,
    });
    let (graph, ruled) = decided.unwrap_or_else(|| panic!("{change:?}"));
    assert_eq!(graph, loaded(POLICIES).graph.hash);
    assert_ne!(graph, loaded(&format!("{POLICIES} ")).graph.hash);
    let PolicyResult { tier, policies, .. } =
        &ruled.policies[&Action::parse("files.edit").unwrap()];
    assert_eq!((*tier, policies.as_slice()), (Tier::RequiresApproval, &["outside".to_owned()][..]));
}

#[test]
fn a_review_keeps_the_policies() {
    let engine = on_paper();
    engine.review_graph().unwrap();
    check(&engine, &on("files.edit", "/w/.env"), (DENY, "secrets"));
}

/// Without a disk nothing is known about paths, and policies about them permit nothing.
#[test]
fn an_engine_that_may_not_look_anywhere_permits_nothing_by_path() {
    let engine = with_policies(bare());
    assert_eq!(decide(&engine, &on("files.edit", "/w/a")).reason, Reason::Blocked);
    check(&engine, &on("self.note", "x"), (ALLOW, ""));
}
