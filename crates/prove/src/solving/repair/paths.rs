//! Realistic paths for an example, with a possible workspace and home folder.

use crate::solving::limits;
use crate::solving::literals::PolicyLiterals;
use countersign_graph::policies::facts::PathFacts;
use countersign_graph::policies::is_possible_fact_value;

pub(super) fn path_forms(example: &PathFacts, literals: &PolicyLiterals) -> Vec<PathFacts> {
    let mut found = Vec::new();
    // Not secret first: that is the simpler example.
    let secrets = if example.secret { &[false, true][..] } else { &[false] };
    for secret in secrets.iter().copied() {
        let file = if secret { ".env" } else { "file.txt" };
        let all = match &example.path {
            Some(path) => locate_paths(&candidate_paths(path, file, literals), example),
            None => candidate_names(example.name.as_deref(), file, literals),
        };
        found.extend(all.into_iter().map(|path| PathFacts { secret, ..path }));
    }
    found
}

/// Each path with every possible location of the workspace and home folder.
fn locate_paths(paths: &[String], example: &PathFacts) -> Vec<PathFacts> {
    let is_relative_to = |sign: &str| example.under.iter().any(|folder| folder.starts_with(sign));
    let mut found = Vec::new();
    for path in paths {
        let folders = candidate_folders(path);
        let unknown = [None];
        let homes = if is_relative_to("~") { &folders[..] } else { &unknown };
        for workspace in if is_relative_to(".") { &folders[..] } else { &unknown } {
            found.extend(homes.iter().map(|home| path_facts(path, *workspace, *home)));
        }
    }
    found
}

/// The facts of a path, given the locations of the workspace and home folder.
fn path_facts(path: &str, workspace: Option<&str>, home: Option<&str>) -> PathFacts {
    let mut under: Vec<String> = path_ancestors(path).into_iter().map(str::to_owned).collect();
    for (folder, sign) in [(workspace, "."), (home, "~")] {
        let Some(folder) = folder else { continue };
        let rest = path_ancestors(path).into_iter().filter_map(|above| above.strip_prefix(folder));
        let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with('/'));
        under.extend(rest.map(|rest| format!("{sign}{rest}")));
    }
    PathFacts {
        name: path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned),
        path: Some(path.to_owned()),
        under,
        in_workspace: workspace.is_some(),
        secret: false,
    }
}

/// The path and all its parent folders.
fn path_ancestors(path: &str) -> Vec<&str> {
    std::iter::successors(Some(path), |path| parent_folder(path)).collect()
}

fn parent_folder(path: &str) -> Option<&str> {
    match path.rsplit_once('/')? {
        ("", "") => None,
        ("", _) => Some("/"),
        (parent, _) => Some(parent),
    }
}

/// Possible locations of the workspace or home folder; the first is none.
fn candidate_folders(path: &str) -> Vec<Option<&str>> {
    let above = path_ancestors(path).into_iter().skip(1).filter(|folder| *folder != "/");
    let all = [None].into_iter().chain(above.map(Some)).chain([Some(path)]);
    all.take(limits::MAX_FOLDERS).collect()
}

/// Paths made of the folders and names that policies compare with, and the solver's path.
fn candidate_paths(example: &str, file: &str, literals: &PolicyLiterals) -> Vec<String> {
    let folders = literals.texts_for("under");
    let absolute = folders.iter().filter(|folder| path_ancestors(example).contains(folder));
    let deepest =
        absolute.max_by_key(|folder| folder.len()).map_or("", |f| f.trim_end_matches('/'));
    let below: Vec<_> = folders.iter().filter_map(|f| f.strip_prefix(['.', '~'])).collect();
    let mut middles = vec![String::new()];
    middles.extend(below.iter().map(|one| format!("/home/me/project{one}")));
    for one in &below {
        middles.extend(below.iter().map(|other| format!("/home/me{one}/project{other}")));
    }
    let names: Vec<_> = [file].into_iter().chain(literals.texts_for("name")).collect();
    let mut found = Vec::new();
    for middle in &middles {
        found.extend(names.iter().map(|name| format!("{deepest}{middle}/{name}")));
        found.push(format!("{deepest}{middle}"));
    }
    found.extend(literals.texts_for("path").into_iter().map(str::to_owned));
    found.push(example.to_owned());
    found.retain(|path| is_possible_fact_value("path", path) && path.split('/').all(is_plain_name));
    found.truncate(limits::MAX_PATHS);
    found
}

/// File names without a known folder.
fn candidate_names(example: Option<&str>, file: &str, literals: &PolicyLiterals) -> Vec<PathFacts> {
    let example = example.filter(|name| is_plain_name(name));
    let all = [file].into_iter().chain(literals.texts_for("name")).chain(example);
    let facts = |name: &str| PathFacts {
        path: None,
        name: Some(name.to_owned()),
        under: Vec::new(),
        in_workspace: false,
        secret: false,
    };
    all.filter(|name| is_possible_fact_value("name", name)).map(facts).collect()
}

/// Whether people would use this as a file name.
pub(super) fn is_plain_name(part: &str) -> bool {
    !matches!(part, "." | "..")
        && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-+@ ".contains(c))
}
