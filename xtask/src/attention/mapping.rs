//! Extracted calls, and their paths on this machine.
//!
//! Sessions that began in the same folder share a workspace, as they did where they ran: what an
//! operator pins for a project holds in the next session. A folder that lies where tools put linked
//! worktrees is one. Folders that the calls name exist. They hold the files of a mirror, or else nothing
//! but the files that define the tasks which are run there.

use super::machine::ScratchMachine;
use super::surroundings::Surroundings;
use crate::failure::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One call as it was extracted from a transcript.
#[derive(Debug, Deserialize)]
pub(super) struct ExtractedCall {
    pub(super) session: String,
    pub(super) harness: String,
    pub(super) repo: String,
    pub(super) tool: String,
    pub(super) args: Value,
    pub(super) cwd: Option<String>,
    root: Option<String>,
    home: Option<String>,
}

impl ExtractedCall {
    fn key(&self) -> (&str, &str) {
        (&self.repo, &self.session)
    }

    /// The command line, if it has one where all harnesses have it.
    pub(super) fn command(&self) -> Option<&str> {
        self.args.get("command")?.as_str()
    }
}

pub(super) fn read_calls(path: &Path) -> Result<Vec<ExtractedCall>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| Failure::new(format!("{}:{number}: {error}", path.display())))
    };
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
}

/// Where the paths of a session lead here.
struct PathMap {
    /// What a path begins with there, and here; the longer one first.
    prefixes: Vec<(String, String)>,
    is_windows: bool,
}

/// Where tools put the linked worktrees of a repository: what stands in front is its main worktree.
const WORKTREE_MARKS: [&str; 4] =
    ["/.worktrees/", "/.claude/worktrees/", "\\.claude\\worktrees\\", "__worktrees/"];

/// The main worktree of the repository of which a folder is a linked one, by its path.
fn find_main_worktree(root: &str) -> Option<&str> {
    WORKTREE_MARKS.iter().find_map(|mark| root.split_once(mark)).map(|(main, _)| main)
}

impl PathMap {
    /// `main` is the main worktree here, if the session works in a linked one.
    fn new(call: &ExtractedCall, (workspace, main): (&str, Option<&str>), home: &str) -> Self {
        let root = call.root.as_deref();
        let places = [
            (root, workspace),
            (
                root.and_then(find_main_worktree).filter(|_| main.is_some()),
                main.unwrap_or_default(),
            ),
            (call.home.as_deref(), home),
        ];
        let mut prefixes = Vec::new();
        for (from, to) in places {
            let Some(from) = from.filter(|from| from.len() > 3) else { continue };
            prefixes.push((from.to_owned(), to.to_owned()));
            if let Some((drive, rest)) = from.split_once(":\\") {
                let slashed = rest.replace('\\', "/");
                prefixes.push((format!("{drive}:/{slashed}"), to.to_owned()));
                prefixes.push((format!("/{}/{slashed}", drive.to_lowercase()), to.to_owned()));
            }
        }
        let is_windows = call.root.as_ref().is_some_and(|root| root.contains(":\\"));
        Self { prefixes, is_windows }
    }

    fn map_text(&self, text: &str) -> String {
        let mut mapped = text.to_owned();
        for (from, to) in &self.prefixes {
            mapped = self.replace_prefix(&mapped, from, to);
        }
        mapped
    }

    /// Replaces a path wherever it is a whole path or the beginning of one.
    fn replace_prefix(&self, text: &str, from: &str, to: &str) -> String {
        let (mut mapped, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once(from) {
            mapped.push_str(before);
            let goes_on = |c: char| c.is_alphanumeric() || "_.-".contains(c);
            if after.starts_with(goes_on) {
                mapped.push_str(from);
                rest = after;
                continue;
            }
            mapped.push_str(to);
            rest = after;
            if self.is_windows {
                let ends = |c: char| !(c.is_alphanumeric() || "\\/_.@+-".contains(c));
                let end = rest.find(ends).unwrap_or(rest.len());
                let (path, others) = rest.split_at(end);
                mapped.push_str(&path.replace('\\', "/"));
                rest = others;
            }
        }
        mapped + rest
    }

    fn map_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.map_text(text)),
            Value::Array(items) => items.iter().map(|item| self.map_value(item)).collect(),
            Value::Object(fields) => {
                let field = |(key, value): (&String, &Value)| (key.clone(), self.map_value(value));
                Value::Object(fields.iter().map(field).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

/// Writes the calls with paths of this machine, and creates the folders that they name.
pub(super) fn lay_out(
    calls: &[ExtractedCall],
    machine: &ScratchMachine,
    mirrors: Option<&Path>,
) -> Result<PathBuf, Failure> {
    let mut sessions: BTreeMap<(&str, &str), (String, String, PathMap)> = BTreeMap::new();
    let mut workspaces: BTreeMap<(&str, Option<&str>), String> = BTreeMap::new();
    let mut worktrees: BTreeMap<String, String> = BTreeMap::new();
    let (mut lines, mut folders) = (String::new(), BTreeSet::new());
    let mut surroundings = Surroundings::default();
    for call in calls {
        let (count, shared) = (sessions.len(), workspaces.len());
        let (name, workspace, map) = sessions.entry(call.key()).or_insert_with(|| {
            let main = call.root.as_deref().and_then(find_main_worktree).map(|main| {
                let main = workspaces.entry((&call.repo, Some(main)));
                main.or_insert_with(|| machine.workspace(shared)).clone()
            });
            let shared = workspaces.len();
            let workspace = workspaces.entry((&call.repo, call.root.as_deref()));
            let workspace = workspace.or_insert_with(|| machine.workspace(shared)).clone();
            worktrees.extend(main.clone().map(|main| (workspace.clone(), main)));
            let map = PathMap::new(call, (&workspace, main.as_deref()), machine.home());
            (format!("s{count:05}"), workspace, map)
        });
        let args = map.map_value(&call.args);
        let cwd = call.cwd.as_deref().map_or_else(|| workspace.clone(), |cwd| map.map_text(cwd));
        let cwd = if cwd.starts_with('/') { cwd } else { workspace.clone() };
        let mut entered = collect_folders(&mut folders, &cwd, &args);
        entered.extend([cwd.clone(), workspace.clone()]);
        let line = args.get("command").and_then(Value::as_str).unwrap_or_default();
        surroundings.add(line, &entered);
        let row = json!({
            "session": name, "tool": call.tool, "args": args, "cwd": cwd, "project": workspace,
        });
        lines.push_str(&row.to_string());
        lines.push('\n');
    }
    let own = workspaces.iter().filter(|(_, path)| !worktrees.contains_key(*path));
    let repositories = own.map(|((repo, _), path)| (*repo, path.as_str()));
    machine.create_repositories(repositories, mirrors)?;
    machine.create_folders(&folders)?;
    machine.create_stand_ins(&surroundings.programs)?;
    machine.link_worktrees(&worktrees)?;
    let linked = workspaces.iter().filter(|(_, path)| worktrees.contains_key(*path));
    machine.fill(linked.map(|((repo, _), path)| (*repo, path.as_str())), mirrors)?;
    if mirrors.is_none() {
        machine.create_files(surroundings.list_files());
    }
    machine.write("calls.jsonl", &lines)
}

/// Collects the folders that exist because a call runs in them, enters them, or names a file in them,
/// and returns those that it enters.
fn collect_folders(folders: &mut BTreeSet<String>, cwd: &str, args: &Value) -> Vec<String> {
    let mut found = Vec::new();
    folders.insert(cwd.to_owned());
    for key in ["file_path", "path", "filePath", "notebook_path"] {
        let path = args.get(key).and_then(Value::as_str).filter(|path| path.starts_with('/'));
        if let Some((folder, _)) = path.and_then(|path| path.rsplit_once('/')) {
            folders.insert(folder.to_owned());
        }
    }
    let line = args.get("command").and_then(Value::as_str).unwrap_or_default();
    let mut words = line.split([' ', '\n', ';', '&', '|']).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let entered = (word == "cd").then(|| words.next()).flatten();
        let is_plain =
            |path: &&str| path.chars().all(|c| c.is_alphanumeric() || "/_.-".contains(c));
        if let Some(path) = entered.filter(is_plain) {
            found.push(Path::new(cwd).join(path).display().to_string());
        }
    }
    folders.extend(found.iter().cloned());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(root: &str, home: &str) -> PathMap {
        let call = ExtractedCall {
            session: "s".into(),
            harness: "h".into(),
            repo: "r".into(),
            tool: "Bash".into(),
            args: json!({}),
            cwd: None,
            root: Some(root.into()),
            home: Some(home.into()),
        };
        PathMap::new(&call, ("/home/x/w", Some("/home/x/m")), "/home/x")
    }

    #[test]
    fn the_main_worktree_of_a_linked_one_is_mapped_too() {
        let map = map("/Users/ana/shop/.worktrees/fix", "/Users/ana");
        assert_eq!(map.map_text("/Users/ana/shop/.worktrees/fix/a.rs"), "/home/x/w/a.rs");
        assert_eq!(map.map_text("cat /Users/ana/shop/a.rs"), "cat /home/x/m/a.rs");
        assert_eq!(find_main_worktree("/w/shop__worktrees/fix"), Some("/w/shop"));
        assert_eq!(find_main_worktree("/w/shop"), None);
    }

    #[test]
    fn a_workspace_is_mapped_and_its_sibling_goes_to_the_home_folder() {
        let map = map("/Users/ana/shop", "/Users/ana");
        assert_eq!(map.map_text("cat /Users/ana/shop/a.rs"), "cat /home/x/w/a.rs");
        assert_eq!(map.map_text("/Users/ana/shop-2/a.rs"), "/home/x/shop-2/a.rs");
    }

    #[test]
    fn a_windows_path_becomes_a_path_inside_the_workspace() {
        let map = map("C:\\Users\\ana\\shop", "");
        assert_eq!(map.map_text("C:\\Users\\ana\\shop\\src\\a.go"), "/home/x/w/src/a.go");
        assert_eq!(map.map_text("cd /c/Users/ana/shop && ls"), "cd /home/x/w && ls");
    }
}
