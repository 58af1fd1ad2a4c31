//! `proposals`: what agents propose to change about themselves, as the operator handles it.

use crate::daemon::Daemon;
use crate::desk::Desk;
use countersign_client::Connection;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

const GRAPH: &str = "\
domains:
  self: {autonomous: [], requires_approval: [prompt], blocked: [], undo_window_days: 7}
  slow: {autonomous: [], requires_approval: [prompt], blocked: [], cooling_period_hours: 2}
";

fn propose(daemon: &Daemon, action: &str) -> String {
    let socket = daemon.desk.path("data/agent.sock");
    let draft = json!({
        "session": "s1", "action": action,
        "diff": {"before": "be kind", "after": "be brief"}, "undo": "put the old one back",
    });
    let connection = Connection::new(&socket, Duration::from_secs(20));
    let proposed: Value = connection.post("/v1/proposals", &draft).unwrap();
    proposed["proposal_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_proposal_is_listed_shown_applied_and_undone() {
    let daemon = Daemon::on(Desk::empty().with("countersign.yaml", GRAPH), &[]);
    assert_snapshot!(daemon.run(&["proposals"]), @"
    no agent proposes a change to itself
    exit: 0
    ");
    let id = propose(&daemon, "self.prompt");
    let id = id.get(..7).unwrap();
    assert_snapshot!(daemon.run(&["proposals", "ls"]), @"
    ID  STATE  AGENT  ACTION  NEXT
    ID  waiting  AGENT  self.prompt  countersign approve ID
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["proposals", "apply", id]), @"");
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
    assert_snapshot!(daemon.run(&["proposals", "apply", id]), @"");
    assert_snapshot!(daemon.run(&["proposals", "show", id]), @"");
    assert_snapshot!(daemon.run(&["proposals", "undo", id]), @"");
    assert_snapshot!(daemon.run(&["proposals", "undo", id]), @"");
    assert_snapshot!(daemon.run(&["proposals"]), @"");
    assert_eq!(daemon.desk.code(&["proposals", "show", "pffffff"]), 2);
}

#[test]
fn a_cooling_proposal_says_when_and_a_veto_ends_it() {
    let daemon = Daemon::on(Desk::empty().with("countersign.yaml", GRAPH), &[]);
    let id = propose(&daemon, "slow.prompt");
    let id = id.get(..7).unwrap();
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
    assert_snapshot!(daemon.run(&["proposals", "apply", id]), @"");
    assert_snapshot!(daemon.run(&["proposals", "veto", id]), @"");
    assert_snapshot!(daemon.run(&["proposals", "--all"]), @"");
}
