//! Which variables a line may set in front of a command.

/// Names and their parts by which a variable loads code, chooses a program or its configuration, or
/// leads to other files and hosts. In doubt it is refused: the operator can write a script.
const REFUSED_NAMES: &[&str] = &[
    "ENV",
    "IFS",
    "CC",
    "CXX",
    "LD",
    "AR",
    "AS",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "SHLVL",
    "TERMINFO",
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "TEMP",
    "TMP",
    "USER",
    "LOGNAME",
    "DISPLAY",
    "MAKEFILES",
    "GLOBIGNORE",
    "KUBECONFIG",
    "NODE_ENV_FILE",
    "JAVA_TOOL_OPTIONS",
];

const REFUSED_STARTS: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "PYTHON",
    "PERL",
    "RUBY",
    "NODE_",
    "NPM_",
    "YARN_",
    "PNPM_",
    "BUN_",
    "DENO_",
    "CARGO_",
    "RUSTC",
    "RUSTDOC",
    "RUSTUP",
    "GO",
    "CGO",
    "CMAKE",
    "MAKE",
    "BASH",
    "ZSH",
    "ZDOT",
    "FISH",
    "LESS",
    "SSH_",
    "GPG",
    "XDG_",
    "DOCKER_",
    "COUNTERSIGN",
    "MISE_",
    "ASDF_",
    "NIX_",
    "PIP_",
    "UV_",
    "POETRY_",
    "VIRTUAL_",
    "CONDA_",
    "MALLOC_",
    "GLIBC_",
    "GCONV",
    "NLS",
    "LOC",
    "RES_",
    "SUDO_",
    "AWS_",
    "AZURE_",
    "GOOGLE_",
    "GRADLE_",
    "MAVEN_",
    "JAVA_",
    "JDK_",
    "_JAVA",
    "DOTNET_",
    "CORECLR_",
    "COMPlus_",
    "PHP",
    "LUA",
    "TCL",
    "R_",
    "JULIA",
    "ERL",
    "ELIXIR",
    "OCAML",
    "OPAM",
    "GHC",
    "STACK_",
    "TF_",
    "ANSIBLE_",
    "HG",
    "SVN_",
    "PG",
    "MYSQL",
    "SQLITE",
    "BUNDLE_",
    "GEM_",
    "JEST_",
    "PYTEST_",
    "TOX_",
];

const REFUSED_ENDS: &[&str] = &[
    "PATH",
    "FLAGS",
    "HOME",
    "SHELL",
    "EDITOR",
    "PAGER",
    "VISUAL",
    "BROWSER",
    "COMMAND",
    "_CMD",
    "OPTIONS",
    "OPTS",
    "OPT",
    "ARGS",
    "WRAPPER",
    "RUNNER",
    "ASKPASS",
    "PROXY",
    "PRELOAD",
    "RC",
    "HOOK",
    "HOOKS",
    "PROGRAM",
    "_BIN",
    "_EXE",
    "COMPILER",
    "LINKER",
    "TOOL",
    "TOOLCHAIN",
    "CONFIG",
    "CONF",
    "PLUGIN",
    "PLUGINS",
    "LOADER",
    "REQUIRE",
    "IMPORT",
    "_CC",
    "_CXX",
    "_LD",
    "_AR",
    "FILE",
    "DIR",
    "ROOT",
    "HOST",
    "URL",
    "INIT",
    "STARTUP",
    "SOCK",
    "SOCKET",
];

/// These are harmless although their names begin like others.
const ALLOWED_NAMES: &[&str] = &[
    "NODE_ENV",
    "CARGO_TERM_COLOR",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_BUILD_JOBS",
    "CGO_ENABLED",
    "GOAMD64",
    "GOARCH",
    "GOARM",
    "GODEBUG",
    "GOMAXPROCS",
    "GOOS",
    "GOTRACEBACK",
    "NODE_NO_WARNINGS",
];

/// Folders in which a build keeps what it makes. Its value must be a folder inside the workspace: what
/// lies there is then run like the code of the workspace.
const BUILD_FOLDERS: &[&str] = &["GOCACHE", "GOTMPDIR", "CARGO_TARGET_DIR", "UV_CACHE_DIR"];

/// Whether the value of a variable is the folder of a build.
pub fn names_build_folder(name: &str) -> bool {
    BUILD_FOLDERS.contains(&name)
}

/// Why a line may not set this variable, whatever the operator says; `None` if it may.
pub fn explain_refused_variable(name: &str) -> Option<&'static str> {
    let mut bytes = name.bytes();
    let is_name = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !is_name {
        return Some("it is not the name of a variable");
    }
    // Some programs ignore case, and proxies are written in lower case.
    let name = name.to_ascii_uppercase();
    let is_refused = REFUSED_NAMES.contains(&name.as_str())
        || REFUSED_STARTS.iter().any(|start| name.starts_with(&start.to_ascii_uppercase()))
        || REFUSED_ENDS.iter().any(|end| name.ends_with(end));
    let is_listed = ALLOWED_NAMES.contains(&name.as_str()) || names_build_folder(&name);
    (is_refused && !is_listed).then_some("it can load code, or choose programs, files or hosts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_loads_code_or_chooses_programs_is_refused() {
        for name in [
            "PATH",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "DYLD_INSERT_LIBRARIES",
            "GIT_DIR",
            "GIT_SSH_COMMAND",
            "CDPATH",
            "HOME",
            "RUSTFLAGS",
            "CFLAGS",
            "GOFLAGS",
            "MAKEFLAGS",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "BASH_ENV",
            "ENV",
            "IFS",
            "SHELL",
            "SHELLOPTS",
            "PS4",
            "PROMPT_COMMAND",
            "EDITOR",
            "PAGER",
            "LESSOPEN",
            "RUSTC_WRAPPER",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
            "PERL5OPT",
            "RUBYOPT",
            "JAVA_TOOL_OPTIONS",
            "_JAVA_OPTIONS",
            "http_proxy",
            "XDG_CONFIG_HOME",
            "COUNTERSIGN_SOCKET",
            "GOTOOLCHAIN",
            "GOPROXY",
            "GOWORK",
            "GOENV",
            "GOPATH",
            "NODE_PATH",
            "NODE_EXTRA_CA_CERTS",
            "RUSTC_LOG",
            "GH_HOST",
            "DJANGO_SETTINGS_MODULE_PATH",
            "CC",
            "npm_config_script_shell",
            "PSQL_PAGER",
            "1A",
            "A-B",
            "",
            "A B",
        ] {
            assert!(explain_refused_variable(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_variable_that_only_tells_a_program_how_to_print_or_test_is_free() {
        for name in [
            "NODE_ENV",
            "CI",
            "LANG",
            "LC_ALL",
            "TZ",
            "RUST_BACKTRACE",
            "RUST_LOG",
            "NO_COLOR",
            "FORCE_COLOR",
            "DEBUG",
            "TERM",
            "CARGO_TERM_COLOR",
            "GOMAXPROCS",
            "CGO_ENABLED",
            "GOCACHE",
            "CARGO_TARGET_DIR",
            "COLUMNS",
            "NODE_NO_WARNINGS",
            "GOTRACEBACK",
            "GOAMD64",
            "MSYS_NO_PATHCONV",
            "CLICOLOR_FORCE",
            "RAILS_ENV",
            "MIX_ENV",
            "SQLX_OFFLINE",
            "UPDATE_SNAPSHOTS",
        ] {
            assert_eq!(explain_refused_variable(name), None, "{name}");
        }
    }
}
