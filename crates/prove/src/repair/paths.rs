//! Paths that somebody could have, seen from a workspace and a home folder that could be.

use crate::limits;
use crate::spelled::Spelled;
use countersign_graph::policies::facts::PathFacts;
use countersign_graph::policies::is_possible_fact_value;

pub(super) fn forms(shown: &PathFacts, spelled: &Spelled) -> Vec<PathFacts> {
    let mut found = Vec::new();
    // The plain answer first.
    let secrets = if shown.secret { &[false, true][..] } else { &[false] };
    for secret in secrets.iter().copied() {
        let file = if secret { ".env" } else { "file.txt" };
        let all = match &shown.path {
            Some(path) => placed(&plain_paths(path, file, spelled), shown),
            None => plain_names(shown.name.as_deref(), file, spelled),
        };
        found.extend(all.into_iter().map(|path| PathFacts { secret, ..path }));
    }
    found
}

/// Each path, seen from every folder above it that it could be seen from.
fn placed(paths: &[String], shown: &PathFacts) -> Vec<PathFacts> {
    let from = |sign: &str| shown.under.iter().any(|folder| folder.starts_with(sign));
    let mut found = Vec::new();
    for path in paths {
        let folders = folders(path);
        let nowhere = [None];
        let homes = if from("~") { &folders[..] } else { &nowhere };
        for workspace in if from(".") { &folders[..] } else { &nowhere } {
            found.extend(homes.iter().map(|home| seen_from(path, *workspace, *home)));
        }
    }
    found
}

/// A path and what it lies under, with the workspace and the home folder in these places.
fn seen_from(path: &str, workspace: Option<&str>, home: Option<&str>) -> PathFacts {
    let mut under: Vec<String> = above(path).into_iter().map(str::to_owned).collect();
    for (folder, sign) in [(workspace, "."), (home, "~")] {
        let Some(folder) = folder else { continue };
        let rest = above(path).into_iter().filter_map(|above| above.strip_prefix(folder));
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

/// The path and every folder above it.
fn above(path: &str) -> Vec<&str> {
    std::iter::successors(Some(path), |path| parent(path)).collect()
}

fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('/')? {
        ("", "") => None,
        ("", _) => Some("/"),
        (parent, _) => Some(parent),
    }
}

/// Where a workspace or home folder could be; first nowhere above the path.
fn folders(path: &str) -> Vec<Option<&str>> {
    let above = above(path).into_iter().skip(1).filter(|folder| *folder != "/");
    let all = [None].into_iter().chain(above.map(Some)).chain([Some(path)]);
    all.take(limits::FOLDERS).collect()
}

/// Paths in the folders and by the names that policies spell out, and the one that was shown.
fn plain_paths(shown: &str, file: &str, spelled: &Spelled) -> Vec<String> {
    let folders = spelled.of("under");
    let absolute = folders.iter().filter(|folder| above(shown).contains(folder));
    let deepest =
        absolute.max_by_key(|folder| folder.len()).map_or("", |f| f.trim_end_matches('/'));
    let below: Vec<_> = folders.iter().filter_map(|f| f.strip_prefix(['.', '~'])).collect();
    let mut middles = vec![String::new()];
    middles.extend(below.iter().map(|one| format!("/home/me/project{one}")));
    for one in &below {
        middles.extend(below.iter().map(|other| format!("/home/me{one}/project{other}")));
    }
    let names: Vec<_> = [file].into_iter().chain(spelled.of("name")).collect();
    let mut found = Vec::new();
    for middle in &middles {
        found.extend(names.iter().map(|name| format!("{deepest}{middle}/{name}")));
        found.push(format!("{deepest}{middle}"));
    }
    found.extend(spelled.of("path").into_iter().map(str::to_owned));
    found.push(shown.to_owned());
    found.retain(|path| is_possible_fact_value("path", path) && path.split('/').all(is_plain));
    found.truncate(limits::PATHS);
    found
}

/// Names of which nobody knows the folder.
fn plain_names(shown: Option<&str>, file: &str, spelled: &Spelled) -> Vec<PathFacts> {
    let shown = shown.filter(|name| is_plain(name));
    let all = [file].into_iter().chain(spelled.of("name")).chain(shown);
    let facts = |name: &str| PathFacts {
        path: None,
        name: Some(name.to_owned()),
        under: Vec::new(),
        in_workspace: false,
        secret: false,
    };
    all.filter(|name| is_possible_fact_value("name", name)).map(facts).collect()
}

/// What people name files.
pub(super) fn is_plain(part: &str) -> bool {
    !matches!(part, "." | "..")
        && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-+@ ".contains(c))
}
