//! A tool server for tests, of either era, well behaved or not.
//!
//! `fixture-server ERA FOLDER`: `ERA` is `legacy` or `modern`. Each execution of `count` adds a line
//! to `FOLDER/executions`; each start adds one to `FOLDER/starts`; `wait` answers once `FOLDER/go`
//! exists. `FOLDER/own-tasks` makes a modern server announce tasks of its own. `FOLDER/tools`, if it exists, replaces the list of tools.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a fixture that cannot go on should fall over"
)]

use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{BufRead, Stdin, Write};
use std::path::PathBuf;

const TOOLS: &[&str] = &[
    "echo", "count", "wait", "ask", "progress", "crash", "twice", "garbage", "flood", "huge",
    "silent", "fail", "leak", "consult", "reject", "perish", "double", "deep", "endless",
];

struct Server {
    is_modern: bool,
    folder: PathBuf,
    input: Stdin,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let is_modern = arguments.next().as_deref() == Some("modern");
    let folder = PathBuf::from(arguments.next().unwrap());
    let server = Server { is_modern, folder, input: std::io::stdin() };
    server.add_line("starts", "started");
    while let Some(message) = server.read() {
        server.handle(&message);
    }
}

impl Server {
    fn read(&self) -> Option<Value> {
        let mut line = String::new();
        let length = self.input.lock().read_line(&mut line).unwrap();
        (length > 0).then(|| {
            self.add_line("received", line.trim_end());
            serde_json::from_str(&line).unwrap()
        })
    }

    fn add_line(&self, name: &str, line: &str) {
        let file = OpenOptions::new().append(true).create(true).open(self.folder.join(name));
        writeln!(file.unwrap(), "{line}").unwrap();
    }

    fn send(&self, message: &Value) {
        println!("{message}");
    }

    fn reply(&self, id: &Value, mut result: Value) {
        if self.is_modern && result.get("resultType").is_none() {
            result["resultType"] = json!("complete");
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn refuse(&self, id: &Value, code: i64, message: &str) {
        let error = json!({"code": code, "message": message});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }

    fn handle(&self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(method) = message["method"].as_str() else { return };
        let info = json!({"name": "fixture", "version": "1"});
        let mut capabilities =
            json!({"tools": {"listChanged": true}, "resources": {}, "logging": {}});
        if self.folder.join("own-tasks").exists() {
            capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
        }
        let has_envelope = params["_meta"].get("io.modelcontextprotocol/protocolVersion").is_some();
        match (method, self.is_modern) {
            // Real servers of both eras are that strict after `initialize`.
            (_, false) if has_envelope => self.refuse(id, -32600, "this is the legacy era"),
            ("initialize", false) => self.reply(
                id,
                json!({"protocolVersion": params["protocolVersion"], "capabilities": capabilities,
                    "serverInfo": info, "instructions": "be kind"}),
            ),
            ("server/discover", true) => self.reply(
                id,
                json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities,
                    "ttlMs": 1, "cacheScope": "public",
                    "_meta": {"io.modelcontextprotocol/serverInfo": info}}),
            ),
            ("tasks/get", true) => self
                .reply(id, json!({"taskId": params["taskId"], "status": "working", "own": true})),
            ("ping", false) => self.reply(id, json!({})),
            ("tools/list", _) => self.list(id),
            ("tools/call", _) => self.call(id, params),
            ("resources/list", _) => {
                self.reply(
                    id,
                    json!({"resources": [{"uri": "test://one", "name": "one", "extra": 1.0}]}),
                );
            }
            ("resources/read", _) => {
                self.reply(id, json!({"contents": [{"uri": params["uri"], "text": "hello"}]}));
            }
            (method, _) if !id.is_null() => self.refuse(id, -32601, &format!("no {method}")),
            _ => {}
        }
    }

    fn list(&self, id: &Value) {
        if let Ok(text) = std::fs::read_to_string(self.folder.join("tools")) {
            let tools: Value = serde_json::from_str(&text).unwrap();
            return self.reply(id, json!({"tools": tools}));
        }
        let tool = |name: &&str| {
            json!({"name": name, "description": format!("does {name}"),
                "inputSchema": {"type": "object", "properties": {"n": {"default": 7}}}})
        };
        self.reply(id, json!({"tools": TOOLS.iter().map(tool).collect::<Vec<_>>(), "ttlMs": 1}));
    }

    fn call(&self, id: &Value, params: &Value) {
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}], "kept": 1.0});
        let arguments = &params["arguments"];
        match params["name"].as_str().unwrap() {
            "echo" => self.reply(id, text(&arguments.to_string())),
            "count" => {
                self.add_line("executions", &arguments.to_string());
                self.reply(id, text("counted"));
            }
            "wait" => {
                self.add_line("executions", &arguments.to_string());
                while !self.folder.join("go").exists() {
                    std::thread::yield_now();
                }
                self.reply(id, text("waited"));
            }
            "leak" => {
                self.add_line("executions", "leak");
                self.reply(id, text("password: hunter2hunter2"));
            }
            "fail" => self.reply(id, json!({"content": [], "isError": true})),
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                let progress = json!({"progressToken": token, "progress": 1, "message": "half"});
                self.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}));
                self.reply(id, text("progressed"));
            }
            "ask" | "consult" => self.ask(id, params),
            "reject" => {
                self.add_line("executions", "reject");
                self.refuse(id, -32050, "rejected");
            }
            "crash" | "perish" => {
                self.add_line("executions", "crash");
                std::process::exit(3);
            }
            "twice" => {
                self.reply(id, text("first"));
                self.reply(id, text("second"));
            }
            "garbage" => {
                println!("this is no message\n{{\"jsonrpc\":\"2.0\"}}\n[1,2\n{{\"a\":1,\"a\":2}}");
                self.reply(&json!(987_654), text("for nobody"));
                self.reply(id, text("after garbage"));
            }
            "flood" => {
                for n in 0..2_000 {
                    let params = json!({"level": "info", "data": n});
                    self.send(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params}));
                }
                self.reply(id, text("flooded"));
            }
            "huge" => self.reply(id, text(&"x".repeat(40 << 20))),
            "silent" => self.add_line("executions", "silent"),
            "double" => {
                println!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"isError":true,"isError":false}}}}"#
                );
            }
            "deep" => {
                let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
                println!(r#"{{"jsonrpc":"2.0","id":{id},"result":{open}{close}}}"#);
            }
            "endless" => loop {
                print!("{}", "x".repeat(1 << 16));
            },
            other => self.refuse(id, -32602, &format!("unknown tool {other}")),
        }
    }

    /// Asks the client for its name: by a request of its own, or by its result.
    fn ask(&self, id: &Value, params: &Value) {
        let wanted = json!({"message": "name?", "requestedSchema": {"type": "object"}});
        let answer = if self.is_modern {
            let Some(answer) = params["inputResponses"].get("name") else {
                self.add_line("executions", "asked");
                let inputs = json!({"name": {"method": "elicitation/create", "params": wanted}});
                let result = json!({"resultType": "input_required", "inputRequests": inputs,
                    "requestState": "own state"});
                return self.reply(id, result);
            };
            assert_eq!(params["requestState"], "own state");
            answer.clone()
        } else {
            self.add_line("executions", "asked");
            self.send(&json!({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create", "params": wanted}));
            loop {
                let message = self.read().unwrap();
                if message["id"] == "q1" {
                    break message["result"].clone();
                }
                self.handle(&message);
            }
        };
        let text = format!("hello {}", answer["content"]["name"].as_str().unwrap_or("nobody"));
        self.reply(id, json!({"content": [{"type": "text", "text": text}]}));
    }
}
