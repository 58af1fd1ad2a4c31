//! Subcommands of git. `crate::git` looks at the programs that a configuration names, hooks among
//! them: without them, `git commit` writes only git's own data.

use super::{reader, reader_of_words, short_options};
use crate::option_tables::{
    AllowedOperands, AllowedValues, Effect, OptionStyle, OptionTable, PathOperands,
};

const SHOW_OPTIONS: &str = "oneline stat shortstat numstat name-only name-status graph all decorate patch \
           no-patch no-color abbrev-commit no-merges merges first-parent reverse follow \
           summary raw full-index ignore-all-space ignore-space-change word-diff minimal \
           histogram no-ext-diff no-textconv no-renames cached staged quiet exit-code check \
           branches tags remotes no-decorate date-order topo-order dirstat patience color \
           merge-base no-prefix ignore-blank-lines text binary abbrev find-renames";
const SHOW_OPTIONS_WITH_VALUE: &str = "format pretty since until after before author committer grep max-count skip date \
           diff-filter unified abbrev find-renames word-diff-regex diff-algorithm \
           color decorate word-diff stat";

const fn git_show_table(name: &'static str) -> OptionTable {
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long: SHOW_OPTIONS,
        long_valued: SHOW_OPTIONS_WITH_VALUE,
        values: AllowedValues::NoSignatureFormats,
        ..reader(name, "pusqbwraczMCRiEFm", "nUSGL")
    }
}

pub(super) const GIT: &[OptionTable] = &[
    git_show_table("git log"),
    git_show_table("git diff"),
    git_show_table("git show"),
    git_show_table("git shortlog"),
    OptionTable {
        long: "short branch long verbose ignored show-stash ahead-behind porcelain untracked-files",
        long_valued: "porcelain untracked-files",
        ..reader("git status", "sbvz", "u")
    },
    OptionTable {
        long: "all verbose list show-current remotes no-color",
        long_valued: "contains merged no-merged sort format",
        values: AllowedValues::NoSignatureFormats,
        operands: AllowedOperands::None,
        ..reader_of_words("git branch", "avr", "")
    },
    OptionTable {
        long: "line-number ignore-case word-regexp files-with-matches count untracked cached \
           name-only",
        paths: PathOperands::AfterFirst,
        first_by_option: "e",
        ..reader("git grep", "niwlcEFPvhHILaq", "eABCm")
    },
    OptionTable {
        long: "cached others modified deleted exclude-standard stage unmerged full-name error-unmatch",
        ..reader("git ls-files", "comdstuzv", "")
    },
    OptionTable {
        long: "abbrev-ref show-toplevel short verify quiet is-inside-work-tree git-dir \
           symbolic-full-name all",
        ..reader("git rev-parse", "q", "")
    },
    reader("git blame", "wescltfnbMC", "L"),
    reader_of_words("git describe", "", ""),
    OptionTable {
        long: "all update verbose dry-run intent-to-add",
        effect: Effect::WritesGitData,
        ..short_options("git add", "AunvN", "")
    },
    OptionTable {
        long: "all amend no-edit quiet signoff allow-empty verbose",
        long_valued: "message",
        effect: Effect::WritesGitData,
        ..short_options("git commit", "aqsv", "m")
    },
    OptionTable {
        operands: AllowedOperands::RefNames,
        long: "verbose quiet set-upstream dry-run porcelain progress",
        paths: PathOperands::None,
        effect: Effect::WritesGitData,
        ..short_options("git push", "vqun", "")
    },
    OptionTable {
        operands: AllowedOperands::RefNames,
        long: "verbose quiet all prune tags dry-run progress",
        long_valued: "depth",
        paths: PathOperands::None,
        effect: Effect::WritesGitData,
        ..short_options("git fetch", "vqpt", "")
    },
    OptionTable {
        operands: AllowedOperands::RefNames,
        long: "heads tags refs quiet",
        ..reader_of_words("git ls-remote", "htq", "")
    },
    OptionTable { operands: AllowedOperands::None, ..reader_of_words("git stash list", "", "") },
    OptionTable {
        operands: AllowedOperands::None,
        long: "verbose",
        ..reader_of_words("git remote", "v", "")
    },
];
