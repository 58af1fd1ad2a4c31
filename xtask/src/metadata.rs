//! The resolved dependency graph, from `cargo metadata`.
//!
//! Only what the checks need is parsed. `cargo metadata` also lists optional dependencies that no
//! feature enables; `cargo tree` says what is built.

use crate::failure::Failure;
use crate::process::{capture, cargo};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
    resolve: Resolve,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: String,
    pub license: Option<String>,
    /// Where it came from; none for a package of this repository.
    pub source: Option<String>,
    #[serde(default)]
    pub manifest_path: PathBuf,
}

#[derive(Debug, Clone, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
    features: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Debug, Clone, Deserialize)]
struct DependencyKind {
    /// Cargo writes null for a normal dependency, else `dev` or `build`.
    kind: Option<String>,
}

impl Dependency {
    fn is_normal(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.is_none())
    }
}

/// Features are unified over all that is built at once.
#[derive(Clone, Copy)]
pub enum BuildScope<'n> {
    /// The whole workspace: too strict for one crate alone, never too lax.
    Together,
    Alone(&'n str),
}

impl Metadata {
    pub fn read(root: &Path) -> Result<Self, Failure> {
        Self::parse(&capture(&mut cargo(root, &["metadata", "--format-version", "1"]))?)
    }

    /// The packages that crates of the workspace are built from, tests left out, each with the
    /// features it is built with, on any system.
    pub fn read_built(root: &Path, built: BuildScope<'_>) -> Result<Self, Failure> {
        let which = match built {
            BuildScope::Together => vec!["--workspace"],
            BuildScope::Alone(name) => vec!["--package", name],
        };
        let whole = ["--all-features", "--target", "all"];
        let lines = ["--edges", "normal", "--prefix", "none", "--format", "{p}|{f}"];
        let words = [&["tree"][..], &which, &whole, &lines].concat();
        let tree = capture(&mut cargo(root, &words))?;
        Ok(Self::read(root)?.retain_built(&tree))
    }

    fn retain_built(mut self, tree: &str) -> Self {
        let mut built: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for line in tree.lines() {
            let (package, features) = line.split_once('|').unwrap_or((line, ""));
            let mut words = package.split_whitespace();
            if let (Some(name), Some(version)) = (words.next(), words.next()) {
                let features = features.trim_end_matches(" (*)").split(',');
                built.entry(format!("{name} {version}")).or_default().extend(features);
            }
        }
        let of = |package: &Package| built.get(&format!("{} v{}", package.name, package.version));
        self.packages.retain(|package| of(package).is_some());
        for node in &mut self.resolve.nodes {
            let package = self.packages.iter().find(|package| package.id == node.id);
            let features = package.and_then(of).into_iter().flatten();
            node.features = features.map(|feature| (*feature).to_owned()).collect();
        }
        self
    }

    pub fn parse(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text)
            .map_err(|error| Failure::new(format!("`cargo metadata` is not understood: {error}")))
    }

    pub fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }

    pub fn is_member(&self, package: &Package) -> bool {
        self.workspace_members.contains(&package.id)
    }

    /// Direct dependencies of every kind, tests included.
    pub fn direct_dependencies(&self, package: &Package) -> Vec<&Package> {
        let node = self.node(&package.id);
        let ids = node.into_iter().flat_map(|node| &node.deps).map(|dep| dep.pkg.as_str());
        ids.filter_map(|id| self.package(id)).collect()
    }

    /// Every way to a package reached by normal dependencies: the path of names, start included.
    pub fn reachable_packages<'a>(
        &'a self,
        start: &'a Package,
    ) -> Vec<(&'a Package, Vec<&'a str>)> {
        let mut seen = BTreeSet::from([start.id.as_str()]);
        let mut waiting = VecDeque::from([(start, vec![start.name.as_str()])]);
        let mut found = Vec::new();
        while let Some((package, path)) = waiting.pop_front() {
            for next in self.normal_dependencies(package) {
                if seen.insert(&next.id) {
                    let mut longer = path.clone();
                    longer.push(&next.name);
                    waiting.push_back((next, longer));
                }
            }
            found.push((package, path));
        }
        found
    }

    pub fn features(&self, package: &Package) -> &[String] {
        self.node(&package.id).map_or(&[], |node| &node.features)
    }

    fn normal_dependencies(&self, package: &Package) -> Vec<&Package> {
        let node = self.node(&package.id);
        let deps = node.into_iter().flat_map(|node| &node.deps);
        deps.filter(|dep| dep.is_normal()).filter_map(|dep| self.package(&dep.pkg)).collect()
    }

    fn node(&self, id: &str) -> Option<&Node> {
        self.resolve.nodes.iter().find(|node| node.id == id)
    }

    fn package(&self, id: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::sample::{member, metadata, outside};

    #[test]
    fn what_is_never_built_is_not_reached() {
        let whole = metadata(&[
            member("a", &["b"]),
            outside("b", &["c", "d"]).with_feature("clock"),
            outside("c", &[]),
            outside("d", &[]),
        ]);
        let built = whole.retain_built("a v1.0.0 (/x)|\nb v1.0.0|default,std\nd v1.0.0 (*)|\n");
        let start = built.packages.iter().find(|package| package.name == "a").unwrap();
        let reached = built.reachable_packages(start);
        let names: Vec<_> = reached.iter().map(|(package, _)| package.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "d"]);
        assert_eq!(built.features(reached[1].0), ["default", "std"]);
    }
}

#[cfg(test)]
pub mod sample {
    //! A small dependency graph, written down as a test needs it. An id is the name.

    use super::*;

    #[derive(Clone)]
    pub struct Part {
        pub package: Package,
        node: Node,
    }

    /// A member of the workspace with normal dependencies.
    pub fn member(name: &str, needs: &[&str]) -> Part {
        part(name, needs, "Apache-2.0 OR MIT", None)
    }

    /// A package from the registry with normal dependencies.
    pub fn outside(name: &str, needs: &[&str]) -> Part {
        part(name, needs, "MIT", Some(crate::licences::REGISTRY))
    }

    pub fn metadata(parts: &[Part]) -> Metadata {
        let members = parts.iter().filter(|part| part.package.source.is_none());
        Metadata {
            workspace_members: members.map(|part| part.package.id.clone()).collect(),
            packages: parts.iter().map(|part| part.package.clone()).collect(),
            resolve: Resolve { nodes: parts.iter().map(|part| part.node.clone()).collect() },
        }
    }

    impl Part {
        /// The same, but needed by tests alone.
        pub fn for_tests(mut self) -> Self {
            for dependency in &mut self.node.deps {
                dependency.dep_kinds = vec![DependencyKind { kind: Some("dev".to_owned()) }];
            }
            self
        }

        pub fn with_feature(mut self, feature: &str) -> Self {
            self.node.features.push(feature.to_owned());
            self
        }
    }

    fn part(name: &str, needs: &[&str], license: &str, source: Option<&str>) -> Part {
        let dependency = |need: &&str| Dependency {
            pkg: (*need).to_owned(),
            dep_kinds: vec![DependencyKind { kind: None }],
        };
        let deps = needs.iter().map(dependency).collect();
        Part {
            package: Package {
                id: name.to_owned(),
                name: name.to_owned(),
                version: "1.0.0".to_owned(),
                license: Some(license.to_owned()),
                source: source.map(str::to_owned),
                manifest_path: PathBuf::new(),
            },
            node: Node { id: name.to_owned(), deps, features: Vec::new() },
        }
    }
}
