//! Subcommands of git. What repository configuration can make them run is neutralised elsewhere.

use super::short;
use crate::tools::{Operands, Style, Tool, Values};

const SHOWN: &str = "oneline stat shortstat numstat name-only name-status graph all decorate patch \
           no-patch no-color abbrev-commit no-merges merges first-parent reverse follow \
           summary raw full-index ignore-all-space ignore-space-change word-diff minimal \
           histogram no-ext-diff no-textconv no-renames cached staged quiet exit-code check \
           branches tags remotes no-decorate date-order topo-order dirstat patience color \
           merge-base no-prefix ignore-blank-lines text binary abbrev find-renames";
const SHOWN_VALUED: &str = "format pretty since until after before author committer grep max-count skip date \
           diff-filter unified abbrev find-renames word-diff-regex diff-algorithm \
           color decorate word-diff stat";

const fn shown(name: &'static str) -> Tool {
    Tool {
        style: Style::Numbers,
        long: SHOWN,
        long_valued: SHOWN_VALUED,
        values: Values::Unsigned,
        ..short(name, "pusqbwraczMCRiEFm", "nUSGL")
    }
}

pub(super) const GIT: &[Tool] = &[
    shown("git log"),
    shown("git diff"),
    shown("git show"),
    shown("git shortlog"),
    Tool {
        long: "short branch long verbose ignored show-stash ahead-behind porcelain untracked-files",
        long_valued: "porcelain untracked-files",
        ..short("git status", "sbvz", "u")
    },
    Tool {
        long: "all verbose list show-current remotes no-color",
        long_valued: "contains merged no-merged sort format",
        values: Values::Unsigned,
        operands: Operands::None,
        ..short("git branch", "avr", "")
    },
    Tool {
        long: "line-number ignore-case word-regexp files-with-matches count untracked cached \
           name-only",
        ..short("git grep", "niwlcEFPvhHILaq", "eABCm")
    },
    Tool {
        long: "cached others modified deleted exclude-standard stage unmerged full-name error-unmatch",
        ..short("git ls-files", "comdstuzv", "")
    },
    Tool {
        long: "abbrev-ref show-toplevel short verify quiet is-inside-work-tree git-dir \
           symbolic-full-name all",
        ..short("git rev-parse", "q", "")
    },
    short("git blame", "wescltfnbMC", "L"),
    short("git describe", "", ""),
    Tool { long: "all update verbose dry-run intent-to-add", ..short("git add", "AunvN", "") },
    Tool {
        long: "all amend no-edit quiet signoff allow-empty verbose",
        long_valued: "message",
        ..short("git commit", "aqsv", "m")
    },
    Tool {
        operands: Operands::Names,
        long: "verbose quiet set-upstream dry-run porcelain progress",
        ..short("git push", "vqun", "")
    },
    Tool {
        operands: Operands::Names,
        long: "verbose quiet all prune tags dry-run progress",
        long_valued: "depth",
        ..short("git fetch", "vqpt", "")
    },
    Tool {
        operands: Operands::Names,
        long: "heads tags refs quiet",
        ..short("git ls-remote", "htq", "")
    },
    Tool { operands: Operands::None, ..short("git stash list", "", "") },
    Tool { operands: Operands::None, long: "verbose", ..short("git remote", "v", "") },
];
