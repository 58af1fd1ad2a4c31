//! The cycles that are still there. A new one is an error, and so is a row that is no longer needed.

/// A folder, and the modules in it that use each other in cycles.
pub(super) type KnownCycle<'k> = (&'k str, &'k [&'k str]);

pub(super) const KNOWN_CYCLES: &[KnownCycle] = &[
    (
        "crates/commands/src",
        &[
            "command_place",
            "context",
            "denied_path",
            "deny",
            "git",
            "judge",
            "judge_segments",
            "reachable_commands",
            "rule_form",
            "subject",
            "written_paths",
        ],
    ),
    ("crates/commands/src/git", &["configuration", "credentials", "remotes", "settings"]),
    ("crates/observe/src", &["file_system", "git_config", "program", "real_path"]),
    ("crates/observe/src/git_config", &["cache", "files", "index", "repository"]),
    ("crates/observe/src/program", &["chain", "shim"]),
];
