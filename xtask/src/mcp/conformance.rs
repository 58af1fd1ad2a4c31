//! The official conformance suite against a fixture server, without the gateway and through it.
//!
//! Every check must end in the same way. The suite knows only HTTP, and sends no token: a small proxy
//! adds it.

use super::Workshop;
use super::expected::{CheckId, Difference, ExpectedList};
use crate::external::checks::Checks;
use crate::external::daemon::SuiteDaemon;
use crate::external::json::text_at;
use crate::external::running::Running;
use crate::failure::Failure;
use crate::process::run_quietly;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::process::Command;

/// Revisions, each with the servers that the gateway is placed in front of: both eras on HTTP, both on
/// stdio, and one that has only the other era.
const REVISIONS: [(&str, [&str; 3]); 2] = [
    ("2025-11-25", ["http", "stdio", "stdio-modern"]),
    ("2026-07-28", ["http", "stdio", "stdio-legacy"]),
];
const SUITE: &str = "@modelcontextprotocol/conformance/dist/index.js";
const EXPECTED: &str = include_str!("../../mcp/expected-differences.json");

/// Fewer scenarios than this in a revision are a failure: the suite has not run as it should.
const MIN_SCENARIOS: usize = 30;

/// The fixture has no tasks of its own, so it fails these. Those of the gateway have other tests.
const LEFT_OUT: &str = "tasks-";

/// Every tool of the fixture is allowed.
const GRAPH: &str = "domains:
  fixture: {autonomous: [call], requires_approval: [], blocked: []}
tools:
  mcp__*: {actions: [fixture.call]}
";

/// How each check ended, by scenario and by check. A check can occur several times.
type Results = BTreeMap<String, BTreeMap<String, Vec<String>>>;

pub fn run(workshop: &Workshop, checks: &mut Checks) -> Result<(), Failure> {
    let mut expected = ExpectedList::parse(EXPECTED)?;
    let (_fixture, direct) = start_script(workshop, "fixture.mjs", &["--http"], None)?;
    let direct = format!("http://127.0.0.1:{direct}/mcp");
    let daemon = workshop.start_daemon(GRAPH)?;
    let node = workshop.packages.node().display().to_string();
    let script = workshop.packages.script("fixture.mjs").display().to_string();
    daemon.run(&["mcp", "add", "http", "--url", &direct])?;
    daemon.run(&["mcp", "add", "stdio", "--", &node, &script])?;
    daemon.run(&["mcp", "add", "stdio-modern", "--", &node, &script, "--modern"])?;
    daemon.run(&["mcp", "add", "stdio-legacy", "--", &node, &script, "--legacy"])?;
    let token = daemon.add_agent("suite")?;
    for (revision, upstreams) in REVISIONS {
        let without = run_suite(workshop, &daemon, revision, &direct)?;
        checks.note(&format!("conformance {revision} fixture"), judge_fixture(&without))?;
        for upstream in upstreams {
            let target = format!("{}/mcp/{upstream}", daemon.address);
            let (_proxy, port) =
                start_script(workshop, "with-token.mjs", &[&target], Some(&token))?;
            let url = format!("http://127.0.0.1:{port}/mcp");
            start_servers(workshop, &daemon, &url)?;
            let with = run_suite(workshop, &daemon, revision, &url)?;
            for scenario in without.keys().chain(with.keys()).collect::<BTreeSet<_>>() {
                let name = format!("conformance {revision} {upstream} {scenario}");
                let found = compare(revision, upstream, scenario, (&without, &with));
                checks.note(&name, describe(&expected.remove_expected(found)))?;
            }
        }
    }
    let outdated: Vec<String> = expected.outdated().iter().map(ToString::to_string).collect();
    let result = match outdated.is_empty() {
        true => Ok(()),
        false => Err(format!("do not differ any more, remove them: {}", outdated.join(", "))),
    };
    checks.note("conformance expected differences", result)
}

/// A script that prints the port where it listens.
fn start_script(
    workshop: &Workshop,
    name: &str,
    words: &[&str],
    token: Option<&str>,
) -> Result<(Running, u16), Failure> {
    let mut command = Command::new(workshop.packages.node());
    command.arg(workshop.packages.script(name)).args(words);
    if let Some(token) = token {
        command.env("TOKEN", token);
    }
    let running = Running::start(&mut command)?;
    let line = running.read_line()?;
    let port = line.trim().parse();
    let port = port.map_err(|_| Failure::new(format!("{name} printed `{line}` and no port")))?;
    Ok((running, port))
}

/// One scenario waits only a second for a call, which can include the start of a server: the gateway
/// starts a legacy one for each set of capabilities. This is that scenario, without its results.
fn start_servers(workshop: &Workshop, daemon: &SuiteDaemon, url: &str) -> Result<(), Failure> {
    let mut command = daemon.prepare(Command::new(workshop.packages.node()));
    command.arg(workshop.packages.npm_file(SUITE));
    command.args(["server", "--url", url, "--scenario", "server-stateless"]);
    run_quietly(command.args(["--spec-version", "2026-07-28"])).map(drop)
}

fn run_suite(
    workshop: &Workshop,
    daemon: &SuiteDaemon,
    revision: &str,
    url: &str,
) -> Result<Results, Failure> {
    let folder = daemon.work_folder().join("results");
    // Those of another run.
    let _none = std::fs::remove_dir_all(&folder);
    let mut command = daemon.prepare(Command::new(workshop.packages.node()));
    command.arg(workshop.packages.npm_file(SUITE));
    command.args(["server", "--url", url, "--requirements", revision, "--output-dir"]);
    // It fails if one of its checks does, and these are compared below.
    run_quietly(command.arg(&folder))?;
    let results = read_results(&folder)?;
    match results.len() >= MIN_SCENARIOS {
        true => Ok(results),
        false => Err(Failure::new(format!("the suite ran only {} scenarios", results.len()))),
    }
}

/// The suite writes a folder for each scenario, with its checks in a file.
fn read_results(folder: &Path) -> Result<Results, Failure> {
    let fail = |error: &dyn fmt::Display| Failure::new(format!("{}: {error}", folder.display()));
    let mut results = Results::new();
    for entry in std::fs::read_dir(folder).map_err(|error| fail(&error))? {
        let entry = entry.map_err(|error| fail(&error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(scenario) = scenario_name(&name).filter(|name| !name.starts_with(LEFT_OUT)) else {
            continue;
        };
        let text = std::fs::read_to_string(entry.path().join("checks.json"));
        let text = text.map_err(|error| fail(&error))?;
        let read: Vec<Value> = serde_json::from_str(&text).map_err(|error| fail(&error))?;
        results.insert(scenario.to_owned(), collect_statuses(&read));
    }
    Ok(results)
}

/// From `server-tools-list-2026-11-17T13-48-15-566Z`.
fn scenario_name(folder: &str) -> Option<&str> {
    let (name, _time) = folder.split_at_checked(folder.len().checked_sub(25)?)?;
    name.strip_prefix("server-")
}

fn collect_statuses(checks: &[Value]) -> BTreeMap<String, Vec<String>> {
    let word = |check: &Value, key: &str| text_at(check, &[key]).to_owned();
    let mut statuses = BTreeMap::<String, Vec<String>>::new();
    for check in checks {
        statuses.entry(word(check, "id")).or_default().push(word(check, "status"));
    }
    statuses
}

/// Equal results say little if the fixture itself fails.
fn judge_fixture(results: &Results) -> Result<(), String> {
    let failed = results
        .iter()
        .filter(|(_, checks)| checks.values().flatten().any(|status| status == "FAILURE"));
    let failed: Vec<&str> = failed.map(|(scenario, _)| scenario.as_str()).collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("it fails {}", failed.join(", "))) }
}

fn compare(
    revision: &str,
    upstream: &str,
    scenario: &str,
    (without, with): (&Results, &Results),
) -> Vec<Difference> {
    let none = BTreeMap::new();
    let without = without.get(scenario).unwrap_or(&none);
    let with = with.get(scenario).unwrap_or(&none);
    let checks: BTreeSet<&String> = without.keys().chain(with.keys()).collect();
    let show =
        |statuses: Option<&Vec<String>>| statuses.map_or("nothing".to_owned(), |s| s.join(" "));
    let differ = checks.into_iter().filter(|check| without.get(*check) != with.get(*check));
    let describe = |check: &String| Difference {
        id: CheckId {
            revision: revision.to_owned(),
            upstream: upstream.to_owned(),
            scenario: scenario.to_owned(),
            check: check.clone(),
        },
        change: format!("{} -> {}", show(without.get(check)), show(with.get(check))),
    };
    differ.map(describe).collect()
}

fn describe(differences: &[Difference]) -> Result<(), String> {
    let line = |difference: &Difference| format!("{}: {}", difference.id.check, difference.change);
    match differences {
        [] => Ok(()),
        some => Err(some.iter().map(line).collect::<Vec<_>>().join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(checks: &[(&str, &str)]) -> Results {
        let checks: Vec<Value> = checks
            .iter()
            .map(|(id, status)| serde_json::json!({"id": id, "status": status}))
            .collect();
        Results::from([("s".to_owned(), collect_statuses(&checks))])
    }

    #[test]
    fn a_check_that_ends_otherwise_or_is_missing_is_a_difference() {
        let without = results(&[("a", "SUCCESS"), ("a", "SUCCESS"), ("b", "INFO")]);
        assert_eq!(compare("r", "http", "s", (&without, &without)), []);
        let with = results(&[("a", "SUCCESS"), ("a", "FAILURE")]);
        let found = compare("r", "http", "s", (&without, &with));
        let found: Vec<String> = found
            .iter()
            .map(|difference| format!("{} {}", difference.id, difference.change))
            .collect();
        let expected =
            ["r http s a SUCCESS SUCCESS -> SUCCESS FAILURE", "r http s b INFO -> nothing"];
        assert_eq!(found, expected);
        assert!(judge_fixture(&with).is_err() && judge_fixture(&without).is_ok());
    }

    #[test]
    fn the_folder_of_a_scenario_has_its_name() {
        let name = scenario_name("server-tools-list-2026-11-17T13-48-15-566Z");
        assert_eq!(name, Some("tools-list"));
        assert_eq!(scenario_name("other"), None);
    }

    #[test]
    fn every_expected_difference_has_a_reason() {
        ExpectedList::parse(EXPECTED).unwrap();
    }
}
