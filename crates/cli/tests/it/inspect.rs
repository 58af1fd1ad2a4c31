//! `inspect`: the history of permissions and tools; and `graph lint --seen`.

use crate::desk::Desk;
use crate::tale::{GRAPH, Tale, masked};
use countersign_core::model::grant::{Coverage, Scope};
use insta::assert_snapshot;

fn desk_with_record() -> Desk {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    drop(Tale::whole(&desk));
    desk
}

fn inspect(desk: &Desk, words: &[&str]) -> String {
    masked(&desk.run(&[&["inspect"], words].concat()))
}

#[test]
fn permissions_are_events_with_one_id_for_each_question() {
    let desk = desk_with_record();
    assert_snapshot!(inspect(&desk, &["--trace"]), @r#"
    2026-01-05T09:00:03Z  permission_requested       g000006019b8d628a2070008000000000  request=r001005019b8d62863870018000000000  action=email.send  scope_requested=this_call
    2026-01-05T09:00:04Z  permission_granted         g000006019b8d628a2070008000000000  scope_granted=this_call  grant=g000006019b8d628a2070008000000000  covers="one exact call: sending mail"
    2026-01-05T09:00:05Z  permission_grant_consumed  g000006019b8d628a2070008000000000  consuming_tool_call_id=c000005019b8d62863870008000000000
    2026-01-05T09:00:07Z  permission_requested       g00000a019b8d6299c070008000000000  request=r000009019b8d6295d870008000000000  action="write the \u{202e}docs"  category=filesystem_write  scope_requested=this_session  reasoning="they are \u001b[31mstale"  fallback="leave them"
    2026-01-05T09:00:08Z  permission_granted         g00000a019b8d6299c070008000000000  scope_granted=this_session  operator_note="only the docs"  grant=g00000a019b8d6299c070008000000000  covers="writing files"
    2026-01-05T09:00:09Z  permission_revoked         g00000a019b8d6299c070008000000000
    2026-01-05T09:00:10Z  permission_requested       r00100c019b8d62a19070018000000000  request=r00100c019b8d62a19070018000000000  action=email.delete  scope_requested=this_call
    2026-01-05T09:00:11Z  permission_denied          r00100c019b8d62a19070018000000000  operator_note="not\u001b[2J today"
    exit: 0
    "#);
    assert_snapshot!(inspect(&desk, &["--trace", "--json", "--session", "s1"]), @r#"
    {"event":"permission_requested","grant_id":"g000006019b8d628a2070008000000000","request":"r001005019b8d62863870018000000000","action":"email.send","category":null,"scope_requested":"this_call","reasoning":"","fallback":"","at":"2026-01-05T09:00:03Z","session":"s1","seq":6}
    {"event":"permission_granted","grant_id":"g000006019b8d628a2070008000000000","scope_granted":"this_call","operator_note":"","grant":"g000006019b8d628a2070008000000000","covers":"one exact call: sending mail","at":"2026-01-05T09:00:04Z","session":"s1","seq":8}
    {"event":"permission_grant_consumed","grant_id":"g000006019b8d628a2070008000000000","consuming_tool_call_id":"c000005019b8d62863870008000000000","at":"2026-01-05T09:00:05Z","session":"s1","seq":10}
    {"event":"permission_requested","grant_id":"g00000a019b8d6299c070008000000000","request":"r000009019b8d6295d870008000000000","action":"write the \u202edocs","category":"filesystem_write","scope_requested":"this_session","reasoning":"they are \u001b[31mstale","fallback":"leave them","at":"2026-01-05T09:00:07Z","session":"s1","seq":13}
    {"event":"permission_granted","grant_id":"g00000a019b8d6299c070008000000000","scope_granted":"this_session","operator_note":"only the docs","grant":"g00000a019b8d6299c070008000000000","covers":"writing files","at":"2026-01-05T09:00:08Z","session":"s1","seq":15}
    {"event":"permission_revoked","grant_id":"g00000a019b8d6299c070008000000000","revoked_at":"2026-01-05T09:00:09Z","session":"s1","seq":16}
    {"event":"permission_requested","grant_id":"r00100c019b8d62a19070018000000000","request":"r00100c019b8d62a19070018000000000","action":"email.delete","category":null,"scope_requested":"this_call","reasoning":"","fallback":"","at":"2026-01-05T09:00:10Z","session":"s1","seq":18}
    {"event":"permission_denied","grant_id":"r00100c019b8d62a19070018000000000","operator_note":"not\u001b[2J today","at":"2026-01-05T09:00:11Z","session":"s1","seq":19}
    exit: 0
    "#);
    assert_snapshot!(inspect(&desk, &["--trace", "--session", "s2"]), @"exit: 0");
}

#[test]
fn permissions_are_rows_of_question_answer_grant_uses_and_end() {
    let desk = desk_with_record();
    assert_snapshot!(inspect(&desk, &["--permissions"]), @r#"
    ID                                 SESSION  ASKED                     ANSWER    GRANT                         SCOPE    TURN  USES  END
    g000006019b8d628a2070008000000000  s1       email.send                approved  one exact call: sending mail  once     0     1     used up
    g00000a019b8d6299c070008000000000  s1       "write the \u{202e}docs"  approved  writing files                 session  0     0     revoked 2026-01-05T09:00:09Z
    r00100c019b8d62a19070018000000000  s1       email.delete              declined  -                             -        -     -     -
    exit: 0
    "#);
    assert_snapshot!(inspect(&desk, &["--permissions", "--json"]), @r#"
    {"v":1,"permissions":[{"grant_id":"g000006019b8d628a2070008000000000","request":"r001005019b8d62863870018000000000","session":"s1","action":"email.send","category":null,"scope_requested":"this_call","requested_at":"2026-01-05T09:00:03Z","answer":"approved","answered_at":"2026-01-05T09:00:04Z","operator_note":"","scope_granted":"this_call","grants":[{"grant":"g000006019b8d628a2070008000000000","covers":"one exact call: sending mail","scope":"once","source":"answer","granted_turn":0,"uses":1,"end":"used up"}]},{"grant_id":"g00000a019b8d6299c070008000000000","request":"r000009019b8d6295d870008000000000","session":"s1","action":"write the \u202edocs","category":"filesystem_write","scope_requested":"this_session","requested_at":"2026-01-05T09:00:07Z","answer":"approved","answered_at":"2026-01-05T09:00:08Z","operator_note":"only the docs","scope_granted":"this_session","grants":[{"grant":"g00000a019b8d6299c070008000000000","covers":"writing files","scope":"session","source":"ahead","granted_turn":0,"uses":0,"end":"revoked 2026-01-05T09:00:09Z"}]},{"grant_id":"r00100c019b8d62a19070018000000000","request":"r00100c019b8d62a19070018000000000","session":"s1","action":"email.delete","category":null,"scope_requested":"this_call","requested_at":"2026-01-05T09:00:10Z","answer":"declined","answered_at":"2026-01-05T09:00:11Z","operator_note":"not\u001b[2J today","scope_granted":null,"grants":[]}]}
    exit: 0
    "#);
}

#[test]
fn a_grant_without_a_question_has_its_own_id() {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    let tale = Tale::on(&desk);
    tale.grant(Coverage::Everything, Scope::Session);
    tale.check("email.send", None);
    drop(tale);
    assert_snapshot!(inspect(&desk, &["--permissions"]), @"
    ID                                 SESSION  ASKED      ANSWER  GRANT                           SCOPE    TURN  USES  END
    g000003019b8d627a8070008000000000  s1       not asked  -       everything up to moderate risk  session  0     1     ended 2026-01-06T09:00:00Z
    exit: 0
    ");
    assert_snapshot!(inspect(&desk, &["--trace"]), @r#"
    2026-01-05T09:00:00Z  permission_granted         g000003019b8d627a8070008000000000  scope_granted=this_session  grant=g000003019b8d627a8070008000000000  covers="everything up to moderate risk"
    2026-01-05T09:00:01Z  permission_grant_consumed  g000003019b8d627a8070008000000000  consuming_tool_call_id=c000004019b8d627e6870008000000000
    exit: 0
    "#);
}

#[test]
fn tools_are_listed_with_what_the_graph_says_about_them() {
    let desk = desk_with_record();
    assert_snapshot!(inspect(&desk, &["--tools"]), @"
    TOOL         ACTIONS       CALLS  ALLOWED  ASKED  DENIED  LAST                  GRAPH
    mail_delete  email.delete  1      0        1      0       2026-01-05T09:00:10Z  no graph
    mail_read    email.read    1      1        0      0       2026-01-05T09:00:01Z  no graph
    mail_send    email.send    1      0        1      0       2026-01-05T09:00:03Z  no graph
    exit: 0
    ");
    let desk = desk.with("countersign.yaml", GRAPH);
    assert_snapshot!(inspect(&desk, &["--tools"]), @"
    TOOL         ACTIONS       CALLS  ALLOWED  ASKED  DENIED  LAST                  GRAPH
    mail_delete  email.delete  1      0        1      0       2026-01-05T09:00:10Z  no pattern
    mail_read    email.read    1      1        0      0       2026-01-05T09:00:01Z  mapped
    mail_send    email.send    1      0        1      0       2026-01-05T09:00:03Z  mapped
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
    let other = GRAPH.replace("send, delete", "send");
    let desk = desk.with("other.yaml", other);
    assert_snapshot!(inspect(&desk, &["--tools", "--json", "--graph", "other.yaml"]), @r#"
    {"v":1,"graph":{"file":"other.yaml","hash":"HASH"},"tools":[{"tool":"mail_delete","actions":["email.delete"],"calls":1,"allowed":0,"asked":1,"denied":0,"last":"2026-01-05T09:00:10Z","graph":"no action"},{"tool":"mail_read","actions":["email.read"],"calls":1,"allowed":1,"asked":0,"denied":0,"last":"2026-01-05T09:00:01Z","graph":"mapped"},{"tool":"mail_send","actions":["email.send"],"calls":1,"allowed":0,"asked":1,"denied":0,"last":"2026-01-05T09:00:03Z","graph":"mapped"}]}
    exit: 0
    "#);
}

#[test]
fn lint_finds_called_tools_that_no_pattern_matches() {
    let settled = format!("consent_decay: {{enabled: false}}\n{GRAPH}");
    let desk = desk_with_record().with("countersign.yaml", settled);
    assert_snapshot!(desk.run(&["graph", "lint"]), @"
    countersign.yaml: clean; no findings
    exit: 0
    ");
    assert_snapshot!(desk.run(&["graph", "lint", "--seen"]), @"
    tool_without_pattern: the tool `mail_delete` was called once, but no pattern matches it
     --> countersign.yaml:4:1
      |
    4 | tools:
      | ^^^^^
      = help: add it to `tools` with the actions it is mapped to
    countersign.yaml: 1 finding; the graph is valid
    exit: 1
    ");
    assert_snapshot!(desk.run(&["graph", "lint", "--seen", "--json"]), @r#"
    {"v":1,"graph":{"file":"countersign.yaml","hash":"828e148f03c67ccabc28becd1421cee553e22aea31070339f3c5bdde440703a4"},"findings":[{"file":"countersign.yaml","line":4,"column":1,"message":"the tool `mail_delete` was called once, but no pattern matches it","help":"add it to `tools` with the actions it is mapped to","check":"tool_without_pattern"}]}
    exit: 1
    "#);
    assert_snapshot!(desk.run(&["graph", "lint", "--seen", "--data", "nowhere"]), @"
    stderr: error: there is no record in `nowhere`
    stderr:   help: name the folder that holds one; it is made by the first command that writes
    exit: 1
    ");
}

#[test]
fn exactly_one_thing_is_inspected() {
    assert_snapshot!(inspect(&Desk::empty(), &["--json"]), @"
    stderr: error: the following required arguments were not provided:
    stderr:   <--trace|--permissions|--tools>
    stderr: 
    stderr: Usage: countersign inspect --json <--trace|--permissions|--tools>
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    assert_snapshot!(inspect(&Desk::empty(), &["--trace", "--tools"]), @"
    stderr: error: the argument '--trace' cannot be used with '--tools'
    stderr: 
    stderr: Usage: countersign inspect <--trace|--permissions|--tools>
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    assert_snapshot!(inspect(&Desk::empty(), &["--trace", "--session", "a b"]), @"
    stderr: error: invalid value 'a b' for '--session <NAME>': a name of a session may not contain ` `
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
}
