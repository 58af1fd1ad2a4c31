//! The names that a task runner gets, compared with those that the files of the project define.
//!
//! Some runners start a program of the search path if no task has the name, and some have commands
//! of their own: `bun run git push`, `npm run env`. So a rule with `*` covers only a name that a file
//! of the project defines when the line is decided. What the task does is code of the workspace.
//!
//! See docs/decisions/0092-names-that-the-project-defines.md.

mod members;
mod texts;

use crate::command_place::CommandPlace;
use crate::context::{PathEntry, is_below};
use crate::limits;
use crate::option_tables::{self, TaskSource};
use texts::*;

/// Why a task of the command is none of the project; `None` if all are, or nobody can look.
pub(crate) fn explain_unknown_task(argv: &[String], place: &CommandPlace) -> Option<String> {
    let tasks = option_tables::find_tasks(argv)?;
    if tasks.names.is_empty() || !place.context.disk.has_files() {
        return None;
    }
    let unknown = || Some("nobody knows the folder in which the task runs".to_owned());
    let folders = match tasks.folders.as_slice() {
        [] if place.folders.is_open => return unknown(),
        [] => place.folders.known.clone(),
        [folder] => match place.context.find_certain(folder, place.folders) {
            Some(folders) => folders,
            None => return unknown(),
        },
        // The second starts from the first.
        [_, _, ..] => return Some("it changes the folder twice".to_owned()),
    };
    let project = TaskFolder { place, reaches_members: tasks.reaches_members };
    let program = argv.first().map(String::as_str).unwrap_or_default();
    let is_known = |name: &String, folder: &String| {
        project.defines(tasks.source, name, folder) || project.can_only_fail(program, folder)
    };
    let is_unknown = |name: &&String| folders.iter().any(|folder| !is_known(name, folder));
    let name = tasks.names.iter().find(is_unknown)?;
    Some(format!("no file of the project defines `{name}`"))
}

/// Runners that start nothing but tasks, and where these are defined. Without any of these files they
/// end with an error. Others start programs of that name, or build by rules of their own.
const FAILING_RUNNERS: &[(&str, &[&str])] = &[
    (
        "mise",
        &[
            "mise.toml",
            ".mise.toml",
            "mise.local.toml",
            ".mise.local.toml",
            "mise",
            ".mise",
            ".config",
            "mise-tasks",
            ".mise-tasks",
            ".rtx.toml",
            ".miserc.toml",
        ],
    ),
    ("just", &["justfile", "Justfile", ".justfile", "JUSTFILE"]),
];

struct TaskFolder<'a> {
    place: &'a CommandPlace<'a>,
    /// The words ask for the tasks of other packages of the workspace.
    reaches_members: bool,
}

impl TaskFolder<'_> {
    fn defines(&self, source: TaskSource, name: &str, folder: &str) -> bool {
        match source {
            TaskSource::None | TaskSource::Unlisted => true,
            TaskSource::Scripts => self.has_script(name, folder),
            TaskSource::Composer => {
                let text = self.find_upwards(folder, &["composer.json"]);
                text.is_some_and(|text| has_json_key(&text, "scripts", name))
            }
            TaskSource::Deno => self.has_deno_task(name, folder),
            TaskSource::Turbo => {
                let texts = self.list_upwards(folder, &["turbo.json", "turbo.jsonc"]);
                texts.iter().any(|text| {
                    has_json_key(text, "tasks", name) || has_json_key(text, "pipeline", name)
                })
            }
            TaskSource::Nx => self.has_nx_target(name, folder),
            TaskSource::Make => self.has_make_target(name, folder),
            TaskSource::Just => {
                let files = ["justfile", "Justfile", ".justfile"];
                self.find_upwards(folder, &files).is_some_and(|text| has_recipe(&text, name))
            }
            TaskSource::Taskfile => self.has_yaml_task(name, folder),
            TaskSource::Mise => self.has_mise_task(name, folder),
            TaskSource::CargoAlias => {
                let files = [".cargo/config.toml", ".cargo/config"];
                let texts = self.list_upwards(folder, &files);
                texts.iter().any(|text| has_toml_key(text, "alias", name))
            }
            TaskSource::CargoBinary => self.has_cargo_binary(name, folder),
            TaskSource::Cmake => self.has_cmake_target(name, folder),
            TaskSource::GoModule => self.is_own_package(name, folder),
        }
    }

    /// Whether the runner finds no task at all, and so starts nothing.
    fn can_only_fail(&self, program: &str, folder: &str) -> bool {
        let Some((_, files)) = FAILING_RUNNERS.iter().find(|(name, _)| *name == program) else {
            return false;
        };
        let disk = self.place.context.disk;
        let is_missing = |at: &String| {
            files.iter().all(|file| disk.read_entry(file, Some(at)) == PathEntry::Missing)
        };
        let folders = self.ancestors(folder);
        !folders.is_empty() && folders.iter().all(is_missing)
    }

    fn has_script(&self, name: &str, folder: &str) -> bool {
        let own = self.find_upwards(folder, &["package.json"]);
        own.is_some_and(|text| has_json_key(&text, "scripts", name))
            || (self.reaches_members && self.has_member_script(name, folder))
    }

    fn has_member_script(&self, name: &str, folder: &str) -> bool {
        let is_defined = |text: &String| has_json_key(text, "scripts", name);
        self.list_upwards(folder, &["package.json"]).iter().any(is_defined)
            || self.list_member_files(folder, "package.json").iter().any(is_defined)
    }

    fn has_deno_task(&self, name: &str, folder: &str) -> bool {
        let own = self.find_upwards(folder, &["deno.json", "deno.jsonc"]);
        own.is_some_and(|text| has_json_key(&text, "tasks", name)) || self.has_script(name, folder)
    }

    /// `PROJECT:TARGET` names the target behind the colon.
    fn has_nx_target(&self, name: &str, folder: &str) -> bool {
        let target = name.split(':').nth(1).unwrap_or(name);
        let settings = self.find_upwards(folder, &["nx.json"]);
        settings.is_some_and(|text| {
            has_json_key(&text, "targetDefaults", target) || has_inferred_target(&text, target)
        }) || self.has_member_script(target, folder)
            || self
                .list_upwards(folder, &["project.json"])
                .iter()
                .any(|text| has_target(text, target))
            || self
                .list_member_files(folder, "project.json")
                .iter()
                .any(|text| has_target(text, target))
    }

    fn has_make_target(&self, name: &str, folder: &str) -> bool {
        let files = ["GNUmakefile", "makefile", "Makefile"];
        let mut texts: Vec<String> =
            files.iter().find_map(|file| self.read(folder, file)).into_iter().collect();
        let mut at = 0;
        while let Some(text) = texts.get(at) {
            if has_make_target(text, name) {
                return true;
            }
            let room = limits::MAX_TASK_FILES.saturating_sub(texts.len());
            let included = list_make_includes(text).into_iter().take(room);
            texts.extend(included.filter_map(|file| self.read(folder, &file)).collect::<Vec<_>>());
            at += 1;
        }
        false
    }

    /// `NAMESPACE:TASK` is a task of an included file.
    fn has_yaml_task(&self, name: &str, folder: &str) -> bool {
        let files = [
            "Taskfile.yml",
            "taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yaml",
            "Taskfile.dist.yml",
            "Taskfile.dist.yaml",
        ];
        let Some((at, text)) = self.find_with_folder(folder, &files) else { return false };
        if list_yaml_keys(&text, "tasks").iter().any(|task| task == name) {
            return true;
        }
        let Some((space, inner)) = name.split_once(':') else { return false };
        let included = find_yaml_include(&text, space);
        let inner_files = |path: String| {
            let below = files.iter().map(|file| format!("{path}/{file}")).collect::<Vec<_>>();
            std::iter::once(path).chain(below).find_map(|file| self.read(&at, &file))
        };
        included
            .and_then(inner_files)
            .is_some_and(|text| list_yaml_keys(&text, "tasks").iter().any(|task| task == inner))
    }

    fn has_mise_task(&self, name: &str, folder: &str) -> bool {
        let files = [
            "mise.toml",
            ".mise.toml",
            "mise.local.toml",
            ".mise.local.toml",
            "mise/config.toml",
            ".mise/config.toml",
            ".config/mise.toml",
            ".config/mise/config.toml",
        ];
        let texts = self.list_upwards(folder, &files);
        let is_table = |text: &String| {
            has_toml_key(text, "tasks", name) || has_toml_section(text, "tasks", name)
        };
        if texts.iter().any(is_table) {
            return true;
        }
        let path = name.replace(':', "/");
        let folders =
            ["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"];
        let tasks: Vec<String> = folders.iter().map(|folder| format!("{folder}/{path}")).collect();
        self.ancestors(folder)
            .iter()
            .any(|at| tasks.iter().any(|file| self.read(at, file).is_some()))
    }

    fn has_cargo_binary(&self, name: &str, folder: &str) -> bool {
        let manifests = self.list_upwards(folder, &["Cargo.toml"]);
        let files = ["src/bin/", "examples/"].map(|at| format!("{at}{name}.rs"));
        let folders = ["src/bin/", "examples/"].map(|at| format!("{at}{name}/main.rs"));
        let files: Vec<String> = files.into_iter().chain(folders).collect();
        let has_file = |at: &String| files.iter().any(|file| self.read(at, file).is_some());
        manifests.iter().any(|text| has_toml_name(text, name))
            || self.ancestors(folder).iter().any(has_file)
            || self
                .list_member_files(folder, "Cargo.toml")
                .iter()
                .any(|text| has_toml_name(text, name))
            || self.list_members(folder).iter().any(has_file)
    }

    fn has_cmake_target(&self, name: &str, folder: &str) -> bool {
        if matches!(name, "all" | "clean") {
            return true;
        }
        let mut folders = self.ancestors(folder);
        let mut at = 0;
        while let Some(folder) = folders.get(at).cloned() {
            at += 1;
            let Some(text) = self.read(&folder, "CMakeLists.txt") else { continue };
            if has_cmake_target(&text, name) {
                return true;
            }
            let room = limits::MAX_TASK_FILES.saturating_sub(folders.len());
            folders.extend(
                list_cmake_folders(&text).iter().take(room).map(|sub| format!("{folder}/{sub}")),
            );
        }
        false
    }

    /// Whether a Go package is one of the module. What is not may be downloaded.
    fn is_own_package(&self, name: &str, folder: &str) -> bool {
        let modules = self.list_upwards(folder, &["go.mod"]);
        let is_own = |text: &String| {
            find_go_module(text).is_some_and(|module| {
                is_below(&format!("/{}", name.trim_end_matches("/...")), &format!("/{module}"))
            })
        };
        modules.iter().any(is_own)
    }

    fn read(&self, folder: &str, file: &str) -> Option<String> {
        self.place.context.disk.read_project_file(folder, file)
    }

    /// The folder and those above it, up to the workspace.
    fn ancestors(&self, folder: &str) -> Vec<String> {
        let Some(workspace) = self.place.context.workspace else { return vec![folder.to_owned()] };
        let mut folders = Vec::new();
        let mut at = folder;
        while is_below(at, workspace) {
            folders.push(at.to_owned());
            match at.rsplit_once('/') {
                Some((above, _)) if !above.is_empty() => at = above,
                _ => break,
            }
        }
        folders
    }

    fn find_with_folder(&self, folder: &str, files: &[&str]) -> Option<(String, String)> {
        let read = |at: String| {
            let text = files.iter().find_map(|file| self.read(&at, file))?;
            Some((at, text))
        };
        self.ancestors(folder).into_iter().find_map(read)
    }

    /// The nearest of these files.
    fn find_upwards(&self, folder: &str, files: &[&str]) -> Option<String> {
        self.find_with_folder(folder, files).map(|(_, text)| text)
    }

    /// All of these files, where runners read every one.
    fn list_upwards(&self, folder: &str, files: &[&str]) -> Vec<String> {
        let folders = self.ancestors(folder);
        folders.iter().flat_map(|at| files.iter().filter_map(|file| self.read(at, file))).collect()
    }
}
