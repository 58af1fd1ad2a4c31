//! The files that a patch changes, in the two forms that agents send: `*** Begin Patch`, and a
//! unified diff.
//!
//! A text in another form has no files here, and nobody can say what it would change.

use countersign_core::model::graph::ToolMapping;
use serde_json::Value;
use std::collections::BTreeMap;

/// The files that patches in the arguments change, by the pointer of the tool's mapping that finds
/// the patch.
pub fn find_patched_files(mapping: &ToolMapping, args: &Value) -> BTreeMap<String, Vec<String>> {
    let edits_files = mapping.actions.iter().any(|action| action.as_str().starts_with("files."));
    let find = |pointer: &String, edits_files: bool| {
        let is_patch = |text: &&str| text.contains('\n') || PATCHES.contains(&pointer.as_str());
        let text = args.pointer(pointer)?.as_str().filter(is_patch)?;
        let files = match list_patch_files(text) {
            files if files.is_empty() && edits_files => vec![ANYWHERE.to_owned()],
            files => files,
        };
        Some((pointer.clone(), files)).filter(|(_, files)| !files.is_empty())
    };
    let targets = mapping.target.iter().filter_map(|pointer| find(pointer, edits_files));
    targets.chain(mapping.recipient.iter().filter_map(|pointer| find(pointer, false))).collect()
}

/// Where the tools of the programs have a patch, and never a path.
const PATCHES: &[&str] = &["/input", "/command", "/patch", "/patchText", "/patch_text"];

/// What a text changes that should be a patch and is none: nobody can say, so it may be any file. In
/// another place a text of one line is a path.
const ANYWHERE: &str = "/";

/// The files that a patch names, each once; empty if the text is no patch.
fn list_patch_files(text: &str) -> Vec<String> {
    let mut files = Vec::new();
    let is_envelope = text.lines().any(|line| line.trim() == "*** Begin Patch");
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let named = match is_envelope {
            true => find_envelope_file(line),
            false => find_diff_file(line, at.checked_sub(1).and_then(|at| lines.get(at)).copied()),
        };
        if let Some(named) = named.filter(|named| !named.is_empty())
            && !files.iter().any(|known| known == named)
        {
            files.push(named.to_owned());
        }
    }
    files
}

fn find_envelope_file(line: &str) -> Option<&str> {
    ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "]
        .iter()
        // Programs that apply such a patch ignore blanks in front of a header.
        .find_map(|start| line.trim_start().strip_prefix(start))
        .map(str::trim)
}

/// A pair of lines `--- a/FILE` and `+++ b/FILE` names the file before and after. Such a line in the
/// middle of a hunk is content.
fn find_diff_file<'t>(line: &'t str, before: Option<&'t str>) -> Option<&'t str> {
    if let Some(path) =
        ["rename from ", "rename to ", "copy to "].iter().find_map(|start| line.strip_prefix(start))
    {
        return Some(path.trim());
    }
    let new = line.strip_prefix("+++ ")?;
    let old = before?.strip_prefix("--- ")?;
    let path = [new, old].into_iter().map(strip_diff_name).find(|path| *path != "/dev/null")?;
    Some(path)
}

/// Without the time behind a tab, and without git's `a/` and `b/`.
fn strip_diff_name(name: &str) -> &str {
    let name = name.split('\t').next().unwrap_or(name).trim();
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_both_forms_are_found() {
        let envelope = "*** Begin Patch\n*** Add File: src/new.rs\n+x\n*** Update File: a b.rs\n\
              *** Move to: ../c.rs\n@@\n-*** Add File: content\n*** Delete File: src/new.rs\n*** End Patch";
        assert_eq!(list_patch_files(envelope), ["src/new.rs", "a b.rs", "../c.rs"]);
        let diff = "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n\
            --- old comment\n+new\n--- /dev/null\n+++ b/.env\t2026\n@@ -0,0 +1 @@\n+A=1\n--- a/z\n+++ /dev/null\n";
        assert_eq!(list_patch_files(diff), ["x", "y", ".env", "z"]);
    }

    #[test]
    fn a_text_that_is_no_patch_has_no_files() {
        for text in ["", "src/a.rs", "*** Begin Patch", "+++ b/x", "@@ -1 +1 @@\n-a\n+b"] {
            assert!(list_patch_files(text).is_empty(), "{text:?}");
        }
    }
}
