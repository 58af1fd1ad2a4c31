//! Reads the names in files of task runners. What is written in an unusual way is not found, and asks.

use serde_json::Value;

/// Whether an object of a JSON file has this key, comments left out. Packages in front of `#` and
/// `//#` are those of turbo.
pub(super) fn has_json_key(text: &str, section: &str, name: &str) -> bool {
    let Some(Value::Object(keys)) =
        parse_json(text).and_then(|mut json| json.get_mut(section).map(Value::take))
    else {
        return false;
    };
    keys.keys().any(|key| key.rsplit('#').next() == Some(name))
}

pub(super) fn has_target(text: &str, name: &str) -> bool {
    has_json_key(text, "targets", name)
}

/// Whether a plugin of nx gives a target this name: `"buildTargetName": "build"`.
pub(super) fn has_inferred_target(text: &str, name: &str) -> bool {
    let Some(json) = parse_json(text) else { return false };
    let plugins = json.get("plugins").and_then(Value::as_array);
    let options = plugins.into_iter().flatten().filter_map(|one| one.get("options")?.as_object());
    let mut options = options.flatten();
    options.any(|(key, value)| key.ends_with("TargetName") && value.as_str() == Some(name))
}

pub(super) fn list_json_patterns(text: &str) -> Vec<String> {
    let Some(json) = parse_json(text) else { return Vec::new() };
    let Some(listed) = json.get("workspaces") else { return Vec::new() };
    let listed = listed.as_array().or_else(|| listed.get("packages")?.as_array());
    let texts = listed.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn parse_json(text: &str) -> Option<Value> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&strip_comments(text))).ok()
}

/// A JSON text without comments and without commas in front of a closing bracket.
fn strip_comments(text: &str) -> String {
    let (mut plain, mut rest, mut is_quoted) = (String::new(), text.chars().peekable(), false);
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some(_)) if is_quoted => {
                plain.push(c);
                plain.extend(rest.next());
                continue;
            }
            ('"', _) => is_quoted = !is_quoted,
            ('/', Some('/')) if !is_quoted => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
                continue;
            }
            ('/', Some('*')) if !is_quoted => {
                rest.next();
                let mut before = ' ';
                for c in rest.by_ref() {
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
                continue;
            }
            (']' | '}', _) if !is_quoted => {
                let end = plain.trim_end().len();
                if plain.trim_end().ends_with(',') {
                    plain.truncate(end - 1);
                }
            }
            _ => {}
        }
        plain.push(c);
    }
    plain
}

/// Whether a rule of a makefile has this target: by its name, by `%`, or as a phony one.
pub(super) fn has_make_target(text: &str, name: &str) -> bool {
    text.lines().filter(|line| !line.starts_with(['\t', ' ', '#'])).any(|line| {
        let Some((targets, rest)) = line.split_once(':') else { return false };
        let is_assignment =
            rest.starts_with('=') || rest.starts_with(":=") || targets.contains('=');
        let phony = if targets.trim() == ".PHONY" { rest } else { "" };
        let mut names = targets.split_whitespace().chain(phony.split_whitespace());
        !is_assignment && names.any(|target| is_make_target(target, name))
    })
}

fn is_make_target(target: &str, name: &str) -> bool {
    match target.split_once('%') {
        // `%` alone is a rule for every file that no other rule makes.
        Some(("", "")) => false,
        Some((start, end)) => {
            name.len() > start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => target == name && !target.starts_with('.'),
    }
}

/// The files that a makefile includes by literal names.
pub(super) fn list_make_includes(text: &str) -> Vec<String> {
    let words = |line: &str| {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        match matches!(first, "include" | "-include" | "sinclude") {
            true => words.map(str::to_owned).collect(),
            false => Vec::new(),
        }
    };
    let names = text.lines().flat_map(words);
    names.filter(|name: &String| !name.contains(['$', '*', '?'])).collect()
}

/// Whether a justfile has a recipe or an alias of this name.
pub(super) fn has_recipe(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let line = line.strip_prefix('@').unwrap_or(line);
        let alias = line.strip_prefix("alias ").map(str::trim_start);
        let rest = alias.unwrap_or(line).strip_prefix(name);
        match (alias, rest) {
            (_, None) => false,
            (Some(_), Some(rest)) => rest.trim_start().starts_with(":="),
            (None, Some(rest)) => {
                let parameters = rest.split_once(':');
                rest.starts_with([' ', ':'])
                    && parameters.is_some_and(|(_, after)| !after.starts_with('='))
            }
        }
    })
}

/// The keys below a key of a YAML file, by their indentation.
pub(super) fn list_yaml_keys(text: &str, section: &str) -> Vec<String> {
    let wanted = format!("{section}:");
    let lines = text.lines().skip_while(|line| line.trim_end() != wanted).skip(1);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut keys = Vec::new();
    let mut level = None;
    for line in lines {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        if indent(line) == 0 {
            break;
        }
        if *level.get_or_insert(indent(line)) == indent(line) {
            let line = line.trim();
            let key = line.rsplit_once(": ").map_or(line, |(key, _)| key);
            keys.push(key.trim_end_matches(':').trim_matches(['"', '\'']).to_owned());
        }
    }
    keys
}

/// The file that a namespace of a task file includes.
pub(super) fn find_yaml_include(text: &str, space: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| line.trim_end() != "includes:").skip(1);
    let start = format!("{space}:");
    let own = lines.find(|line| line.trim_start().starts_with(&start))?;
    let value = own.trim().strip_prefix(&start)?.trim();
    let value = match value {
        "" => lines.next()?.trim().strip_prefix("taskfile:")?.trim(),
        value => value,
    };
    let value = value.trim_matches(['"', '\'']);
    (!value.contains([':', '{'])).then(|| value.to_owned())
}

pub(super) fn list_yaml_packages(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| line.trim_end() != "packages:").skip(1);
    let items = lines.map_while(|line| line.trim().strip_prefix('-'));
    items.map(|item| item.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

/// Whether a section of a TOML file has this key, in a line of its own.
pub(super) fn has_toml_key(text: &str, section: &str, name: &str) -> bool {
    let head = format!("[{section}]");
    let lines = text.lines().map(str::trim).skip_while(|line| *line != head).skip(1);
    lines.take_while(|line| !line.starts_with('[')).any(|line| {
        let key = line.split_once('=').map_or("", |(key, _)| key.trim());
        key.trim_matches(['"', '\'']) == name
    })
}

/// Whether a TOML file has the section `[SECTION.NAME]`.
pub(super) fn has_toml_section(text: &str, section: &str, name: &str) -> bool {
    text.lines().filter_map(|line| line.trim().strip_prefix('[')?.strip_suffix(']')).any(|head| {
        head.strip_prefix(section)
            .and_then(|rest| rest.strip_prefix('.'))
            .is_some_and(|rest| rest.trim_matches(['"', '\'']) == name)
    })
}

/// Whether a package or a program of a manifest has this name.
pub(super) fn has_toml_name(text: &str, name: &str) -> bool {
    text.lines().filter_map(|line| line.trim().strip_prefix("name")).any(|rest| {
        let value = rest.trim_start().strip_prefix('=').map(str::trim);
        value.is_some_and(|value| value.trim_matches(['"', '\'']) == name)
    })
}

pub(super) fn list_toml_members(text: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once("members") else { return Vec::new() };
    let list = rest.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    let Some((list, _)) = list else { return Vec::new() };
    let items = list.split(',').map(|item| item.trim().trim_matches(['"', '\'']));
    items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Whether a file of CMake adds a target of this name.
pub(super) fn has_cmake_target(text: &str, name: &str) -> bool {
    let heads = ["add_custom_target(", "add_executable(", "add_library("];
    text.lines().map(str::trim).any(|line| {
        let line = line.to_owned();
        let lower = line.to_ascii_lowercase();
        heads.iter().any(|head| {
            lower.starts_with(head)
                && line.get(head.len()..).is_some_and(|rest| {
                    rest.split([' ', ')']).find(|word| !word.is_empty()) == Some(name)
                })
        })
    })
}

/// The folders that a file of CMake adds by literal names.
pub(super) fn list_cmake_folders(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let rest = line.trim().strip_prefix("add_subdirectory(")?;
        rest.split([' ', ')']).next().map(str::to_owned)
    });
    names.filter(|name| !name.contains(['$', '.']) && !name.starts_with('/')).collect()
}

pub(super) fn find_go_module(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.trim().strip_prefix("module ")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_each_kind_of_file_are_found() {
        let package = "{\"scripts\": {\"build\": \"x\"}, \"workspaces\": [\"packages/*\"]}";
        assert!(has_json_key(package, "scripts", "build"));
        assert!(!has_json_key(package, "scripts", "git"));
        assert_eq!(list_json_patterns(package), ["packages/*"]);
        assert!(has_json_key("{ // x\n \"tasks\": {\"a\": \"b\",},}", "tasks", "a"));
        assert!(has_json_key("{\"tasks\": {\"web#build\": {}}}", "tasks", "build"));
        let makefile = "CC := gcc\nall: x.o\n\tgcc\n.PHONY: test lint\ntest-%: x\n%:\nvar = a:b\n";
        for target in ["all", "test", "lint", "test-unit"] {
            assert!(has_make_target(makefile, target), "{target}");
        }
        for target in ["CC", "x.o", "var", "git", ".PHONY", "test-"] {
            assert!(!has_make_target(makefile, target), "{target}");
        }
        assert_eq!(list_make_includes("include a.mk $(B)\n-include c.mk"), ["a.mk", "c.mk"]);
        let justfile = "x := 'a'\n@build a='b': test\n    cargo build\ntest:\nalias t := test\n";
        assert!(["build", "test", "t"].iter().all(|name| has_recipe(justfile, name)));
        assert!(!["x", "buil", "cargo", "alias"].iter().any(|name| has_recipe(justfile, name)));
        let taskfile = "version: '3'\nincludes:\n  docs: ./docs\ntasks:\n  build:\n    cmds: [a]\n  'a:b': x\nvars:\n  y: z\n";
        assert_eq!(list_yaml_keys(taskfile, "tasks"), ["build", "a:b"]);
        assert_eq!(find_yaml_include(taskfile, "docs").as_deref(), Some("./docs"));
        let toml = "[tasks]\nlint = 'x'\n[tasks.build]\nrun = 'y'\n[alias]\nxtask = 'run'\n";
        assert!(has_toml_key(toml, "tasks", "lint") && has_toml_section(toml, "tasks", "build"));
        assert!(has_toml_key(toml, "alias", "xtask") && !has_toml_key(toml, "tasks", "xtask"));
        assert!(has_cmake_target("add_custom_target( docs ALL)\n", "docs"));
        assert_eq!(find_go_module("module example.org/a\n\ngo 1.22\n"), Some("example.org/a"));
    }
}
