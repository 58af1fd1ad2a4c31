//! The programs that start another program by their words, and their options.

use crate::wrappers::base_name;

pub(crate) struct ToolRunner {
    /// The words that start it.
    pub(crate) words: &'static [&'static str],
    /// Options without a value that may follow.
    pub(crate) flags: &'static [&'static str],
    /// The same with a value as the next word.
    pub(crate) valued: &'static [&'static str],
    pub(crate) source: ToolSource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolSource {
    /// `node_modules/.bin`. With one of these options nothing is downloaded.
    Node { local_only: &'static [&'static str] },
    /// The environment of a Python project.
    Python,
    /// Behind `--`, with the programs that the project's version files choose.
    Versions,
    /// A package manager by its name.
    PackageManager,
}

const fn runner(
    words: &'static [&'static str],
    flags: &'static [&'static str],
    valued: &'static [&'static str],
    source: ToolSource,
) -> ToolRunner {
    ToolRunner { words, flags, valued, source }
}

const NODE: ToolSource = ToolSource::Node { local_only: &[] };
const UV_FLAGS: &[&str] = &[
    "-q",
    "--quiet",
    "--frozen",
    "--locked",
    "--no-sync",
    "--offline",
    "--active",
    "--dev",
    "--no-dev",
    "--all-extras",
    "--all-groups",
    "--exact",
    "--isolated",
    "--no-progress",
];

/// Longer names first.
const RUNNERS: &[ToolRunner] = &[
    runner(
        &["npx"],
        &["--no-install", "--no", "-y", "--yes", "--offline", "--prefer-offline", "-q", "--quiet"],
        &[],
        ToolSource::Node { local_only: &["--no-install", "--no"] },
    ),
    runner(&["npm", "exec"], &["--no", "-y", "--yes", "--offline", "--"], &[], NODE),
    runner(&["bunx"], &["--bun", "--no-install"], &[], NODE),
    runner(&["bun", "x"], &["--bun", "--no-install"], &[], NODE),
    runner(&["pnpm", "exec"], &[], &[], NODE),
    runner(&["yarn", "exec"], &[], &[], NODE),
    runner(&["yarn", "run"], &[], &[], NODE),
    runner(&["pnpm"], &["-s", "--silent"], &[], NODE),
    runner(&["yarn"], &["-s", "--silent"], &[], NODE),
    runner(&["uv", "run"], UV_FLAGS, &["--extra", "--group", "--only-group"], ToolSource::Python),
    runner(&["poetry", "run"], &[], &[], ToolSource::Python),
    runner(&["pdm", "run"], &[], &[], ToolSource::Python),
    runner(&["pipenv", "run"], &[], &[], ToolSource::Python),
    runner(&["rye", "run"], &[], &[], ToolSource::Python),
    runner(&["mise", "exec"], &[], &[], ToolSource::Versions),
    runner(&["mise", "x"], &[], &[], ToolSource::Versions),
    runner(&["corepack"], &[], &[], ToolSource::PackageManager),
];

pub(crate) fn find_runner(argv: &[String]) -> Option<&'static ToolRunner> {
    RUNNERS.iter().find(|runner| {
        let words = argv.get(..runner.words.len());
        words.is_some_and(|words| words.iter().eq(runner.words.iter()))
    })
}

/// Where the command may start that a runner starts, for rules that deny: behind its options, each of
/// which may have a value.
pub(crate) fn find_reachable_starts(words: &[&str]) -> Vec<usize> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = base_name(program).to_ascii_lowercase();
    let is_runner = |runner: &&ToolRunner| {
        let mut expected = runner.words.iter();
        expected.next() == Some(&name.as_str())
            && expected.eq(rest.iter().take(runner.words.len() - 1))
    };
    let Some(runner) = RUNNERS.iter().find(is_runner) else { return Vec::new() };
    let mut starts = Vec::new();
    let mut may_be_value = false;
    for (at, word) in words.iter().enumerate().skip(runner.words.len()) {
        let is_option = word.starts_with('-');
        if !is_option {
            starts.push(at);
        }
        if !is_option && !may_be_value {
            break;
        }
        may_be_value = is_option && *word != "--";
    }
    starts
}
