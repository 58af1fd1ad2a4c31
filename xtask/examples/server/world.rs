//! The graph, and the requests that are sent.

/// Notes are added without a question; mail is asked about.
pub const GRAPH: &str = "\
domains:
  notes:
    trust_level: high
    autonomous: [add]
    requires_approval: [mail]
    blocked: []
    actions:
      add: {reversible: true, risk: low}
      mail: {risk: moderate}
";

/// Adds a note: decided by the rule alone. Four hundred bytes of arguments.
pub fn check(session: usize, number: usize) -> Vec<u8> {
    let body = body(session, number, "notes.add", 0);
    post("/v1/check", &body)
}

/// Sends mail: somebody has to be asked, and this waits for the answer.
pub fn ask(number: usize) -> Vec<u8> {
    let body = body(number, number, "notes.mail", 300_000);
    post("/v1/check", &body)
}

fn body(session: usize, number: usize, action: &str, wait_ms: u64) -> String {
    format!(
        r#"{{"session":"s{session}","actions":["{action}"],"target":"minutes-{number}","wait_ms":{wait_ms},"args":{{"title":"Minutes of Monday, part {number}","text":"The minutes are attached. Corrections by Friday, please, to both of us. Item four was moved to the next meeting, as was asked for; nothing else was. Whoever cannot come sends word beforehand, so that the room is not too large.","tags":["minutes","monday","draft"],"to":["ana@example.org","bo@example.org"],"importance":0.5}}}}"#
    )
}

pub fn finished(session: usize, operation: &str) -> Vec<u8> {
    let body = format!(r#"{{"session":"s{session}","effect":"done"}}"#);
    post(&format!("/v1/operations/{operation}/outcome"), &body)
}

pub fn post(path: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: countersign\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

pub fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: countersign\r\n\r\n").into_bytes()
}
