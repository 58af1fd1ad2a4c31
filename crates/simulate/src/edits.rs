//! The files that replayed calls would have changed, as far as a later line executes them.
//!
//! A replay executes nothing, so the arguments of an edit say what the file would be. Where nobody
//! knows what it was before, the new text stands for all of it: that counts as a change, perhaps one
//! too many. What a command line writes is not known.
//!
//! See docs/decisions/0119-write-then-run.md.

use countersign_core::model::time::Time;
use countersign_observe::{FileEdits, is_run_file};
use serde_json::Value;

/// Keys of the arguments that name the file of an edit.
const PATHS: &[&str] = &["file_path", "path", "filePath"];
/// Keys of the arguments that hold a patch.
const PATCHES: &[&str] = &["patch", "input", "command"];
/// The lines of a patch that name a file.
const PATCHED: &[&str] = &["*** Add File: ", "*** Update File: ", "*** Delete File: "];

/// Carries out the edits of a call on files that decide what lines execute.
pub(crate) fn apply_edits(edits: &FileEdits, args: &Value, cwd: Option<&str>, at: Time) {
    let path = PATHS.iter().find_map(|key| args.get(key)?.as_str());
    if let Some(path) = path.map(|path| place(path, cwd)).filter(|path| is_run_file(path)) {
        let before = edits.read(&path);
        if let Some(after) = edit_text(before.as_deref(), args) {
            edits.write(&path, &after, at);
        }
    }
    for patch in PATCHES.iter().filter_map(|key| args.get(key)?.as_str()) {
        let named = patch.lines().filter_map(|line| {
            PATCHED.iter().find_map(|start| line.strip_prefix(start)).map(str::trim)
        });
        for path in named.map(|path| place(path, cwd)).filter(|path| is_run_file(path)) {
            edits.write(&path, patch, at);
        }
    }
}

fn place(path: &str, cwd: Option<&str>) -> String {
    match cwd {
        Some(cwd) if !path.starts_with('/') => {
            format!("{}/{}", cwd.trim_end_matches('/'), path.trim_start_matches("./"))
        }
        _ => path.to_owned(),
    }
}

/// The text after an edit; `None` if the call edits nothing.
fn edit_text(before: Option<&str>, args: &Value) -> Option<String> {
    if let Some(content) = args.get("content").and_then(Value::as_str) {
        return Some(content.to_owned());
    }
    let listed = args.get("edits").and_then(Value::as_array);
    let edits: Vec<&Value> = listed.map_or_else(|| vec![args], |list| list.iter().collect());
    let mut text = before.map(str::to_owned);
    let mut is_edit = false;
    for edit in edits {
        let word = |key: &str| edit.get(key).and_then(Value::as_str);
        let (Some(old), Some(new)) = (word("old_string"), word("new_string")) else { continue };
        is_edit = true;
        text = Some(match text.filter(|text| text.contains(old)) {
            Some(text) => text.replacen(old, new, 1),
            None => new.to_owned(),
        });
    }
    text.filter(|_| is_edit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn apply(calls: &[Value]) -> FileEdits {
        let edits = FileEdits::default();
        for args in calls {
            apply_edits(&edits, args, Some("/w"), Time::from_micros(0));
        }
        edits
    }

    #[test]
    fn edits_of_files_that_lines_execute_are_carried_out() {
        let edits = apply(&[
            json!({"file_path": "/w/Makefile", "content": "a:\n\tb\n"}),
            json!({"file_path": "/w/Makefile", "old_string": "b", "new_string": "c"}),
            json!({"file_path": "just/justfile", "edits": [{"old_string": "x", "new_string": "y"}]}),
            json!({"command": "*** Begin Patch\n*** Update File: build.rs\n@@\n+fn a() {}\n"}),
            json!({"file_path": "/w/src/main.rs", "content": "fn main() {}"}),
            json!({"file_path": "/w/package.json"}),
        ]);
        assert_eq!(edits.read("/w/Makefile").as_deref(), Some("a:\n\tc\n"));
        assert_eq!(edits.read("/w/just/justfile").as_deref(), Some("y"));
        assert!(edits.read("/w/build.rs").is_some());
        assert_eq!(edits.read("/w/src/main.rs"), None);
        assert_eq!(edits.read("/w/package.json"), None);
    }
}
