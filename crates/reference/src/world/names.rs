//! The few names that worlds are made of. Few, so that things meet.

use crate::chance::Chance;
use countersign_core::model::category::Category;
use countersign_core::model::names::{Action, Agent, Project, SessionName, Tool};

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

/// Several of each floor, and the modifiers.
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

/// Sessions with their agents and projects; the last one was never opened.
pub const SESSIONS: [(&str, &str, Option<&str>); 5] = [
    ("s1", "ada", Some("p1")),
    ("s2", "ada", Some("p1")),
    ("s3", "bert", Some("p1")),
    ("s4", "ada", None),
    ("s5", "ada", Some("p2")),
];

/// A session, mostly the first, with the agent and the project that belong to it.
pub fn session(chance: &mut Chance) -> Option<(SessionName, Agent, Option<Project>)> {
    let at = if chance.percent(60) { 0 } else { chance.below(SESSIONS.len()) };
    let (session, agent, project) = SESSIONS.get(at)?;
    let project = project.and_then(|project| Project::parse(project).ok());
    Some((SessionName::parse(session).ok()?, Agent::parse(agent).ok()?, project))
}

pub fn agent(chance: &mut Chance) -> Option<Agent> {
    Agent::parse(chance.pick(&["ada", "bert"])?).ok()
}

/// Common ones more often, so that histories repeat themselves.
pub fn action(chance: &mut Chance) -> Option<Action> {
    let common = ["mail.send", "files.write", "shell.run", "alerts.post"];
    let from = if chance.percent(50) { &common[..] } else { &ACTIONS[..] };
    Action::parse(chance.pick(from)?).ok()
}

pub fn actions(chance: &mut Chance, count: usize) -> Option<Vec<Action>> {
    (0..count).map(|_| action(chance)).collect()
}

pub fn category(chance: &mut Chance) -> Option<Category> {
    Category::parse(chance.pick(&CATEGORIES)?).ok()
}

pub fn categories(chance: &mut Chance, count: usize) -> Option<Vec<Category>> {
    (0..count).map(|_| category(chance)).collect()
}

pub fn tool(chance: &mut Chance) -> Option<Tool> {
    Tool::parse(chance.pick(&TOOLS)?).ok()
}

/// Command lines as words; the second and third differ in one word.
pub fn argv(chance: &mut Chance) -> Option<Vec<String>> {
    let line = chance.pick(&[
        "make",
        "git push here",
        "git push there",
        "dd of=/var/ours/x",
        "ls /var/ours.old",
    ])?;
    Some(line.split(' ').map(str::to_owned).collect())
}
