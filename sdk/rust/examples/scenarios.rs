//! Gated functions on the daemon that `COUNTERSIGN_BINARY` names: `cargo xtask sdk` plays them.
//!
//! A panic is a failed scenario.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a scenario that cannot go on fails"
)]

use countersign_client::{Connection, OperatorClient};
use countersign_sdk::{Application, AskedScope, Error, redeem, requires_consent};
use countersign_sdk::{request_permission, start_workflow, user_initiated};
use serde_json::{Value, json};
use std::future::Future;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

const GRAPH: &str = "
domains:
  tasks: {autonomous: [list, brief], requires_approval: [create, toggle], blocked: [wipe]}
  files: {autonomous: [], requires_approval: [write], blocked: []}
  vault: {autonomous: [], requires_approval: [eval], blocked: [], actions: {eval: {risk: high}}}
reducers: [{caller: tasks.brief, action: vault.eval, to: low}]
workflows: {release: {actions: [tasks.create], steps: [{name: tag, actions: [tasks.create]}]}}
";

#[requires_consent("tasks.list")]
fn list_tasks(number: u64) -> u64 {
    number
}

#[requires_consent("tasks.wipe")]
fn wipe() {
    unreachable!("it is blocked")
}

#[requires_consent("tasks.create", target = "title", on_pending = "raise")]
fn create_task(title: &str) -> String {
    title.to_owned()
}

#[requires_consent("files.write", target = "path", on_pending = "raise")]
fn write_file(path: &str) -> String {
    path.to_owned()
}

#[requires_consent("tasks.toggle", declares = ["files.write"])]
fn toggle_task(task: &str) -> Result<String, Error> {
    write_file(task)
}

#[requires_consent("vault.eval", on_pending = "raise")]
async fn evaluate(code: &str) -> String {
    code.to_owned()
}

#[requires_consent("tasks.brief")]
async fn brief() -> Result<String, Error> {
    evaluate("count()").await
}

#[requires_consent("tasks.create", secret = ["key"], on_pending = "raise")]
fn sign(key: &str) -> usize {
    key.len()
}

fn main() {
    let daemon = Daemon::start();
    assert_eq!(list_tasks(3).unwrap(), 3);
    assert!(matches!(wipe(), Err(Error::Denied { reason, .. }) if reason == "blocked"));
    a_yes_later_is_redeemed_once(&daemon);
    a_declined_call_has_its_note(&daemon);
    nested_calls_ride_on_a_declared_one(&daemon);
    assert_eq!(block_on(brief()).unwrap().unwrap(), "count()");
    assert!(is_pending(block_on(evaluate("count()"))));
    daemon.answer("decline", "");
    clicks_and_runs(&daemon);
    let found = thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let category = Some("filesystem_write");
            request_permission("Write", "why", AskedScope::ThisSession, "skip", category).unwrap()
        });
        daemon.answer("session", "go on");
        asked.join().unwrap()
    });
    assert!(found.granted && found.operator_note == "go on", "{found:?}");
    assert!(is_pending(sign("tr0ub4dor")));
    let card = daemon.answer("once", "");
    assert!(!card.to_string().contains("tr0ub4dor"));
    Application::new(Path::new("/nonexistent"), None, "main").unwrap().install();
    assert!(matches!(list_tasks(1), Err(Error::Unavailable(why)) if why.contains("serve")));
    println!("all scenarios came back as they should");
}

fn a_yes_later_is_redeemed_once(daemon: &Daemon) {
    let Err(Error::Pending { operation_id, .. }) = create_task("letter") else { panic!("it asks") };
    assert!(matches!(redeem(&operation_id), Err(Error::Pending { .. })));
    daemon.answer("once", "");
    let value = redeem(&operation_id).unwrap().run(|| 7, |_| false);
    assert_eq!(value, 7);
    assert!(redeem(&operation_id).is_err(), "once means once");
}

fn a_declined_call_has_its_note(daemon: &Daemon) {
    assert!(is_pending(create_task("no")));
    daemon.answer("decline", "not today");
    let Err(Error::Denied { note, .. }) = create_task("no") else { panic!("declines stick") };
    assert_eq!(note, "not today");
}

fn nested_calls_ride_on_a_declared_one(daemon: &Daemon) {
    let value = thread::scope(|scope| {
        let outer = scope.spawn(|| toggle_task("a.md"));
        daemon.answer("once", "");
        outer.join().unwrap()
    });
    assert_eq!(value.unwrap().unwrap(), "a.md");
    assert!(is_pending(write_file("a.md")), "outside of it the same call asks");
    daemon.answer("decline", "");
}

fn clicks_and_runs(daemon: &Daemon) {
    let click = user_initiated("page.add", &["tasks.create"]).unwrap();
    assert_eq!(click.run(|| create_task("a click")).unwrap(), "a click");
    drop(click);
    assert!(is_pending(create_task("another")));
    daemon.answer("decline", "");
    assert!(user_initiated("page.add", &["files.write"]).is_err());
    let mut run = thread::scope(|scope| {
        let start = scope.spawn(|| start_workflow("release").unwrap());
        daemon.answer("once", "");
        start.join().unwrap()
    });
    run.step("tag").unwrap();
    assert_eq!(run.run(|| create_task("v1")).unwrap(), "v1");
    run.complete();
}

fn is_pending<T>(result: Result<T, Error>) -> bool {
    matches!(result, Err(Error::Pending { .. }))
}

struct Daemon {
    child: Child,
    operator: Connection,
    _folder: tempfile::TempDir,
}

impl Daemon {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (data, graph) = (folder.path().join("data"), folder.path().join("graph.yaml"));
        std::fs::write(&graph, GRAPH).unwrap();
        let program = std::env::var("COUNTERSIGN_BINARY").unwrap();
        let command = |words: &[&str]| {
            let mut command = Command::new(&program);
            command.args(words).env("COUNTERSIGN_DATA", &data).env("COUNTERSIGN_GRAPH", &graph);
            command
        };
        let mut child = command(&["serve", "--no-http"]).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.map(Result::unwrap).any(|line| line.starts_with("ready")));
        let rights = ["--actions", "tasks.*,files.*,vault.*", "--gestures", "tasks.create"];
        let add = [&["agent", "add", "shop", "--application"][..], &rights].concat();
        let token = String::from_utf8(command(&add).output().unwrap().stdout).unwrap();
        let token = Some(token.trim().to_owned());
        Application::new(&data.join("agent.sock"), token, "main").unwrap().install();
        let operator = Connection::new(&data.join("operator.sock"), Duration::from_secs(30));
        Self { child, operator, _folder: folder }
    }

    /// Answers the oldest open question, every item of it.
    fn answer(&self, choice: &str, note: &str) -> Value {
        let card = loop {
            let open = OperatorClient::new(self.operator.clone()).list_requests().unwrap();
            if let Some(card) = open.first() {
                break json!(card);
            }
        };
        let request = card["request"].as_str().unwrap();
        let shown = json!({
            "request": request, "surface": "test", "evidence": "requested", "shown": "whole",
        });
        self.operator.post("/v1/deliveries", &shown).unwrap();
        let mut answer = json!({"digest": card["digest"], "note": note, "surface": "test"});
        let items = card["items"].as_array().unwrap();
        if items.len() > 1 {
            let each = items
                .iter()
                .map(|item| (item["action"].as_str().unwrap().to_owned(), json!(choice)));
            answer["items"] = Value::Object(each.collect());
        } else {
            answer["choice"] = json!(choice);
        }
        self.operator.post(&format!("/v1/requests/{request}/answer"), &answer).unwrap();
        card
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Polls on this thread: the futures of the library need no runtime.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
