//! The project that an agent names for its session, where agents share the daemon's user.

use crate::test_server::{TestServer, expect_error};
use serde_json::{Value, json};

fn write(server: &TestServer, session: &str, project: &str) -> Value {
    let call = json!({
        "session": session, "project": project, "tool": "Write", "args": {"path": "/srv/a"},
    });
    server.agent().post("/v1/check", &call).unwrap()
}

/// The folder that the test runs in: the crate.
fn working_directory() -> String {
    let here = std::fs::canonicalize(std::env::current_dir().unwrap()).unwrap();
    here.to_str().unwrap().to_owned()
}

#[test]
fn an_agent_names_a_folder_around_its_own_and_the_card_shows_it() {
    let server = TestServer::open();
    let project = working_directory();
    assert_eq!(write(&server, "s1", &project)["status"], "pending");
    let card = server.card();
    let shown = card["who"].as_array().unwrap().iter().find(|field| field["name"] == "project");
    assert_eq!(shown.unwrap()["lines"][0]["text"], json!(project));
    // So the choice is real: the grant survives the session.
    server.answer_card(&card, "project").unwrap();
    server.agent().post("/v1/end-session", &json!({"session": "s1"})).unwrap();
    assert_eq!(write(&server, "s2", &project)["status"], "allowed");
    let unnamed = json!({"session": "s3", "tool": "Write", "args": {"path": "/srv/a"}});
    assert_eq!(server.agent().post("/v1/check", &unnamed).unwrap()["status"], "pending");
}

#[test]
fn a_folder_elsewhere_the_root_and_a_home_are_refused() {
    let server = TestServer::open();
    for project in ["/", "/home", "/root", "shop", "/nonexistent/x", "/dev/shm"] {
        let call = json!({"session": "s1", "project": project, "actions": ["files.read"]});
        let refused = expect_error(server.agent().post("/v1/check", &call));
        assert_eq!(refused, (403, "forbidden".to_owned()), "{project}");
    }
    assert_eq!(server.operator().get("/v1/sessions").unwrap()["sessions"], json!([]));
}

#[test]
fn an_adapter_names_any_project() {
    let server = TestServer::open();
    let adapter = json!({"agent": "coder", "adapter": true});
    let adapter = server.agent().with_token(Some(server.issue_token(&adapter)));
    let call = json!({"session": "s1", "project": "shop", "actions": ["files.read"]});
    assert_eq!(adapter.post("/v1/check", &call).unwrap()["status"], "allowed");
}
