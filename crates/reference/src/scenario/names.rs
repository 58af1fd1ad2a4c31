//! The names that scenarios use. There are few, so that calls, grants and records match.

use crate::rng::Rng;
use countersign_core::model::category::Category;
use countersign_core::model::names::{Action, Agent, Project, SessionKey, SessionName, Tool};

/// Every action that a graph may list. `odd.thing` is listed by none.
pub const ACTIONS: [&str; 15] = [
    "mail.read",
    "mail.send",
    "mail.send_bulk",
    "mail.send_unknown",
    "mail.send_to_unknown",
    "files.read",
    "files.write",
    "files.drop",
    "shell.run",
    "shell.kill",
    "alerts.post",
    "alerts.page",
    "self.tune",
    "self.note",
    "odd.thing",
];

/// Actions that stand for a place of another action, and what a catastrophe adds. A graph lists some of them.
pub const PLACE_ACTIONS: [&str; 10] = [
    "files.read_secret",
    "files.read_outside_workspace",
    "files.write_secret",
    "files.write_guarded",
    "files.write_outside_workspace",
    "shell.run_secret",
    "shell.run_outside_workspace",
    "mail.send_unknown_secret",
    "mail.send_outside_workspace",
    "system.destroy",
];

/// Several categories of each risk floor, and the modifiers.
pub const CATEGORIES: [&str; 11] = [
    "filesystem_read",
    "local_read_only",
    "focus_change",
    "capture_screen",
    "filesystem_write",
    "git",
    "credential_context_present",
    "shell_exec",
    "network",
    "nobody_knows_it",
    "purchase",
];

pub const TOOLS: [&str; 5] = ["sh", "fs_read", "fs_write", "post", "unmapped"];
pub const WORKFLOWS: [&str; 2] = ["tidy", "ship"];
pub const STEPS: [&str; 3] = ["first", "second", "nowhere"];
pub const TARGETS: [&str; 5] = ["ann@here", "bob@here", "/tmp/a", "/var/ours/ledger", "/var/oursX"];

/// Sessions with their agents and projects; the last one was never opened. Two agents use one name.
pub const SESSIONS: [(&str, &str, Option<&str>); 5] = [
    ("s1", "ada", Some("p1")),
    ("s2", "ada", Some("p1")),
    ("s1", "bert", Some("p1")),
    ("s4", "ada", None),
    ("s5", "ada", Some("p2")),
];

/// A session, usually the first, with its agent and project.
pub fn pick_session(rng: &mut Rng) -> Option<(SessionKey, Agent, Option<Project>)> {
    let at = if rng.chance(60) { 0 } else { rng.below(SESSIONS.len()) };
    let (session, agent, project) = SESSIONS.get(at)?;
    let project = project.and_then(|project| Project::parse(project).ok());
    let agent = Agent::parse(agent).ok()?;
    Some((session_key(&agent, session)?, agent, project))
}

pub fn session_key(agent: &Agent, name: &str) -> Option<SessionKey> {
    Some(SessionKey::new(agent, &SessionName::parse(name).ok()?))
}

pub fn pick_agent(rng: &mut Rng) -> Option<Agent> {
    Agent::parse(rng.pick(&["ada", "bert"])?).ok()
}

/// Picks common actions more often, so that histories repeat actions.
pub fn pick_action(rng: &mut Rng) -> Option<Action> {
    let common = ["mail.send", "files.write", "shell.run", "alerts.post"];
    let from = match rng.below(100) {
        0..50 => &common[..],
        50..56 => &PLACE_ACTIONS[..],
        _ => &ACTIONS[..],
    };
    Action::parse(rng.pick(from)?).ok()
}

pub fn pick_actions(rng: &mut Rng, count: usize) -> Option<Vec<Action>> {
    (0..count).map(|_| pick_action(rng)).collect()
}

pub fn pick_category(rng: &mut Rng) -> Option<Category> {
    Category::parse(rng.pick(&CATEGORIES)?).ok()
}

pub fn pick_categories(rng: &mut Rng, count: usize) -> Option<Vec<Category>> {
    (0..count).map(|_| pick_category(rng)).collect()
}

pub fn pick_tool(rng: &mut Rng) -> Option<Tool> {
    Tool::parse(rng.pick(&TOOLS)?).ok()
}

/// Command lines split into words; the second and third differ in one word.
pub fn pick_argv(rng: &mut Rng) -> Option<Vec<String>> {
    let line = rng.pick(&[
        "make",
        "git push here",
        "git push there",
        "dd of=/var/ours/x",
        "ls /var/ours.old",
    ])?;
    Some(line.split(' ').map(str::to_owned).collect())
}
