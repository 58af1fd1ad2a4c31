//! Subcommands of git that only read. `crate::git` disables the programs that a repository's
//! configuration names. Without options that run others or write: `--ext-diff`, `--textconv`,
//! `--show-signature`, `--output`, `--open-files-in-pager`.

use super::prelude::*;

const LOG_OPTIONS: &str = "oneline stat shortstat numstat name-only name-status graph all decorate \
    patch no-patch no-color abbrev-commit no-abbrev-commit no-merges merges first-parent reverse \
    follow summary raw full-index ignore-all-space ignore-space-change ignore-space-at-eol \
    ignore-cr-at-eol word-diff color-words minimal histogram no-ext-diff no-textconv no-renames \
    cached staged quiet exit-code check branches tags remotes no-decorate date-order topo-order \
    author-date-order dirstat patience color merge-base no-prefix ignore-blank-lines text binary \
    abbrev find-renames find-copies find-copies-harder function-context source boundary left-right \
    cherry-pick cherry-mark cherry left-only right-only ancestry-path full-history \
    simplify-by-decoration simplify-merges parents children relative-date extended-regexp \
    fixed-strings perl-regexp regexp-ignore-case invert-grep all-match cc compact-summary \
    irreversible-delete pickaxe-all pickaxe-regex no-notes no-walk relative patch-with-stat \
    email use-mailmap no-mailmap numbered walk-reflogs color-moved pretty unified";
const LOG_VALUED: &str = "format pretty since until after before author committer grep max-count \
    skip date diff-filter unified abbrev find-renames find-copies word-diff-regex diff-algorithm \
    color decorate word-diff stat min-parents max-parents diff-merges inter-hunk-context branches \
    tags remotes glob exclude src-prefix dst-prefix ignore-matching-lines dirstat color-moved \
    stat-width group";

/// `-U` takes a number only in the same word; the next word may be a path.
const LOG: OptionTable = reader("git log", "pusqbwraczMCRiEFmWtgU0123456789", "nSGLI")
    .numbers()
    .long(LOG_OPTIONS)
    .long_valued(LOG_VALUED)
    .values(AllowedValues::NoSignatureFormats);

const SHORTLOG: OptionTable = reader("git shortlog", "sncew", "")
    .long(
        "summary numbered email committer all no-merges merges first-parent branches tags remotes",
    )
    .long_valued("since until after before author grep format group max-count")
    .values(AllowedValues::NoSignatureFormats);

const REVISIONS: OptionTable = reader("git rev-list", "iEF", "n")
    .numbers()
    .long(LOG_OPTIONS_OF_LISTS)
    .long_valued(LOG_VALUED)
    .values(AllowedValues::NoSignatureFormats);
const LOG_OPTIONS_OF_LISTS: &str = "count all branches tags remotes first-parent merges no-merges \
    left-right cherry-pick left-only right-only reverse objects oneline abbrev-commit parents \
    children boundary ancestry-path topo-order date-order no-walk pretty";

const BRANCH_LIST: OptionTable = reader_of_words("git branch", "avr", "")
    .long(
        "all verbose list show-current remotes no-color color ignore-case no-column no-abbrev \
         merged no-merged",
    )
    .long_valued("contains no-contains merged no-merged sort format points-at")
    .values(AllowedValues::NoSignatureFormats)
    .operands(None);

const TAG_LIST: OptionTable = reader_of_words("git tag", "", "n")
    .long("ignore-case no-column merged no-merged")
    .long_valued("contains no-contains merged no-merged sort format points-at")
    .values(AllowedValues::NoSignatureFormats)
    .operands(None);

/// The value of one setting.
const SETTING: OptionTable = reader_of_words("git config --get", "", "")
    .long("local global system show-origin show-scope all")
    .operands(AtMost(1));

pub(super) const GIT_READ: &[OptionTable] = &[
    LOG,
    LOG.with_name("git diff"),
    LOG.with_name("git show"),
    SHORTLOG,
    LOG.with_name("git whatchanged"),
    LOG.with_name("git diff-tree"),
    LOG.with_name("git diff-index"),
    LOG.with_name("git diff-files"),
    LOG.with_name("git range-diff"),
    LOG.with_name("git reflog show"),
    LOG.with_name("git reflog").operands(None),
    LOG.with_name("git stash show"),
    LOG.with_name("git stash list").operands(None),
    REVISIONS,
    // `-u` takes a mode only in the same word: `-uno`, `-uall`.
    reader("git status", "sbvzunoalrm", "")
        .long("short branch long verbose ignored show-stash ahead-behind no-ahead-behind porcelain \
               untracked-files renames no-renames column ignore-submodules")
        .long_valued("porcelain untracked-files ignored ignore-submodules"),
    BRANCH_LIST,
    BRANCH_LIST.with_name("git branch --list").operands(Any),
    TAG_LIST,
    TAG_LIST.with_name("git tag -l").operands(Any),
    TAG_LIST.with_name("git tag --list").operands(Any),
    reader("git grep", "niwlcEFPvhHILaqopWG", "eABCm")
        .long(
            "line-number ignore-case word-regexp files-with-matches files-without-match count \
             untracked cached name-only extended-regexp fixed-strings perl-regexp invert-match \
             show-function function-context only-matching heading break column full-name and or not \
             all-match quiet color no-color text",
        )
        .long_valued("max-depth context after-context before-context max-count color")
        .pattern_first("e"),
    reader("git ls-files", "comdstuzvki", "x")
        .long("cached others modified deleted exclude-standard stage unmerged full-name \
               error-unmatch ignored directory no-empty-directory killed eol")
        .long_valued("exclude abbrev with-tree format"),
    reader("git ls-tree", "rtdlz", "")
        .long("name-only name-status long full-name full-tree object-only")
        .long_valued("abbrev format"),
    reader("git rev-parse", "q", "")
        .long(
            "abbrev-ref show-toplevel short verify quiet is-inside-work-tree git-dir all \
             symbolic-full-name git-common-dir show-prefix show-cdup is-inside-git-dir \
             is-bare-repository is-shallow-repository absolute-git-dir branches tags remotes \
             show-superproject-working-tree symbolic",
        )
        .long_valued("short abbrev-ref"),
    reader("git blame", "wescltfnbMCp", "L")
        .long("porcelain line-porcelain show-email show-name show-number root date-order")
        .long_valued("since date abbrev ignore-rev"),
    reader_of_words("git describe", "", "")
        .long("all tags always dirty long first-parent contains exact-match debug")
        .long_valued("abbrev match exclude candidates dirty"),
    reader("git cat-file", "tpse", ""),
    reader_of_words("git merge-base", "a", "")
        .long("all octopus independent is-ancestor fork-point"),
    reader_of_words("git name-rev", "", "").long("name-only tags always all").long_valued("refs"),
    reader_of_words("git for-each-ref", "", "")
        .long("merged no-merged ignore-case")
        .long_valued("format sort count contains no-contains points-at merged no-merged exclude")
        .values(AllowedValues::NoSignatureFormats),
    reader_of_words("git show-ref", "dsq", "")
        .long("head heads tags branches dereference hash verify quiet abbrev exists")
        .long_valued("hash abbrev"),
    reader_of_words("git show-branch", "ar", "").long("all remotes list current topo-order"),
    reader_of_words("git symbolic-ref", "q", "").long("short quiet").operands(AtMost(1)),
    reader_of_words("git cherry", "v", "").long_valued("abbrev"),
    reader("git check-ignore", "vqn", "").long("verbose quiet non-matching no-index"),
    reader("git check-attr", "a", "").long("all cached"),
    reader_of_words("git count-objects", "vH", "").long("verbose human-readable").operands(None),
    reader_of_words("git worktree list", "vz", "").long("porcelain verbose").operands(None),
    reader_of_words("git submodule status", "", "").long("recursive cached"),
    SETTING,
    SETTING.with_name("git config --get-all"),
    SETTING.with_name("git config --show-origin --get"),
    SETTING.with_name("git config --show-origin --get-all"),
    SETTING.with_name("git config --local --get"),
    SETTING.with_name("git config --global --get"),
    SETTING.with_name("git config get"),
    SETTING.with_name("git config user.name").operands(None),
    SETTING.with_name("git config user.email").operands(None),
    reader("git apply --check", "v", "p").long("verbose index cached reverse"),
    reader("git apply --cached --check", "v", "p").long("verbose reverse"),
    reader("git apply --stat", "", "p"),
    reader_of_words("git config --list", "", "")
        .long("local global system show-origin show-scope name-only")
        .operands(None),
    reader_of_words("git config -l", "", "").long("local global show-origin").operands(None),
    reader_of_words("git remote", "v", "").long("verbose").operands(None),
    reader_of_words("git remote -v", "", "").operands(None),
    reader_of_words("git remote get-url", "", "").long("all push").operands(FewRefNames(1)),
    reader("git clean -n", "dxXq", "").long("quiet"),
    reader("git clean --dry-run", "dxXq", "").long("quiet"),
];
