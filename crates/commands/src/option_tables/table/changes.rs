//! Programs that create, change, move and delete files.

use super::prelude::*;

pub(super) const CHANGES: &[OptionTable] = &[
    editor("mkdir", "pv", "m").long("parents verbose").long_valued("mode"),
    editor("touch", "acmh", "dtr")
        .long("no-create")
        .long_valued("date reference")
        .path_values("r reference"),
    editor("cp", "rRapvnufidPT", "t")
        .long(
            "recursive archive verbose no-clobber update force interactive parents \
               no-target-directory no-dereference",
        )
        .long_valued("target-directory")
        .written_values("t target-directory"),
    editor("mv", "vnfiuT", "t")
        .long("verbose no-clobber force interactive update no-target-directory")
        .long_valued("target-directory")
        .written_values("t target-directory"),
    editor("ln", "sfnvrT", "")
        .long("symbolic force no-dereference verbose relative no-target-directory")
        .no_head(),
    editor("chmod", "vcR", "")
        .long("verbose changes recursive")
        .operands(FileMode)
        .paths(PathOperands::AfterFirst),
    editor("tee", "ai", "").long("append ignore-interrupts").reads_input(),
    editor("truncate", "c", "s").long("no-create").long_valued("size"),
    editor("unzip", "qon", "d").written_values("d").operands(AtMost(1)).no_head(),
    deleter("rm", "rRfvidI", "").long("recursive force verbose dir one-file-system"),
    deleter("rmdir", "pv", "").long("parents verbose ignore-fail-on-non-empty"),
    deleter("unlink", "", "").operands(AtMost(1)),
];
