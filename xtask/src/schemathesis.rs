//! The API as Schemathesis tries it: cases made from the committed documents, right ones and wrong
//! ones, sent to the daemon itself on its ports.
//!
//! Nothing may end in a 5xx, nothing may be answered that a document does not describe, and nobody
//! gets in without a credential. How it is tried stands in the folder `xtask/schemathesis`.

use crate::built::build_program;
use crate::failure::{CiResult, Done, Failure};
use crate::installed;
use crate::process::{can_run, capture, display_command, run, run_and_capture};
use countersign_scratch::{Fsync, PostgresServer};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

const VERSION: &str = "4.32.5";
/// The same cases every time.
const SEED: &str = "7";
/// Where the venv lies, and what the program is called there.
const VENV: &str = "target/schemathesis";
/// Where the daemon keeps the operator's token.
const OPERATORS: &str = "operator.token";

/// One way to speak to a plane, and how many random cases each of its routes gets.
struct ApiRun<'d> {
    plane: &'static str,
    url: &'d str,
    token: &'d str,
    cases: &'static str,
}

pub fn step(root: &Path) -> CiResult {
    let program = program(root)?;
    let mut tried = try_daemon(root, &program, None, "25")?;
    let database = PostgresServer::start(Fsync::Off).map_err(Failure::new)?;
    tried += try_daemon(root, &program, Some(&database.address()), "5")?;
    Ok(Done::new(format!("{tried} cases on two stores, each answered as the documents say")))
}

/// Tries a daemon on SQLite, or on the database at this address.
fn try_daemon(
    root: &Path,
    program: &Path,
    database: Option<&str>,
    cases: &'static str,
) -> Result<u64, Failure> {
    let daemon = ApiDaemon::start(root, database)?;
    let (agent, operator) = (daemon.agent.as_str(), daemon.operator.as_str());
    let rounds = [
        ApiRun { plane: "agent", url: agent, token: &daemon.adapter_token, cases },
        ApiRun { plane: "agent", url: agent, token: &daemon.agent_token, cases: "5" },
        ApiRun { plane: "operator", url: operator, token: &daemon.operator_token, cases },
    ];
    rounds.iter().try_fold(0, |tried, round| Ok(tried + run_cases(root, program, &daemon, round)?))
}

/// Installed into a folder of its own, by name and version.
fn program(root: &Path) -> Result<PathBuf, Failure> {
    let venv = root.join(VENV);
    let program = venv.join("bin/st");
    let is_there = || {
        capture(Command::new(&program).arg("--version")).is_ok_and(|said| said.contains(VERSION))
    };
    if program.is_file() && is_there() {
        return Ok(program);
    }
    installed::ensure_package("python3-venv", || {
        can_run(Command::new("python3").args(["-c", "import venv, ensurepip"]))
    })?;
    println!("installing schemathesis {VERSION} into {VENV}");
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
    let package = format!("schemathesis=={VERSION}");
    run(Command::new(venv.join("bin/pip")).args(["install", "--quiet", &package]))?;
    Ok(program)
}

fn run_cases(
    root: &Path,
    program: &Path,
    daemon: &ApiDaemon,
    round: &ApiRun<'_>,
) -> Result<u64, Failure> {
    let folder = root.join("xtask/schemathesis");
    let mut command = Command::new(program);
    command
        .current_dir(&daemon.folder)
        .arg("--config-file")
        .arg(folder.join("schemathesis.toml"))
        .arg("run")
        .arg(root.join(format!("docs/openapi/{}.json", round.plane)))
        .args(["--url", round.url, "--header", &format!("Authorization: Bearer {}", round.token)])
        .args(["--phases", "coverage,fuzzing,stateful", "--checks", "all", "--seed", SEED])
        // A run belongs to its session, which a request names beside the id. The links of the documents
        // pass the id alone: with another session there is no such run.
        .args(["--exclude-checks", "ensure_resource_availability"])
        .args(["--max-examples", round.cases, "--suppress-health-check", "all", "--no-color"])
        .env("PYTHONPATH", &folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("SCHEMATHESIS_HOOKS", "hooks")
        .env("NO_PROXY", "*")
        .env("COUNTERSIGN_AGENT", &daemon.agent)
        .env("COUNTERSIGN_AGENT_TOKEN", &daemon.agent_token)
        .env("COUNTERSIGN_OPERATOR", &daemon.operator)
        .env("COUNTERSIGN_OPERATOR_FILE", daemon.folder.join(OPERATORS))
        .env("COUNTERSIGN_TOKEN", round.token);
    let (status, printed) = run_and_capture(&mut command)?;
    match (status.success(), cases(&printed)) {
        (true, Some(cases)) => Ok(cases),
        (true, None) => Err(Failure::new("schemathesis did not say how many cases it tried")),
        (false, _) => {
            let shown = display_command(&command).replace(round.token, "TOKEN");
            Err(Failure::new(format!("`{shown}` ended with {status}")))
        }
    }
}

/// From its closing `Test cases:` and `810 generated, 810 passed`.
fn cases(printed: &str) -> Option<u64> {
    let mut lines = printed.lines().skip_while(|line| line.trim() != "Test cases:");
    lines.nth(1)?.trim().split(' ').next()?.parse().ok().filter(|cases| *cases > 0)
}

/// A daemon on ports and in a folder of its own, which end with this value.
struct ApiDaemon {
    child: Child,
    program: PathBuf,
    folder: PathBuf,
    agent: String,
    operator: String,
    agent_token: String,
    adapter_token: String,
    operator_token: String,
}

impl ApiDaemon {
    fn start(root: &Path, database: Option<&str>) -> Result<Self, Failure> {
        let program = build_program(root)?;
        let folder = std::env::temp_dir().join(format!("countersign-tried-{}", std::process::id()));
        let graph = root.join("xtask/schemathesis/graph.yaml");
        let mut command = Command::new(&program);
        command.args(["serve", "--agent-port", "0", "--operator-port", "0"]).current_dir(root);
        let settings = root.join("xtask/schemathesis/settings.toml");
        command.env("COUNTERSIGN_DATA", &folder).env("COUNTERSIGN_SETTINGS", settings);
        command.arg("--graph").arg(graph);
        if let Some(address) = database {
            command.arg("--store").arg(format!("postgres:{address}"));
        }
        let spawned = command.stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| Failure::new(format!("no daemon: {error}")))?;
        let found = child.stdout.take().and_then(addresses);
        let nothing = String::new;
        let mut daemon = Self {
            child,
            program,
            folder,
            agent: nothing(),
            operator: nothing(),
            agent_token: nothing(),
            adapter_token: nothing(),
            operator_token: nothing(),
        };
        let (agent, operator) =
            found.ok_or_else(|| Failure::new("the daemon did not say where it is met"))?;
        (daemon.agent, daemon.operator) = (agent, operator);
        daemon.agent_token = daemon.token(&[])?;
        daemon.adapter_token = daemon.token(&["--adapter"])?;
        let kept = std::fs::read_to_string(daemon.folder.join(OPERATORS));
        let kept = kept.map_err(|error| Failure::new(format!("no operator's token: {error}")))?;
        daemon.operator_token = kept.trim().to_owned();
        Ok(daemon)
    }

    fn token(&self, more: &[&str]) -> Result<String, Failure> {
        let mut command = Command::new(&self.program);
        command.args(["agent", "add", "tried"]).args(more);
        let token = capture(command.env("COUNTERSIGN_DATA", &self.folder))?;
        Ok(token.trim().to_owned())
    }
}

impl Drop for ApiDaemon {
    fn drop(&mut self) {
        // Nothing that it holds is wanted any more.
        let _ended = self.child.kill();
        let _ended = self.child.wait();
        let _gone = std::fs::remove_dir_all(&self.folder);
    }
}

/// Where agents and operator are met, as it says when it is ready. What it says afterwards is read,
/// so that it can go on.
fn addresses(said: ChildStdout) -> Option<(String, String)> {
    let mut lines = BufReader::new(said).lines().map_while(Result::ok);
    let mut address = || {
        lines.find_map(|line| {
            line.split_once(" and ")
                .and_then(|(_, url)| url.starts_with("http://").then(|| url.trim().to_owned()))
        })
    };
    let found = address().zip(address());
    thread::spawn(move || lines.for_each(drop));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_cases_is_read_and_none_is_no_success() {
        let printed =
            "API Operations:\n  Tested: 20\n\nTest cases:\n  1656 generated, 1656 passed\n";
        assert_eq!(cases(printed), Some(1656));
        assert_eq!(cases("Test cases:\n  0 generated\n"), None);
        assert_eq!(cases("nothing"), None);
    }
}
