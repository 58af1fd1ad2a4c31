//! Settings of a project that lead our hooks, or the commands of an agent, astray.

use crate::files::read_if_present;
use countersign_harness::find_misleading_variables;
use std::path::Path;

/// The settings of Claude Code that a repository can bring along.
const PROJECT_FILES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// One sentence for each file of the project that sets such variables.
pub fn find_misleading_settings(folder: &Path) -> Vec<String> {
    let describe = |name: &&str| {
        let path = folder.join(name);
        let bytes = read_if_present(&path).ok().flatten()?;
        let found = find_misleading_variables(&String::from_utf8_lossy(&bytes));
        let names = found.join(", ");
        (!found.is_empty())
            .then(|| format!("{} sets {names} for programs and hooks", path.display()))
    };
    PROJECT_FILES.iter().filter_map(describe).collect()
}
