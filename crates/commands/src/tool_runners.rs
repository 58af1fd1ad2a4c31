//! Programs that start a tool which the project has installed, or the same command in another
//! surrounding: `npx tsc`, `uv run pytest`, `mise exec -- go test`.
//!
//! A class looks through them: the tool's own rule is compared with the words behind. The runner and
//! the tool are both pinned if the agent can replace them. A tool that is not installed would be
//! downloaded, so it has no class.
//!
//! See docs/decisions/0106-programs-that-start-tools.md.

use crate::command_place::CommandPlace;
use crate::context::PathEntry;
use crate::runner_table::{ToolRunner, ToolSource, find_runner};

/// Where the tool of a runner is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StartedTool {
    /// The index of its name in the words.
    pub(crate) start: usize,
    /// Its file in the workspace, if that is known.
    pub(crate) file: Option<String>,
    pub(crate) reach: ToolReach,
}

/// Which commands a class may find behind a runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolReach {
    /// A tool of the lists below, whatever it does.
    Listed,
    /// Only what builds or runs the code of the workspace: the version files of the project choose the
    /// program.
    Builds,
}

/// Tools that packages of npm bring. Another name may be a command of the runner itself.
const NODE_TOOLS: &[&str] = &[
    "astro",
    "biome",
    "eslint",
    "jest",
    "markdownlint",
    "markdownlint-cli2",
    "mocha",
    "next",
    "nx",
    "oxlint",
    "playwright",
    "prettier",
    "prisma",
    "pyright",
    "svelte-check",
    "tsc",
    "turbo",
    "vite",
    "vitest",
    "vue-tsc",
];

const PYTHON_TOOLS: &[&str] = &[
    "bandit",
    "basedpyright",
    "black",
    "codespell",
    "coverage",
    "flake8",
    "isort",
    "mypy",
    "nox",
    "pre-commit",
    "py.test",
    "pylint",
    "pyright",
    "pytest",
    "python",
    "python3",
    "ruff",
    "tox",
    "ty",
    "vulture",
    "yamllint",
];

/// The tool that a command starts; `None` if it is no runner, or nobody knows the tool.
pub(crate) fn find_tool(argv: &[String], place: &CommandPlace) -> Option<StartedTool> {
    let runner = find_runner(argv)?;
    let (start, options) = skip_options(runner, argv)?;
    let tool = argv.get(start)?;
    let found = |file: Option<String>, reach: ToolReach| Some(StartedTool { start, file, reach });
    match runner.source {
        ToolSource::Node { local_only } => {
            let is_local = options.iter().any(|option| local_only.contains(&option.as_str()));
            let file = find_installed(tool, "node_modules/.bin", place);
            let is_found = is_local || file.is_some() || !place.context.disk.has_files();
            if NODE_TOOLS.contains(&tool.as_str()) && is_found {
                found(file, ToolReach::Listed)
            } else {
                None
            }
        }
        ToolSource::Python if PYTHON_TOOLS.contains(&tool.as_str()) => {
            found(find_installed(tool, ".venv/bin", place), ToolReach::Listed)
        }
        ToolSource::PackageManager if matches!(tool.as_str(), "npm" | "pnpm" | "yarn") => {
            found(None, ToolReach::Builds)
        }
        ToolSource::Versions if is_plain_name(tool) => found(None, ToolReach::Builds),
        ToolSource::Python | ToolSource::PackageManager | ToolSource::Versions => None,
    }
}

/// The index of the tool, and the options in front of it.
fn skip_options<'a>(runner: &ToolRunner, argv: &'a [String]) -> Option<(usize, &'a [String])> {
    let first = runner.words.len();
    let mut at = first;
    if runner.source == ToolSource::Versions {
        // Words in front of `--` are tools that would be installed.
        return (argv.get(at)? == "--").then_some((at + 1, &[]));
    }
    while let Some(word) = argv.get(at).filter(|word| word.starts_with('-')) {
        match word.as_str() {
            flag if runner.flags.contains(&flag) => at += 1,
            option if runner.valued.contains(&option) => at += 2,
            _ => return None,
        }
    }
    Some((at, argv.get(first..at)?))
}

/// The file of a tool in the folder of the command, or in one above it inside the workspace.
fn find_installed(tool: &str, folder: &str, place: &CommandPlace) -> Option<String> {
    let [start] = place.folders.known.as_slice() else { return None };
    let mut at = start.as_str();
    loop {
        let file = format!("{at}/{folder}/{tool}");
        if place.context.disk.read_entry(&file, None) == PathEntry::Other {
            let is_own = place.is_inside(&file) && !place.folders.is_open;
            return is_own.then_some(file);
        }
        at = at.rsplit_once('/').map(|(up, _)| up)?;
        if !place.context.is_inside(at) {
            return None;
        }
    }
}

fn is_plain_name(word: &str) -> bool {
    !word.starts_with('-') && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}
