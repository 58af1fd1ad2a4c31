//! The shared vectors: what is sent, and what the caller gets, in every language the same.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails"
)]

use countersign_sdk::{Application, Call, Error};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;

const VECTORS: &str = include_str!("../../vectors/calls.json");

#[test]
fn every_vector_sends_the_same_and_gives_the_same() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert!(vectors.len() > 15);
    for vector in &vectors {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("agent.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let steps = vector["exchange"].as_array().unwrap().clone();
        let server = thread::spawn(move || steps.iter().for_each(|step| play(&listener, step)));
        let token = Some("cs_application_test".to_owned());
        Application::new(&socket, token, "main").unwrap().install();
        let found = outcome(vector);
        server.join().unwrap();
        for (key, wanted) in vector["result"].as_object().unwrap() {
            assert_eq!(&found[key], wanted, "{}: {found}", vector["name"]);
        }
    }
}

/// The client opens a connection for each request.
fn play(listener: &UnixListener, step: &Value) {
    let (mut stream, _) = listener.accept().unwrap();
    compare(&read_request(&stream), &step["request"]);
    let (status, body) = match &step["reply"] {
        Value::String(word) if word == "lost" => return,
        Value::String(_) => (200, "<html>".to_owned()),
        reply => (reply["status"].as_u64().unwrap(), reply["body"].to_string()),
    };
    let length = body.len();
    write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
}

fn read_request(stream: &UnixStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.to_ascii_lowercase());
    }
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length:"));
    let mut body = vec![0; length.unwrap().trim().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    let words: Vec<&str> = lines[0].split(' ').collect();
    let body: Value = serde_json::from_slice(&body).unwrap();
    json!({"method": words[0].to_ascii_uppercase(), "path": words[1], "body": body})
}

fn compare(found: &Value, wanted: &Value) {
    assert_eq!((&found["method"], &found["path"]), (&wanted["method"], &wanted["path"]));
    let (found, wanted) = (found["body"].as_object().unwrap(), wanted["body"].as_object().unwrap());
    let defaults = [json!([]), json!(""), json!(false), json!(0), json!(0.0), json!("allowed")];
    for key in found.keys().chain(wanted.keys()) {
        match (found.get(key), wanted.get(key)) {
            (Some(_), Some(any)) if any == "*" => {}
            (Some(one), None) => assert!(defaults.contains(one), "{key}: {one}"),
            (one, other) => assert_eq!(one, other, "{key}"),
        }
    }
}

fn outcome(vector: &Value) -> Value {
    let call = describe(vector);
    let (args, fails) = (vector["args"].clone(), vector["fails"] == true);
    match call.run(move || if fails { Err(()) } else { Ok(args) }, Result::is_err) {
        Ok(Ok(value)) => json!({"value": value}),
        Ok(Err(())) => json!({"error": "raised"}),
        Err(Error::Denied { reason, sentence, note, operation_id, .. }) => json!({
            "error": "Denied", "reason": reason, "note": note, "message": sentence,
            "operation_id": operation_id,
        }),
        Err(Error::Pending { .. }) => json!({"error": "Pending"}),
        Err(_) => json!({"error": "Unavailable"}),
    }
}

fn describe(vector: &Value) -> Call {
    let function = &vector["function"];
    let options = function["options"].as_object().unwrap();
    let text = |name: &str| options.get(name).and_then(Value::as_str);
    let list = |options: &Map<String, Value>, name: &str| -> Vec<String> {
        let found = options.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        found.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    };
    let secret = list(options, "secret");
    let mut call = Call::new(text("action").unwrap()).tool(function["name"].as_str().unwrap());
    let names = function["params"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    for (name, value) in names.zip(vector["args"].as_array().unwrap()) {
        let is_secret = secret.iter().any(|one| one == name);
        call = if is_secret { call.secret(name, value) } else { call.arg(name, value) };
        if text("target") == Some(name) {
            call = call.target(value.as_str().unwrap());
        }
    }
    let (declares, categories) = (list(options, "declares"), list(options, "categories"));
    call = call.declares(&declares.iter().map(String::as_str).collect::<Vec<_>>());
    call = call.categories(&categories.iter().map(String::as_str).collect::<Vec<_>>());
    call = text("risk").into_iter().fold(call, Call::risk);
    call = text("reason").into_iter().fold(call, Call::reason);
    match options.get("irreversible") {
        Some(Value::Bool(true)) => call.irreversible(),
        _ => call,
    }
}
