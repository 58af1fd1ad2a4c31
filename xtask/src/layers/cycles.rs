//! Finds modules of one folder that use each other in a cycle.

use super::modules::{CrateModules, ModuleUse};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Which module of a folder uses which other one, each with one place.
type Uses<'m> = BTreeMap<&'m str, BTreeMap<&'m str, &'m str>>;

/// Describes the shortest cycle through each module that is in one.
pub(super) fn find_cycles(modules: &CrateModules) -> Vec<String> {
    let list = modules.list_uses();
    let mut folders: BTreeMap<&[String], Uses<'_>> = BTreeMap::new();
    for one in &list {
        if let Some((folder, own, other)) = find_siblings(one) {
            let uses = folders.entry(folder).or_default().entry(own).or_default();
            uses.entry(other).or_insert(one.place);
        }
    }
    let mut found = Vec::new();
    for (folder, uses) in folders {
        let folder = format!("{}{}", modules.source, folder.join("/"));
        let folder = folder.trim_end_matches('/');
        let mut reported = BTreeSet::new();
        for module in uses.keys() {
            let Some(cycle) = shortest_cycle(&uses, module) else { continue };
            if reported.insert(cycle.iter().copied().collect::<BTreeSet<&str>>()) {
                found.push(describe_cycle(folder, &uses, &cycle));
            }
        }
    }
    found
}

/// The folder that holds both ends of a use, and the module of it in which each lies. A parent and
/// what lies below it have none.
fn find_siblings<'m>(one: &'m ModuleUse<'_>) -> Option<(&'m [String], &'m str, &'m str)> {
    let common = one.from.iter().zip(&one.to).take_while(|(own, other)| own == other).count();
    let (own, other) = (one.from.get(common)?, one.to.get(common)?);
    Some((one.from.get(..common)?, own, other))
}

/// The shortest way from a module back to itself.
fn shortest_cycle<'m>(uses: &Uses<'m>, start: &'m str) -> Option<Vec<&'m str>> {
    let mut waiting = VecDeque::from([vec![start]]);
    let mut visited = BTreeSet::new();
    while let Some(path) = waiting.pop_front() {
        let last = path.last()?;
        for next in uses.get(last).into_iter().flat_map(BTreeMap::keys) {
            if *next == start {
                return Some(path);
            }
            if visited.insert(*next) {
                let mut longer = path.clone();
                longer.push(next);
                waiting.push_back(longer);
            }
        }
    }
    None
}

fn describe_cycle(folder: &str, uses: &Uses<'_>, cycle: &[&str]) -> String {
    let mut text = format!("{folder}: modules use each other in a cycle:");
    for (module, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        let place = uses.get(module).and_then(|others| others.get(next));
        text.push_str(&format!("\n    `{module}` uses `{next}` at {}", place.unwrap_or(&"?")));
    }
    text
}
