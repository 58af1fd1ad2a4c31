//! Sessions as the operator lists and ends them.

use crate::daemon::Daemon;
use insta::assert_snapshot;

#[test]
fn a_session_is_listed_and_ended_with_its_questions() {
    let daemon = Daemon::open();
    assert_snapshot!(daemon.run(&["session", "ls"]), @"
    no session is open
    exit: 0
    ");
    let ask = ["gate", "--session", "s1", "--action", "email.delete", "--target", "letter"];
    assert_eq!(daemon.desk.code(&ask), 8);
    assert_snapshot!(daemon.run(&["session", "ls"]), @"
    AGENT  SESSION  PROJECT  LAST USED  ENDS IF UNUSED
    AGENT  s1  -  TIME  TIME
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["session", "end", "s1"]), @"
    the session s1 of AGENT has ended, with its grants and questions
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["session", "end", "s1"]), @"
    the session s1 of AGENT was not open
    exit: 0
    ");
    assert_eq!(daemon.desk.code(&["session", "end", "s9"]), 1);
    assert_snapshot!(daemon.run(&["ls"]), @"
    no request waits for an answer
    exit: 0
    ");
}
