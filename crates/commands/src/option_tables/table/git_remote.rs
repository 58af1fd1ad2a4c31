//! Subcommands of git that contact a remote. Operands are names of remotes and branches: no
//! address, deletion (`:x`) or force prefix (`+x`). Without `--upload-pack`, `--receive-pack`,
//! `--exec`, `--config` and `--template`.

use super::prelude::*;

const PUSH: OptionTable = changer("git push", "vqun", "")
    .long(
        "verbose quiet set-upstream dry-run porcelain progress no-progress tags follow-tags atomic",
    )
    .operands(RefNames)
    .contacts(Contacts::Remote)
    .effect(ProgramEffect::WritesGitData);

/// Overwrites or deletes what the remote has.
const FORCED_PUSH: OptionTable = PUSH.no_head();

pub(super) const GIT_REMOTE: &[OptionTable] = &[
    editor("git fetch", "vqptPn", "j")
        .long(
            "verbose quiet all prune prune-tags tags no-tags dry-run progress unshallow multiple \
               no-recurse-submodules atomic",
        )
        .long_valued("depth deepen jobs shallow-since")
        .operands(RefNames)
        .paths(PathOperands::None)
        .effect(ProgramEffect::WritesGitData)
        .contacts(Contacts::Remote),
    editor("git pull", "vqptnr", "")
        .long(
            "verbose quiet rebase no-rebase ff ff-only no-ff prune tags no-tags autostash \
               no-autostash no-edit stat no-stat commit no-commit squash progress all",
        )
        .long_valued("depth")
        .operands(RefNames)
        .paths(PathOperands::None)
        .contacts(Contacts::Remote),
    PUSH,
    PUSH.with_name("git push --dry-run").effect(ProgramEffect::Reads),
    FORCED_PUSH.with_name("git push --force"),
    FORCED_PUSH.with_name("git push -f"),
    FORCED_PUSH.with_name("git push --force-with-lease"),
    FORCED_PUSH.with_name("git push --delete"),
    FORCED_PUSH.with_name("git push -d"),
    reader_of_words("git ls-remote", "htq", "")
        .long("heads tags refs quiet branches symref get-url exit-code")
        .long_valued("sort")
        .operands(RefNames)
        .contacts(Contacts::Remote),
    reader_of_words("git remote show", "n", "").operands(FewRefNames(1)).contacts(Contacts::Remote),
    editor("git remote update", "p", "")
        .long("prune")
        .operands(RefNames)
        .paths(PathOperands::None)
        .effect(ProgramEffect::WritesGitData)
        .contacts(Contacts::Configured),
    editor("git remote prune", "n", "")
        .long("dry-run")
        .operands(RefNames)
        .paths(PathOperands::None)
        .effect(ProgramEffect::WritesGitData)
        .contacts(Contacts::Remote),
    editor("git clone", "qv", "bj")
        .long("quiet verbose progress single-branch no-tags no-checkout bare mirror")
        .long_valued("depth branch filter jobs shallow-since")
        .operands(CloneAddress)
        .paths(PathOperands::AfterFirst)
        .contacts(Contacts::Remote)
        .no_head(),
    editor("git submodule update", "qN", "j")
        .long("init recursive quiet no-fetch recommend-shallow progress single-branch remote")
        .long_valued("depth jobs")
        .contacts(Contacts::Configured),
];
