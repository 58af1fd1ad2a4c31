//! Servers from npm and PyPI, and what is called there.

use super::Workshop;
use crate::external::{create, write};
use crate::failure::Failure;
use crate::process::run as run_program;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool and its arguments, in which `FOLDER` stands for the server's folder.
pub type Call = (&'static str, &'static str);

pub struct RealServer {
    pub name: &'static str,
    program: Program,
    pub arguments: &'static [&'static str],
    /// Calls that are allowed.
    pub allowed: &'static [Call],
    /// Calls that ask: the operator approves one and declines the other.
    pub approved: Call,
    pub declined: Call,
    /// Files that it works on.
    prepare: fn(&Path) -> Result<(), Failure>,
}

pub enum Program {
    /// A file of an npm package.
    Npm(&'static str),
    /// A Python module.
    Python(&'static str),
}

pub const SERVERS: [RealServer; 5] = [
    RealServer {
        name: "everything",
        program: Program::Npm("@modelcontextprotocol/server-everything/dist/index.js"),
        arguments: &["stdio"],
        allowed: &[
            ("echo", r#"{"message": "hello"}"#),
            ("get-structured-content", r#"{"location": "New York"}"#),
        ],
        approved: ("get-sum", r#"{"a": 2, "b": 3}"#),
        declined: ("get-tiny-image", "{}"),
        prepare: |_| Ok(()),
    },
    RealServer {
        name: "filesystem",
        program: Program::Npm("@modelcontextprotocol/server-filesystem/dist/index.js"),
        arguments: &["FOLDER"],
        allowed: &[
            ("read_text_file", r#"{"path": "FOLDER/note.txt"}"#),
            ("list_directory", r#"{"path": "FOLDER"}"#),
        ],
        approved: ("write_file", r#"{"path": "FOLDER/new.txt", "content": "once"}"#),
        declined: (
            "move_file",
            r#"{"source": "FOLDER/note.txt", "destination": "FOLDER/gone.txt"}"#,
        ),
        prepare: |folder| write(&folder.join("note.txt"), "hello\n"),
    },
    RealServer {
        name: "memory",
        program: Program::Npm("@modelcontextprotocol/server-memory/dist/index.js"),
        arguments: &[],
        allowed: &[("read_graph", "{}"), ("search_nodes", r#"{"query": "garden"}"#)],
        approved: (
            "create_entities",
            r#"{"entities": [{"name": "shed", "entityType": "place", "observations": ["red"]}]}"#,
        ),
        declined: ("delete_entities", r#"{"entityNames": ["garden"]}"#),
        prepare: |folder| {
            let entity =
                r#"{"type":"entity","name":"garden","entityType":"place","observations":[]}"#;
            write(&folder.join("memory.jsonl"), entity)
        },
    },
    RealServer {
        name: "git",
        program: Program::Python("mcp_server_git"),
        arguments: &["--repository", "FOLDER"],
        allowed: &[
            ("git_log", r#"{"repo_path": "FOLDER", "max_count": 1}"#),
            ("git_diff_staged", r#"{"repo_path": "FOLDER"}"#),
        ],
        approved: ("git_commit", r#"{"repo_path": "FOLDER", "message": "second"}"#),
        declined: ("git_reset", r#"{"repo_path": "FOLDER"}"#),
        prepare: prepare_repository,
    },
    RealServer {
        name: "time",
        program: Program::Python("mcp_server_time"),
        arguments: &["--local-timezone", "UTC"],
        allowed: &[(
            "convert_time",
            r#"{"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}"#,
        )],
        approved: ("get_current_time", r#"{"timezone": "UTC"}"#),
        declined: ("get_current_time", r#"{"timezone": "Asia/Tokyo"}"#),
        prepare: |_| Ok(()),
    },
];

/// One commit, always with the same hash, and a change that is staged.
fn prepare_repository(folder: &Path) -> Result<(), Failure> {
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(folder).args([
            "-c",
            "user.name=Ana",
            "-c",
            "user.email=ana@example.org",
        ]);
        command.args(words).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            command.env(name, "2026-01-02T03:04:05Z");
        }
        run_program(&mut command)
    };
    git(&["init", "--quiet"])?;
    git(&["config", "user.name", "Ana"])?;
    git(&["config", "user.email", "ana@example.org"])?;
    write(&folder.join("note.txt"), "hello\n")?;
    git(&["add", "note.txt"])?;
    git(&["commit", "--quiet", "--message", "first"])?;
    write(&folder.join("note.txt"), "hello again\n")?;
    git(&["add", "note.txt"])
}

/// Runs a server with a copy of what it reads: file, folder, then the command.
const COPY_INPUT: &str = "folder=$1; shift
export MEMORY_FILE_PATH=\"$folder/memory.jsonl\"
tee -a \"$0\" | \"$@\"";

impl RealServer {
    pub fn prepare_anew(&self, folder: &Path) -> Result<(), Failure> {
        // There is none before the first time.
        let _none = std::fs::remove_dir_all(folder);
        let _none = std::fs::remove_file(copy_of_input(folder));
        create(folder)?;
        (self.prepare)(folder)
    }

    /// The server's command, with a copy of all that it reads.
    pub fn command(&self, workshop: &Workshop, folder: &Path) -> Vec<String> {
        let text = |path: &Path| path.display().to_string();
        let program = match self.program {
            Program::Npm(file) => {
                vec![text(&workshop.packages.node()), text(&workshop.packages.npm_file(file))]
            }
            Program::Python(module) => {
                vec![text(&workshop.packages.python()), "-m".to_owned(), module.to_owned()]
            }
        };
        let mut command = ["sh", "-c", COPY_INPUT].map(str::to_owned).to_vec();
        command.extend([text(&copy_of_input(folder)), text(folder)]);
        command.extend(program);
        command.extend(self.arguments.iter().map(|word| word.replace("FOLDER", &text(folder))));
        command
    }
}

/// Allows every tool except those that ask.
pub fn graph() -> String {
    let asking = SERVERS.iter().flat_map(|server| {
        let tools = [server.approved.0, server.declined.0];
        tools.map(|tool| format!("  mcp__{}__{tool}: {{actions: [servers.ask]}}\n", server.name))
    });
    let asking: BTreeSet<String> = asking.collect();
    let asking: String = asking.into_iter().collect();
    format!(
        "domains:\n  servers: {{autonomous: [call], requires_approval: [ask], blocked: []}}\n  \
         mcp: {{autonomous: [], requires_approval: [add_server], blocked: []}}\ntools:\n  \
         mcp__*: {{actions: [servers.call]}}\n{asking}"
    )
}

pub fn arguments(call: &Call, folder: &Path) -> Value {
    let text = call.1.replace("FOLDER", &folder.display().to_string());
    serde_json::from_str(&text).unwrap_or_default()
}

pub fn copy_of_input(folder: &Path) -> PathBuf {
    folder.with_extension("input")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_of_every_call_are_json() {
        for server in &SERVERS {
            for call in server.allowed.iter().chain([&server.approved, &server.declined]) {
                assert!(arguments(call, Path::new("/f")).is_object(), "{} {}", server.name, call.0);
            }
        }
    }
}
