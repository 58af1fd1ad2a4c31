//! Rows about files: our own under other names, rules that change, and a record that loses its log.

use super::acts::{Act, answer, grant, introduce, pause, revoke};
use super::daemon::Daemon;
use super::world::{Checked, GRAPH, WRITE, call, check, open_request, read_tool, text};
use super::{PATIENCE, Site, TrialResult};
use countersign_client::ClientError;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;
use xtask::bench::runs::Context;
use xtask::clock::Stopwatch;
use xtask::failure::Failure;
use xtask::hostile::{Finding, Verdict};

/// From the change of a file until it is in force.
const RULES_LIMIT: Duration = Duration::from_secs(2);

pub fn read_own_files(site: &Site<'_>) -> TrialResult<Finding> {
    let node = site.start_node("one", GRAPH)?;
    let workspace = site.folder().join("workspace");
    std::fs::create_dir(&workspace).context("a workspace")?;
    let plain = workspace.join("plain");
    std::fs::write(&plain, "").context("a file of the agent")?;
    // The control: reading is free, so that a denial is about the path.
    let plain = plain.display().to_string();
    if !check(&node.agent(), &read_tool("reader", &plain)).is_allowed() {
        return Err(Failure::new("an ordinary file was not allowed"));
    }
    let spellings = spell_token(&node, &workspace)?;
    let mut reached = Vec::new();
    for spelling in &spellings {
        let checked = check(&node.agent(), &read_tool("reader", spelling));
        if !matches!(checked, Checked::Denied { .. }) {
            reached.push(format!("{spelling}: {checked}"));
        }
    }
    Ok(Finding {
        tried: format!("{} spellings of the operator's token for a reading tool", spellings.len()),
        found: match reached.as_slice() {
            [] => "all denied; an ordinary file is allowed".to_owned(),
            reached => format!("{} not denied: {}", reached.len(), reached.join(", ")),
        },
        verdict: Verdict::from(reached.is_empty()),
    })
}

fn spell_token(node: &Daemon, workspace: &Path) -> TrialResult<Vec<String>> {
    let data = std::fs::canonicalize(node.data()).context("the daemon's folder")?;
    let token = data.join("operator.token");
    let (link, folder, hard) =
        (workspace.join("link"), workspace.join("folder"), workspace.join("hard"));
    symlink(&token, &link).context("a link")?;
    symlink(&data, &folder).context("a link")?;
    std::fs::hard_link(&token, &hard).context("a second name")?;
    let (data, token) = (data.display(), token.display());
    let workspace = workspace.display();
    Ok(vec![
        token.to_string(),
        format!("/{token}"),
        format!("{data}//operator.token"),
        format!("{data}/./operator.token"),
        format!("{data}/../data/operator.token"),
        format!("{data}/missing/../operator.token"),
        format!("{workspace}/../one/data/operator.token"),
        link.display().to_string(),
        folder.join("operator.token").display().to_string(),
        hard.display().to_string(),
        format!("/proc/self/root{token}"),
    ])
}

const RULED: &str = "rules: policies\n";
/// A folder without a policy is refused.
const NO_WIPING: &str = "\
@id(\"no-wiping\")
forbid (principal, action == Action::\"files.wipe\", resource);
";
const NO_READING: &str = "\
@id(\"no-reading\")
forbid (principal, action == Action::\"files.read\", resource);
";

pub fn change_rules(site: &Site<'_>) -> TrialResult<Finding> {
    let policies = site.folder().join("one/policies");
    std::fs::create_dir_all(&policies).context("a folder for policies")?;
    std::fs::write(policies.join("no-wiping.cedar"), NO_WIPING).context("a policy")?;
    let node = site.start_node("one", &format!("{RULED}{GRAPH}"))?;
    let policy = policies.join("no-reading.cedar");
    let stricter = GRAPH.replace("autonomous: [read]", "autonomous: []");
    let stricter = stricter.replace("blocked: [wipe]", "blocked: [wipe, read]");
    let (mut by_graph, mut by_policy, mut rounds) = (Duration::ZERO, Duration::ZERO, 0);
    for round in site.extent.rounds(2, 20) {
        rounds = round;
        let write = |text: &str| std::fs::write(node.graph(), format!("{RULED}{text}"));
        write(&stricter).context("the graph")?;
        by_graph = by_graph.max(wait_until(&node, Wanted::Denied)?);
        write(GRAPH).context("the graph")?;
        by_graph = by_graph.max(wait_until(&node, Wanted::Allowed)?);
        std::fs::write(&policy, NO_READING).context("a policy")?;
        by_policy = by_policy.max(wait_until(&node, Wanted::Denied)?);
        std::fs::remove_file(&policy).context("a policy")?;
        by_policy = by_policy.max(wait_until(&node, Wanted::Allowed)?);
    }
    let slowest = by_graph.max(by_policy);
    Ok(Finding {
        tried: format!("{} changes of the graph and as many of a policy", 2 * rounds),
        found: format!(
            "in force after {} ms (graph) and {} ms (policy) at most",
            by_graph.as_millis(),
            by_policy.as_millis()
        ),
        verdict: Verdict::from(slowest <= RULES_LIMIT),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Allowed,
    Denied,
}

/// How long it takes until reading is decided as the rules now say.
fn wait_until(node: &Daemon, wanted: Wanted) -> TrialResult<Duration> {
    let watch = Stopwatch::start();
    while watch.elapsed() < PATIENCE / 4 {
        let checked = check(&node.agent(), &call("reader", super::world::READ, 1));
        let is_there = match wanted {
            Wanted::Allowed => checked.is_allowed(),
            Wanted::Denied => matches!(checked, Checked::Denied { .. }),
        };
        if is_there {
            return Ok(watch.elapsed());
        }
    }
    Err(Failure::new(format!("changed rules were not in force after {:?}", watch.elapsed())))
}

pub fn delete_log(site: &Site<'_>) -> TrialResult<Finding> {
    let (mut rounds, mut refused, mut kept, mut lost) = (0, 0, 0, Vec::new());
    for round in site.extent.rounds(3, 30) {
        rounds = round;
        let mut node = site.start_node(&format!("log-{round}"), GRAPH)?;
        match act_without_log(&node, round)? {
            Err(_) => refused += 1,
            Ok(act) => {
                node.kill()?;
                let is_there = node
                    .restart()
                    .and_then(|()| act.is_in_force(&node.agent(), &node.operator()))
                    .unwrap_or(false);
                if is_there { kept += 1 } else { lost.push(format!("{act:?}")) }
            }
        }
    }
    Ok(Finding {
        tried: format!("{rounds} acts after the `-wal` file was deleted, each followed by a kill"),
        found: match lost.first() {
            None => format!("{refused} refused, {kept} survived"),
            Some(act) => format!("{} acknowledged and lost, such as {act}", lost.len()),
        },
        verdict: Verdict::from(lost.is_empty()),
    })
}

/// The first act after the log is gone: in turn a pause, a revocation and an answer.
fn act_without_log(node: &Daemon, round: usize) -> TrialResult<Result<Act, ClientError>> {
    let operator = node.operator();
    let card = open_request(&node.agent(), &operator, &call("s1", WRITE, 1))?;
    let grant = grant(&operator, "s1").context("a grant")?;
    introduce(&operator, "paused").context("a new agent")?;
    std::fs::remove_file(node.data().join("countersign.db-wal")).context("the log")?;
    Ok(match round % 3 {
        1 => {
            let agent = "paused".to_owned();
            pause(&operator, &agent).map(|_| Act::Paused { agent })
        }
        2 => revoke(&operator, &grant).map(|_| Act::Revoked { grant }),
        _ => answer(&operator, &card, "once")
            .map(|_| Act::Answered { request: text(&card, "request") }),
    })
}
