//! The licences of the packages that the program is built from: most of them ask that their text
//! comes with every copy.

use super::path_failure;
use crate::failure::Failure;
use crate::metadata::{Metadata, Package};
use crate::process::{capture, cargo};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// How the names of files begin that hold a licence or a copyright notice.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

pub(super) fn collect(root: &Path) -> Result<String, Failure> {
    let words = ["tree", "--package", "countersign", "--edges", "normal", "--prefix", "none"];
    let tree = capture(cargo(root, &words).args(["--format", "{p}"]))?;
    let metadata = Metadata::read(root)?;
    let built = list_built(&tree);
    let is_foreign = |package: &&Package| !metadata.is_member(package);
    let packages = metadata.packages.iter().filter(is_foreign);
    let packages = packages.filter(|package| built.contains(&format_name(package)));
    let mut noticed = Vec::new();
    for package in packages {
        noticed.push((package, read_texts(package)?));
    }
    Ok(render(&noticed))
}

/// `serde v1.0.0 (proc-macro)` is one line of `cargo tree`.
fn list_built(tree: &str) -> BTreeSet<String> {
    let lines = tree.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>());
    lines.map(|words| words.join(" ").replacen(" v", " ", 1)).collect()
}

fn format_name(package: &Package) -> String {
    format!("{} {}", package.name, package.version)
}

fn read_texts(package: &Package) -> Result<Vec<String>, Failure> {
    let folder = package.manifest_path.parent().unwrap_or(Path::new(""));
    let listed = fs::read_dir(folder).map_err(|error| path_failure("read", folder, &error))?;
    let mut paths: Vec<_> = listed.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_notice = |path: &Path| {
        let name = super::file_name(path).to_uppercase();
        path.is_file() && NAMES.iter().any(|start| name.starts_with(start))
    };
    let mut texts = Vec::new();
    for path in paths.iter().filter(|path| is_notice(path)) {
        let bytes = fs::read(path).map_err(|error| path_failure("read", path, &error))?;
        texts.push(String::from_utf8_lossy(&bytes).trim().replace('\r', ""));
    }
    Ok(texts)
}

/// First the packages with their licences, then every text once, with the packages that brought it.
fn render(noticed: &[(&Package, Vec<String>)]) -> String {
    let mut text = String::from("Countersign contains these packages:\n\n");
    let mut by_text: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (package, texts) in noticed {
        let licence = package.license.as_deref().unwrap_or("no licence named");
        text.push_str(&format!("  {}: {licence}\n", format_name(package)));
        for licence_text in texts {
            by_text.entry(licence_text).or_default().push(format_name(package));
        }
    }
    for (licence_text, packages) in by_text {
        let line = "-".repeat(78);
        text.push_str(&format!("\n{line}\n{}\n\n{licence_text}\n", packages.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str) -> Package {
        let value = serde_json::json!({
            "id": name, "name": name, "version": "1.0.0", "license": "MIT",
            "source": null, "manifest_path": "x/Cargo.toml",
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_text_that_several_packages_bring_stands_once() {
        let (one, other) = (package("one"), package("other"));
        let texts = || vec!["Permission is granted".to_owned()];
        let text = render(&[(&one, texts()), (&other, texts())]);
        assert_eq!(text.matches("Permission").count(), 1);
        assert!(text.contains("\none 1.0.0, other 1.0.0\n"), "{text}");
        assert!(text.contains("  other 1.0.0: MIT\n"), "{text}");
    }

    #[test]
    fn the_tree_names_each_package_with_its_version() {
        let built = list_built("serde v1.0.0\nserde_derive v1.0.0 (proc-macro)\nserde v1.0.0 (*)");
        assert_eq!(built.into_iter().collect::<Vec<_>>(), ["serde 1.0.0", "serde_derive 1.0.0"]);
    }
}
