//! The bounded search below a folder for files that a program reads wherever they are: `build.rs` of
//! every package, `conftest.py` of every folder with tests.

use crate::file_system::{FileSystem, StampKind};
use crate::limits;
use crate::real_path::RealPath;
use countersign_commands::{RunFileGroup, SearchStart};
use std::collections::VecDeque;

/// What a search found, and whether it left something out.
#[derive(Debug, Default)]
pub(super) struct SearchResult {
    pub(super) paths: Vec<String>,
    pub(super) is_cut: bool,
}

/// Folders of what was built or fetched. Programs do not look there by themselves.
const GENERATED: &[&str] = &[
    "node_modules",
    "target",
    "dist",
    "__pycache__",
    "venv",
    "site-packages",
    "vendor",
    "coverage",
];
/// Folders inside of a package, in which no other package is.
const INSIDE_PACKAGE: &[&str] =
    &["src", "lib", "test", "tests", "benches", "docs", "public", "static", "assets", "build"];

pub(super) fn is_below_name(group: &RunFileGroup, name: &str) -> bool {
    group.below.iter().any(|wanted| match wanted.strip_prefix('*') {
        Some(end) => name.ends_with(end),
        None => *wanted == name,
    })
}

pub(super) fn find_below(
    files: &dyn FileSystem,
    folder: &str,
    group: &RunFileGroup,
) -> SearchResult {
    let mut result = SearchResult::default();
    let mut waiting = VecDeque::from([(folder.to_owned(), 0)]);
    let (mut seen_folders, mut seen_names) = (0_usize, 0_usize);
    while let Some((at, depth)) = waiting.pop_front() {
        seen_folders += 1;
        if seen_folders > limits::MAX_SEARCHED_FOLDERS {
            result.is_cut = true;
            break;
        }
        let Ok(names) = files.list_folder(&RealPath::from_text(&at)) else {
            result.is_cut = true;
            continue;
        };
        seen_names += names.len();
        if seen_names > limits::MAX_SEARCHED_NAMES {
            result.is_cut = true;
            break;
        }
        let is_package = depth > 0
            && group.below_from == SearchStart::Workspace
            && names.iter().any(|name| matches!(name.as_str(), "Cargo.toml" | "package.json"));
        for name in names {
            let path = format!("{}/{name}", at.trim_end_matches('/'));
            if is_below_name(group, &name) {
                result.paths.push(path);
                continue;
            }
            let is_left_out = name.starts_with('.')
                || GENERATED.contains(&name.as_str())
                || (is_package && INSIDE_PACKAGE.contains(&name.as_str()));
            if !is_left_out && is_folder(files, &path) {
                waiting.push_back((path, depth + 1));
            }
        }
    }
    result
}

/// Links are not followed: they may lead in a circle.
fn is_folder(files: &dyn FileSystem, path: &str) -> bool {
    let is_folder = |path: &str| matches!(files.read_stamp(path), Ok(Some(stamp)) if stamp.kind == StampKind::Folder);
    is_folder(path) && files.resolve_path(path, "/").is_ok_and(|real| real.as_str() == path)
}
