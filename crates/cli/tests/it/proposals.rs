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
    assert_snapshot!(daemon.run(&["proposals", "apply", id]), @"
    stderr: error: you haven't allowed it yet
    stderr:  help: approve its request first
    exit: 1
    ");
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
    assert_snapshot!(daemon.run(&["proposals", "apply", id]), @"
    ID is applied
    exit: 0
    ");
    let shown = daemon.run(&["proposals", "show", id]);
    let shown: Vec<&str> = shown.lines().filter(|line| !line.starts_with("  id ")).collect();
    assert_snapshot!(shown.join("\n"), @"
    self.prompt
      state  applied
      agent  AGENT
      session  s1
      risk  moderate
      submitted TIME
      earliest  TIME
      applied  TIME
      undo by  TIME
      next  can be undone until TIME
      before
      | be kind
      after
      | be brief
      undo plan
      | put the old one back
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["proposals", "undo", id]), @"
    ID is undone
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["proposals", "undo", id]), @"
    stderr: error: it is undone already
    stderr:  help: there is nothing to do
    exit: 1
    ");
    assert_snapshot!(daemon.run(&["proposals"]), @"
    no agent proposes a change to itself
    exit: 0
    ");
    assert_eq!(daemon.desk.code(&["proposals", "show", "pffffff"]), 2);
}

#[test]
fn a_cooling_proposal_says_when_and_a_veto_ends_it() {
    let daemon = Daemon::on(Desk::empty().with("countersign.yaml", GRAPH), &[]);
    let id = propose(&daemon, "slow.prompt");
    let id = id.get(..7).unwrap();
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
    assert_snapshot!(daemon.run(&["proposals", "apply", id]), @"
    stderr: error: this is still cooling: it can be applied from TIME on
    stderr:  help: apply it then, or veto it
    exit: 1
    ");
    assert_snapshot!(daemon.run(&["proposals", "veto", id]), @"
    ID is vetoed
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["proposals", "--all"]), @"
    ID  STATE  AGENT  ACTION  NEXT
    ID  vetoed  AGENT  slow.prompt  -
    exit: 0
    ");
}
