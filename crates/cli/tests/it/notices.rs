//! `notices`: what needs no answer.

use crate::daemon::Daemon;
use serde_json::Value;

#[test]
fn notices_are_listed_with_their_times_and_marked_as_read() {
    let daemon = Daemon::open();
    assert_eq!(daemon.desk.run(&["notices"]), "there are no notices\nexit: 0");
    assert_eq!(daemon.ask("email.wipe", "a"), 5);
    assert_eq!(daemon.ask("email.wipe", "a"), 5);
    let listed = daemon.desk.run(&["notices", "ls"]);
    let row = listed.lines().nth(1).unwrap();
    assert!(listed.starts_with("ID") && row.contains("Z (2×, first 20"), "{listed}");
    let id = row.split(' ').next().unwrap();
    assert_eq!(daemon.desk.code(&["notices", "ack", "ffffff"]), 2);
    assert_eq!(daemon.desk.code(&["notices", "ack"]), 2);
    assert_eq!(daemon.desk.run(&["notices", "ack", id]), "1 notice is marked as read\nexit: 0");
    assert_eq!(daemon.desk.run(&["notices"]), "there are no notices\nexit: 0");
    assert_eq!(daemon.ask("email.wipe", "b"), 5);
    let json: Value =
        serde_json::from_slice(&daemon.desk.output(&["notices", "--json"]).stdout).unwrap();
    assert_eq!(json["notices"].as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(
        daemon.desk.run(&["notices", "ack", "--all"]),
        "1 notice is marked as read\nexit: 0"
    );
}
