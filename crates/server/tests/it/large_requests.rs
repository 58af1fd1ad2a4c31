//! Requests with large arguments: cards and lists stay small, and the whole text is read in pages.

use crate::test_server::TestServer;
use countersign_api::RequestTextQuery;
use countersign_core::model::ids::RequestId;
use serde_json::{Map, Value, json};

/// Six thousand arguments, about 150 kB.
fn many_arguments(number: usize) -> Value {
    let named = |n: usize| (format!("argument-{n:05}"), json!(format!("{number}-{n}")));
    let mut args: Map<String, Value> = (0..6_000).map(named).collect();
    args.insert("path".to_owned(), json!("/srv/a"));
    Value::Object(args)
}

fn ask(server: &TestServer, number: usize) {
    let write = json!({"session": "s1", "tool": "Write", "args": many_arguments(number)});
    let decided = server.agent().post("/v1/check", &write).unwrap();
    assert_eq!(decided["status"], "pending", "{decided}");
}

#[test]
fn five_large_requests_are_listed_in_small_cards() {
    let server = TestServer::open();
    (0..5).for_each(|number| ask(&server, number));
    let page = server.operator().get("/v1/requests").unwrap();
    assert_eq!(page["requests"].as_array().unwrap().len(), 5);
    let bytes = page.to_string().len();
    assert!(bytes < 200_000, "{bytes}");
    let lines = page["requests"][0]["lines"].to_string();
    assert!(lines.contains("more fields"), "{lines}");
}

#[test]
fn a_page_of_requests_is_bounded_in_bytes() {
    let server = TestServer::open();
    for number in 0..30 {
        let long = |n: usize| (format!("a{n:02}"), json!(format!("line {number}\n").repeat(300)));
        let long_lines = json!("x".repeat(200)).to_string().repeat(40).replace("\"\"", "\n");
        let mut args: Map<String, Value> = (0..30).map(long).collect();
        args.insert("path".to_owned(), json!("/srv/a"));
        args.insert("number".to_owned(), json!(number));
        args.insert("content".to_owned(), json!(long_lines));
        args.insert("more".to_owned(), json!(long_lines));
        args.insert("most".to_owned(), json!(long_lines));
        let write = json!({"session": "s1", "tool": "Write", "args": args});
        assert_eq!(server.agent().post("/v1/check", &write).unwrap()["status"], "pending");
    }
    let page = server.operator().get("/v1/requests").unwrap();
    let bytes = page.to_string().len();
    assert!(bytes < 1_200_000, "{bytes}");
    assert!(page["next"].is_string());
    assert_eq!(server.typed_operator().list_requests().unwrap().len(), 30);
}

#[test]
fn the_whole_text_of_a_request_is_read_in_pages() {
    let server = TestServer::open();
    ask(&server, 1);
    let card = server.card();
    let id = RequestId::parse(card["request"].as_str().unwrap()).unwrap();
    let operator = server.typed_operator();
    let (mut query, mut lines) = (RequestTextQuery::default(), Vec::new());
    loop {
        let page = operator.request_text(id, &query).unwrap();
        assert!(page.lines.len() <= 500);
        lines.extend(page.lines);
        let Some(next) = page.next else { break };
        query.from = next;
    }
    assert!(lines.contains(&"argument argument-05999:".to_owned()));
    assert!(lines.contains(&"  | 1-5999".to_owned()));
}
