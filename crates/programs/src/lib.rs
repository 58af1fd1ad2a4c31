//! What programs do with their words: option tables, the arguments that a final `*` in a rule may match.
//!
//! Pure: no files are read, and nothing runs.
//!
//! For a program without a table, `*` matches nothing. A table lists only options that do not run
//! a program, write a file elsewhere, read operands from a file, or change configuration, directory
//! or host. With an unknown or abbreviated option the rule does not match.
//!
//! See docs/decisions/0074-tables-for-local-code.md.

mod destinations;
mod inner_paths;
mod operands;
pub mod own_programs;
mod reading;
mod scripts;
mod table;
mod tasks;
mod test_expression;
#[cfg(test)]
mod tests;

pub use destinations::{CommandDestination, find_destinations};
pub use inner_paths::find_inner_paths;
pub use operands::{AllowedOperands, is_local_address, is_plain_filter, is_task, shows_signature};
use reading::read_words;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;
use table::Tables;
pub use tasks::{TaskNames, TaskSource, find_tasks};
use test_expression::is_test;

/// The table of one program or subcommand.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptionTable {
    /// The words that select this table: `git log`.
    pub name: String,
    /// Short options without a value.
    flags: String,
    /// Short options with a value, attached or as the next word.
    valued: String,
    /// Long options without a value, separated by spaces.
    long: String,
    /// Long options with a value after `=`, or as the next word if they are not in `long` too.
    long_valued: String,
    /// Long options with two values, each as a word of its own: a name and what it stands for.
    long_pairs: String,
    values: AllowedValues,
    style: OptionStyle,
    operands: AllowedOperands,
    /// How many operands there may be: the program would write to a further one, or take it for
    /// something else.
    #[serde(deserialize_with = "table::read_count")]
    max_operands: Option<usize>,
    /// Which operands are paths.
    paths: PathOperands,
    /// Options, short and long, whose value is a path. It must be a word of its own.
    path_values: String,
    /// The same for a path that the program writes.
    written_values: String,
    /// Options of `path_values` whose value may also be `-`, for standard input.
    input_values: String,
    /// Options, short and long, that replace the first operand of `PathOperands::AfterFirst`.
    first_by_option: String,
    /// Options, short and long, that name an account, a project or a cluster instead of the configured
    /// one.
    account_values: String,
    pub effect: ProgramEffect,
    pub input: StandardInput,
    contacts: Contacts,
    /// Where the names of tasks that it gets are defined.
    tasks: TaskSource,
    task_names: TaskNames,
    /// Options, short and long, whose values are names of tasks.
    task_values: String,
    /// Whether the operator may allow every use of this command at once.
    head: HeadUse,
    later_options: LaterOptions,
    /// The table for words after `--` that another program receives. Without one they are operands.
    #[serde(skip)]
    pub after_double_dash: Option<Box<OptionTable>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathOperands {
    #[default]
    All,
    None,
    /// The first one is a pattern or a script.
    AfterFirst,
}

/// What a program does to the files of the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramEffect {
    /// It writes nothing.
    Reads,
    /// It changes something that is not a file here: a process, or what another host keeps.
    ChangesElsewhere,
    /// It writes only what git keeps for itself.
    WritesGitData,
    /// It changes files.
    Edits,
    /// It rewrites source files by rules of its own. What they say, and so what a build runs, stays.
    Formats,
    /// It deletes files, or discards changes that nobody has stored.
    Deletes,
    /// It builds or runs the code of the workspace, which may write anything.
    Runs,
    /// It may write anything.
    #[default]
    Unknown,
}

/// What a program does with its standard input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StandardInput {
    Data,
    /// It may follow instructions in it.
    #[default]
    Unknown,
}

/// Which hosts a program contacts by its own words. Code that it runs may contact others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contacts {
    #[default]
    Nobody,
    /// Those that its configuration names: a registry, a cluster, an account.
    Configured,
    /// Those of the web addresses among its operands.
    Addresses,
    /// The same, and those to which they redirect.
    Anywhere,
    /// Its operands are names of hosts; of `dig`, types and `@server` too.
    Hosts,
    /// The git remote that its first operand names.
    Remote,
    /// The hosts in front of the colons of its operands.
    RemoteFiles,
    /// The forge repository of `-R` or `--repo`.
    Repository,
    /// The forge repository of a path of its REST interface, at the host of `--hostname`.
    ApiPath,
    /// The forge, whichever repository: that of the web addresses among its operands or of
    /// `--hostname`, else the configured one.
    Forge,
    /// The host of `-h`, `--host` or of an address among its operands, else the configured one.
    Database,
}

/// Whether a head may be offered: every use of one command that its table covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadUse {
    Offered,
    /// It deletes, runs foreign code, or may do anything on another host.
    #[default]
    Never,
}

/// Which options may follow the first operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaterOptions {
    #[default]
    Known,
    /// Any name without a value: a program of the workspace gets it.
    AnyName,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllowedValues {
    #[default]
    Any,
    /// No value that names a file: kubectl reads the file in `-o jsonpath-file=…`.
    NoFileReferences,
    /// No format with a signature: git runs the configured verifier for `%G?` and `%(signature)`.
    NoSignatureFormats,
    /// Names and lists of names: no path, address or file reference.
    Plain,
    /// No jq filter that reads the environment or files.
    PlainFilters,
    /// No file behind `@` or `file://`, and no format that names an output.
    NoUploads,
    /// No column of `ps` that shows the environment.
    NoEnvironment,
    /// Sed scripts that only print, delete or replace lines.
    SedScripts,
    /// Patterns and names of tests: no path from the root, of a home folder or upwards.
    Patterns,
    /// Words of tmux with plain formats: `#(…)` runs a program, and `;` begins another command.
    TmuxFormats,
}

impl AllowedValues {
    fn allows(self, value: &str) -> bool {
        match self {
            Self::Any => true,
            Self::NoFileReferences => !value.contains("file"),
            Self::NoSignatureFormats => !shows_signature(value),
            Self::Plain => {
                !value.contains(['/', '\\', '\n'])
                    && !value.contains("..")
                    && !value.starts_with(['~', '@'])
            }
            Self::PlainFilters => operands::is_plain_filter(value),
            Self::NoUploads => {
                !value.starts_with('@') && !value.contains("%output") && !value.contains("://")
            }
            Self::NoEnvironment => !value.contains("env"),
            Self::SedScripts => scripts::is_plain_sed(value),
            Self::Patterns => !value.starts_with(['/', '~', '@']) && !value.contains(".."),
            Self::TmuxFormats => operands::is_tmux_format(value),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionStyle {
    /// `-abc`, `-n 5`, `--long`.
    #[default]
    Clusters,
    /// The same, and `-5` as a number.
    ClustersAndNumbers,
    /// `-ab`, `-n 5`, never `-n5`: some parsers take the rest of such a word for further options.
    SeparateValues,
    /// `-name`, as in find and Go programs.
    SingleDash,
    /// `-name` or `--name`, for words that another program gets.
    AnyDashes,
}

static ALL_TABLES: LazyLock<Tables> = LazyLock::new(Tables::load);

static TABLES: LazyLock<HashMap<&'static str, &'static OptionTable>> =
    LazyLock::new(|| ALL_TABLES.listed.iter().map(|table| (table.name.as_str(), table)).collect());

/// How many words the longest name of a table has, by program.
static NAME_LENGTHS: LazyLock<HashMap<&'static str, usize>> = LazyLock::new(|| {
    let mut lengths = HashMap::new();
    for table in &ALL_TABLES.listed {
        let program = table.name.split(' ').next().unwrap_or_default();
        let length = lengths.entry(program).or_insert(0);
        *length = table.count_name_words().max(*length);
    }
    lengths
});

/// The table for a rule with these words: the one with the longest matching name.
///
/// A program that is given by its path uses the table of its file name.
pub fn find_table(words: &[String]) -> Option<&'static OptionTable> {
    let (program, rest) = words.split_first()?;
    let program = base_name(program);
    // Most commands have no table, or one that is selected by the program alone.
    let length = *NAME_LENGTHS.get(program)?;
    let mut found = TABLES.get(program).copied();
    let mut name = program.to_owned();
    for word in rest.iter().take(length - 1) {
        // One word with a space is not two words of a name.
        if word.contains(' ') {
            break;
        }
        name.push(' ');
        name.push_str(word);
        found = TABLES.get(name.as_str()).copied().or(found);
    }
    found
}

/// Why the table does not cover these words, or `None` if it does.
pub fn explain_uncovered_words(table: &'static OptionTable, words: &[String]) -> Option<String> {
    let read = match read_words(table, words) {
        Ok(read) => read,
        Err(why) => return Some(why),
    };
    if table.operands == AllowedOperands::TestExpression && !is_test(&table.name, words) {
        return Some(format!("`{}` has words that are not on its table", table.name));
    }
    let operands: Vec<&str> =
        read.operands.iter().filter_map(|index| words.get(*index)).map(String::as_str).collect();
    // Many programs take an address where they take a path, and it looks like one inside.
    let mut paths = read.find_paths().filter_map(|index| words.get(index));
    if let Some(address) = paths.find(|path| path.contains("://")) {
        return Some(format!("`{address}` is an address and not a path"));
    }
    if let Some(word) = tasks::find_publishing_word(table, &read, words) {
        return Some(format!("`{word}` publishes or deploys by its name"));
    }
    if table.name.starts_with("go ") && words.iter().any(|word| word.ends_with("-mod=mod")) {
        return Some("`-mod=mod` downloads what is missing".to_owned());
    }
    let refused = table.operands.find_refused(&operands, read.first);
    let surplus = table.max_operands.and_then(|most| operands.get(most).copied());
    let refused = refused.or(surplus);
    refused.map(|word| format!("`{word}` is not an allowed operand of `{}`", table.name))
}

/// Which of these words are paths; `None` if the table does not know them all.
pub fn find_paths(table: &'static OptionTable, words: &[String]) -> Option<Vec<usize>> {
    let read = read_words(table, words).ok()?;
    Some(read.find_paths().collect())
}

/// Which words of a command are operands; `None` if no table knows all the words.
pub fn find_operands(argv: &[String]) -> Option<Vec<usize>> {
    let table = find_table(argv)?;
    let skipped = table.count_name_words();
    let read = read_words(table, argv.get(skipped..)?).ok()?;
    Some(read.operands.into_iter().map(|index| index + skipped).collect())
}

/// Which words of a command could be missing without giving another word another meaning; `None` if
/// no table knows all the words.
pub fn find_free_operands(argv: &[String]) -> Option<Vec<usize>> {
    let table = find_table(argv)?;
    let skipped = table.count_name_words();
    let read = read_words(table, argv.get(skipped..)?).ok()?;
    let free = if table.name == "echo" { read.operands } else { read.path_operands };
    Some(free.into_iter().map(|index| index + skipped).collect())
}

/// Which words of a command are paths that its own program changes or deletes, as far as its words
/// say so. `None` if no table knows all the words.
pub fn find_written_words(argv: &[String]) -> Option<Vec<usize>> {
    let table = find_table(argv)?;
    let skipped = table.count_name_words();
    let read = read_words(table, argv.get(skipped..)?).ok()?;
    let mut written = match table.effect {
        ProgramEffect::Edits | ProgramEffect::Formats | ProgramEffect::Deletes => {
            read.path_operands
        }
        ProgramEffect::Reads
        | ProgramEffect::ChangesElsewhere
        | ProgramEffect::WritesGitData
        | ProgramEffect::Runs
        | ProgramEffect::Unknown => Vec::new(),
    };
    written.extend(read.written_values);
    written.iter_mut().for_each(|index| *index += skipped);
    Some(written)
}

/// Which words of a command are paths that it only reads, as far as its words say so. `None` if no
/// table knows all the words.
pub fn find_read_words(argv: &[String]) -> Option<Vec<usize>> {
    let table = find_table(argv)?;
    let skipped = table.count_name_words();
    let written = find_written_words(argv)?;
    let paths = find_paths(table, argv.get(skipped..)?)?;
    let paths = paths.into_iter().map(|index| index + skipped);
    Some(paths.filter(|index| !written.contains(index)).collect())
}

/// Whether a command deletes files or discards what git has not stored, so that nothing brings it
/// back. Git keeps the commits of a branch or tag for a while.
pub fn deletes_for_good(argv: &[String]) -> bool {
    let kept = ["git branch", "git tag", "git worktree", "rmdir", "cargo clean", "go clean"];
    let is_kept = |name: &str| kept.iter().any(|kept| name.starts_with(kept));
    let is_rm = argv.first().is_some_and(|program| base_name(program) == "rm");
    is_rm
        || find_table(argv)
            .is_some_and(|table| table.effect == ProgramEffect::Deletes && !is_kept(&table.name))
}

/// Whether a command of this program builds or runs the code of the workspace.
pub fn runs_code(program: &str) -> bool {
    ALL_TABLES.listed.iter().any(|table| {
        table.effect == ProgramEffect::Runs && table.name.split(' ').next() == Some(program)
    })
}

/// The words that select each table.
pub fn list_table_names() -> impl Iterator<Item = &'static str> {
    ALL_TABLES.listed.iter().map(|table| table.name.as_str())
}

/// The commands that begin with the words of a head and are none of it: `git stash pop` for `git
/// stash`.
pub fn list_narrower_commands(head: &[String]) -> Vec<&'static str> {
    let start = format!("{} ", head.join(" "));
    list_table_names().filter(|name| name.starts_with(&start)).collect()
}

/// The words of a command with each path behind `=` as a word of its own; `None` without one.
pub fn split_attached_paths(argv: &[String]) -> Option<Vec<String>> {
    let table = find_table(argv)?;
    let (name, words) = argv.split_at_checked(table.count_name_words())?;
    let mut split = name.to_vec();
    for (index, word) in words.iter().enumerate() {
        if word == "--" {
            split.extend_from_slice(words.get(index..).unwrap_or_default());
            break;
        }
        match table.split_path_option(word) {
            Some((option, path)) => split.extend([option.to_owned(), path.to_owned()]),
            None => split.push(word.clone()),
        }
    }
    (split.len() > argv.len()).then_some(split)
}

/// The head that may be offered for a command: the name of its table.
pub fn find_head(argv: &[String]) -> Option<&'static str> {
    let table = find_table(argv)?;
    (table.head == HeadUse::Offered).then_some(table.name.as_str())
}

impl OptionTable {
    fn count_name_words(&self) -> usize {
        self.name.split(' ').count()
    }
}

/// The name of a program without its folder.
pub fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
