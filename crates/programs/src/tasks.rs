//! Which words of a command are names of tasks, and where these are defined.

use super::operands::publishes;
use super::reading::{ReadWords, read_words};
use super::{OptionTable, find_table};
use serde::Deserialize;

/// The files in which a runner looks for its tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskSource {
    #[default]
    None,
    /// `scripts` of `package.json`.
    Scripts,
    Composer,
    Deno,
    Turbo,
    Nx,
    Make,
    Just,
    Taskfile,
    Mise,
    CargoAlias,
    CargoBinary,
    Cmake,
    /// Packages of the Go module.
    GoModule,
    /// Files that nobody looks into. Only names that publish are refused.
    Unlisted,
}

/// Which words are names of tasks, besides the values of options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskNames {
    #[default]
    First,
    All,
    /// The last operand: the first names a package.
    Last,
    /// The last word of the table's own name.
    Named,
    None,
}

/// The tasks that a command names.
pub struct NamedTasks {
    pub source: TaskSource,
    pub names: Vec<String>,
    /// The folders of `-C`.
    pub folders: Vec<String>,
    /// It asks for the tasks of other packages.
    pub reaches_members: bool,
}

/// The tasks of a command; `None` if its program runs none, or no table knows all the words.
pub fn find_tasks(argv: &[String]) -> Option<NamedTasks> {
    let table = find_table(argv).filter(|table| table.tasks != TaskSource::None)?;
    let words = argv.get(table.name.split(' ').count()..)?;
    let read = read_words(table, words).ok()?;
    let is_member = |word: &String| {
        let names = ["-w", "-r", "-F", "workspace", "--workspaces", "--recursive"];
        names.contains(&word.as_str())
            || word.starts_with("--workspace")
            || word.starts_with("--filter")
    };
    let folders = match table.tasks {
        TaskSource::Make => {
            read.path_values.iter().filter_map(|at| words.get(*at)).cloned().collect()
        }
        _ => Vec::new(),
    };
    Some(NamedTasks {
        source: table.tasks,
        names: list_names(table, &read, words),
        folders,
        reaches_members: argv.iter().take_while(|word| *word != "--").any(is_member),
    })
}

fn list_names(table: &OptionTable, read: &ReadWords, words: &[String]) -> Vec<String> {
    let mut operands = read.operands.iter().filter_map(|at| words.get(*at)).cloned();
    let mut names: Vec<String> = match table.task_names {
        TaskNames::First => operands.next().into_iter().collect(),
        TaskNames::All => operands.collect(),
        TaskNames::Last => operands.next_back().into_iter().collect(),
        TaskNames::Named => table.name.rsplit(' ').next().map(str::to_owned).into_iter().collect(),
        TaskNames::None => Vec::new(),
    };
    if table.tasks == TaskSource::GoModule {
        names.retain(|name| is_import_path(name));
    }
    names.extend(read.tasks.iter().cloned());
    names
}

/// Whether Go takes a word for a package by its name that is not one of the language.
fn is_import_path(word: &str) -> bool {
    let is_path = word.starts_with(['.', '/']) || word.ends_with(".go");
    !is_path && word.split('/').next().is_some_and(|first| first.contains('.'))
}

/// Options whose values choose how something is built, and not what: `--profile release`.
const BUILD_KINDS: &[&str] = &["config", "profile", "preset", "C", "features", "F"];

/// Options that choose a package of the workspace.
const PACKAGE_OPTIONS: &[&str] = &["w", "workspace", "filter", "F", "p", "projects"];

/// A word that publishes by its name: a task, a further word that the task gets, or the package or
/// program that an option chooses.
pub(super) fn find_publishing_word(
    table: &OptionTable,
    read: &ReadWords,
    words: &[String],
) -> Option<String> {
    if matches!(table.tasks, TaskSource::None | TaskSource::GoModule) {
        return None;
    }
    let names = list_names(table, read, words);
    let installs = names.iter().find(|name| installs(table.tasks, name)).cloned();
    let is_file = |word: &&String| word.contains(['/', '.']);
    let operands = read.operands.iter().filter_map(|at| words.get(*at));
    let operands = operands.filter(|word| !is_file(word)).cloned();
    let chosen = |is_chosen: &dyn Fn(&str) -> bool| -> Vec<String> {
        let values = read.plain_values.iter().filter(|(option, _)| is_chosen(option));
        values.map(|(_, value)| value.clone()).collect()
    };
    let further: Vec<String> = match table.task_names {
        // `npm test release` runs the tests of that name.
        TaskNames::Named => chosen(&|option| PACKAGE_OPTIONS.contains(&option)),
        TaskNames::First | TaskNames::All | TaskNames::Last | TaskNames::None => {
            operands.chain(chosen(&|option| !BUILD_KINDS.contains(&option))).collect()
        }
    };
    installs.or_else(|| names.into_iter().chain(further).find(|word| publishes(word)))
}

/// Whether a target writes outside of the workspace by its name. In package managers `install` fetches
/// what the project needs, and stays inside.
fn installs(source: TaskSource, name: &str) -> bool {
    let is_build_system =
        matches!(source, TaskSource::Make | TaskSource::Cmake | TaskSource::Unlisted);
    is_build_system && matches!(name, "install" | "uninstall" | "install-strip" | "install/strip")
}
