//! The part of a file that is executed. Of a manifest that is not all: the list of dependencies changes
//! often, and fetching them is an action of its own.
//!
//! What is known to execute nothing is left out; a key that nobody knows counts. A manifest that cannot
//! be read counts as a whole.

use serde_json::{Map, Value};

/// The text that counts; `None` if nothing in the file is executed.
pub(super) fn find_executed_part(path: &str, text: String) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "package.json" => Some(find_in_json(&text, PACKAGE_DATA).unwrap_or(text)),
        "composer.json" => Some(find_in_json(&text, COMPOSER_DATA).unwrap_or(text)),
        "Cargo.toml" => Some(find_in_toml(&text, keep_cargo).unwrap_or(text)),
        "pyproject.toml" => Some(find_in_toml(&text, keep_pyproject).unwrap_or(text)),
        "go.mod" => Some(find_go_directives(&text)),
        _ if name.ends_with(".go") && name != "tools.go" => find_go_generators(&text),
        _ => Some(text),
    }
}

/// Keys of `package.json` that describe the package or name others.
const PACKAGE_DATA: &[&str] = &[
    "$schema",
    "name",
    "version",
    "description",
    "keywords",
    "homepage",
    "bugs",
    "license",
    "licenses",
    "author",
    "contributors",
    "maintainers",
    "funding",
    "repository",
    "private",
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "peerDependenciesMeta",
    "optionalDependencies",
    "bundledDependencies",
    "bundleDependencies",
    "dependenciesMeta",
    "engines",
    "engineStrict",
    "os",
    "cpu",
    "libc",
    "files",
    "types",
    "typings",
    "typesVersions",
    "main",
    "module",
    "exports",
    "browser",
    "unpkg",
    "jsdelivr",
    "sideEffects",
    "publishConfig",
    "browserslist",
    "man",
    "workspaces",
    "volta",
];

const COMPOSER_DATA: &[&str] = &[
    "name",
    "description",
    "version",
    "type",
    "keywords",
    "homepage",
    "readme",
    "time",
    "license",
    "authors",
    "support",
    "funding",
    "require",
    "require-dev",
    "conflict",
    "replace",
    "provide",
    "suggest",
    "minimum-stability",
    "prefer-stable",
];

fn find_in_json(text: &str, data: &[&str]) -> Option<String> {
    let Value::Object(mut keys) = serde_json::from_str(text).ok()? else { return None };
    keys.retain(|key, _| !data.contains(&key.as_str()));
    render(keys)
}

fn find_in_toml(text: &str, keep: fn(&mut Map<String, Value>)) -> Option<String> {
    let table: toml::Table = toml::from_str(text).ok()?;
    let Value::Object(mut keys) = serde_json::to_value(table).ok()? else { return None };
    keep(&mut keys);
    render(keys)
}

/// Sorted, so that the order and the form of the file do not count.
fn render(keys: Map<String, Value>) -> Option<String> {
    serde_json::to_string_pretty(&Value::Object(keys)).ok()
}

/// The build script, the targets, and what replaces the code of dependencies.
fn keep_cargo(keys: &mut Map<String, Value>) {
    let kept =
        ["package", "lib", "bin", "example", "test", "bench", "patch", "replace", "cargo-features"];
    keys.retain(|key, _| kept.contains(&key.as_str()));
    if let Some(Value::Object(package)) = keys.get_mut("package") {
        let kept = ["build", "links", "default-run", "metadata"];
        package.retain(|key, _| kept.contains(&key.as_str()));
    }
}

/// Everything but what describes the project, its dependencies, and tools that run no code of it.
fn keep_pyproject(keys: &mut Map<String, Value>) {
    keys.retain(|key, _| !matches!(key.as_str(), "project" | "dependency-groups"));
    if let Some(Value::Object(build)) = keys.get_mut("build-system") {
        build.remove("requires");
    }
    let Some(Value::Object(tools)) = keys.get_mut("tool") else { return };
    for inert in ["ruff", "black", "isort", "pyright", "basedpyright", "uv", "codespell", "typos"] {
        tools.remove(inert);
    }
    if let Some(Value::Object(poetry)) = tools.get_mut("poetry") {
        let kept = ["scripts", "build", "plugins", "packages"];
        poetry.retain(|key, _| kept.contains(&key.as_str()));
    }
}

/// The lines of `go.mod` that choose other code: what replaces a module, tools and the toolchain.
fn find_go_directives(text: &str) -> String {
    let mut kept = String::new();
    let mut is_block = false;
    for line in text.lines() {
        let first = line.split_whitespace().next().unwrap_or_default();
        let is_listed = matches!(first, "replace" | "tool" | "toolchain" | "godebug");
        if is_listed || is_block {
            kept.push_str(line.trim());
            kept.push('\n');
        }
        is_block = (is_block || (is_listed && line.contains('('))) && line.trim() != ")";
    }
    kept
}

/// The commands that `go generate` runs.
fn find_go_generators(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("//go:generate")).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(path: &str, text: &str) -> Option<String> {
        find_executed_part(path, text.to_owned())
    }

    /// Whether a card compares two texts as different.
    fn differs(path: &str, before: &str, after: &str) -> bool {
        part(path, before) != part(path, after)
    }

    #[test]
    fn of_a_package_only_what_is_executed_counts() {
        let before = r#"{"name": "a", "scripts": {"test": "jest"}, "dependencies": {"x": "1"}}"#;
        for (after, expected) in [
            (
                r#"{"scripts":{"test":"jest"},"dependencies":{"x":"2","y":"1"},"version":"2"}"#,
                false,
            ),
            (r#"{"scripts":{"test":"curl x"},"dependencies":{"x":"1"}}"#, true),
            (r#"{"scripts":{"test":"jest","pretest":"y"}}"#, true),
            (r#"{"scripts":{"test":"jest"},"jest":{"globalSetup":"./x.js"}}"#, true),
            (r#"{"scripts":{"test":"jest"},"unknown":1}"#, true),
            ("{", true),
        ] {
            assert_eq!(differs("/w/package.json", before, after), expected, "{after}");
        }
    }

    #[test]
    fn of_a_cargo_manifest_the_build_script_counts_and_the_dependencies_do_not() {
        let before = "[package]\nname = 'a'\n[dependencies]\nx = '1'\n";
        for (after, expected) in [
            ("[package]\nname = 'b'\nversion = '2'\n[dependencies]\nx = '2'\ny = '1'\n", false),
            ("[package]\nname = 'a'\nbuild = 'evil.rs'\n[dependencies]\nx = '1'\n", true),
            ("[package]\nname = 'a'\n[patch.crates-io]\nx = { path = 'evil' }\n", true),
        ] {
            assert_eq!(differs("/w/Cargo.toml", before, after), expected, "{after}");
        }
    }

    #[test]
    fn of_a_python_project_tools_that_run_code_count() {
        let before = "[project]\ndependencies = []\n[tool.ruff]\nline-length = 80\n";
        for (after, expected) in [
            ("[project]\ndependencies = ['x']\n[tool.ruff]\nline-length = 90\n", false),
            ("[project]\n[tool.pytest.ini_options]\naddopts = '-p evil'\n", true),
            // A header inside of a text is no header.
            ("[tool.poe.tasks]\na = '''\n[project]\n'''\nb = 'evil'\n", true),
        ] {
            assert_eq!(differs("/w/pyproject.toml", before, after), expected, "{after}");
        }
        assert!(differs(
            "/w/pyproject.toml",
            "[tool.poe.tasks]\na = '''\n[project]\n'''\nb = 'x'\n",
            "[tool.poe.tasks]\na = '''\n[project]\n'''\nb = 'evil'\n",
        ));
    }

    #[test]
    fn of_go_files_replacements_and_generators_count() {
        let before = "module a\n\nrequire x v1\n";
        assert!(!differs("/w/go.mod", before, "module a\n\nrequire x v2\nrequire y v1\n"));
        assert!(differs("/w/go.mod", before, "module a\n\nreplace (\n\tx => ./evil\n)\n"));
        assert!(differs("/w/go.mod", "replace (\n\tx => ./a\n)\n", "replace (\n\tx => ./b\n)\n"));
        assert_eq!(part("/w/a.go", "package a\n"), None);
        assert_eq!(part("/w/a.go", "//go:generate sh x\n"), Some("//go:generate sh x".to_owned()));
    }

    #[test]
    fn any_other_file_counts_as_a_whole() {
        assert_eq!(part("/w/Makefile", "a:\n"), Some("a:\n".to_owned()));
    }
}
