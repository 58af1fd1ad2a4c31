//! The words that programs may get as operands.

/// Whether a word starts with a letter or digit and has only these other characters.
fn has_only(word: &str, others: &[u8]) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || others.contains(&b))
}

pub(super) fn is_ref_name(word: &str) -> bool {
    has_only(word, b"._-/") && !word.contains("..")
}

/// Tasks that leave the machine: their names say so in every repository.
pub(crate) fn publishes(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let mut parts = word.split(|c: char| !c.is_ascii_alphanumeric());
    ["deploy", "publish", "upload", "destroy"].iter().any(|name| word.contains(name))
        || parts.any(|part| matches!(part, "release" | "push" | "ship" | "rollback"))
}

pub fn is_task(word: &str) -> bool {
    is_name(word) && !publishes(word)
}

pub(super) fn is_name(word: &str) -> bool {
    has_only(word, b"._-/:@") && !word.contains("..") && !word.contains("//")
}

/// `//pkg/...`, `//pkg:name`, `:name`.
pub(super) fn is_bazel_target(word: &str) -> bool {
    let rest = word.strip_prefix("//").or_else(|| word.strip_prefix(':')).unwrap_or(word);
    !rest.starts_with('/')
        && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/:+".contains(&b))
}

/// Scripts that `pnpm --filter NAME` and `yarn workspace NAME` start by their name alone.
const SCRIPTS: &[&str] = &["test", "build", "lint", "typecheck", "type-check", "check", "format"];

/// Without dots and slashes, because bun runs a file of that name.
pub(super) fn is_script_name(word: &str) -> bool {
    has_only(word, b"_-:") && !publishes(word)
}

pub(super) fn is_package(word: &str) -> bool {
    const ARCHIVES: &[&str] =
        &[".tgz", ".tar", ".gz", ".bz2", ".xz", ".zip", ".whl", ".deb", ".rb", ".rpm"];
    if word == "." || (word.starts_with(".[") && word.ends_with(']')) {
        return !word.contains('/');
    }
    let name = match word.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some((scope, name)) if has_only(scope, b"._-") => name,
            _ => return false,
        },
        None => word,
    };
    has_only(name, b"._-@=<>~^,![]+*")
        && !word.contains("..")
        && !ARCHIVES.iter().any(|ending| word.to_ascii_lowercase().ends_with(ending))
}

/// `go run` downloads a package that is given by its name.
pub(super) fn is_local_program(words: &[&str]) -> bool {
    let is_local = |word: &str| {
        word == "." || word.starts_with("./") || (word.ends_with(".go") && !word.contains('@'))
    };
    words.first().is_none_or(|word| is_local(word)) && !words.iter().any(|word| publishes(word))
}

/// `.`, `.#name` or `./folder#name`; anything else could be an address.
pub(super) fn is_local_flake(word: &str) -> bool {
    let (folder, name) = word.split_once('#').unwrap_or((word, ""));
    let is_folder = folder == "." || folder.strip_prefix("./").is_some_and(is_ref_name);
    is_folder && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

pub(super) const XCODE_ACTIONS: &[&str] =
    &["build", "test", "analyze", "build-for-testing", "test-without-building", "clean"];

pub(super) fn is_go_module(word: &str) -> bool {
    let word = word.strip_suffix("/...").unwrap_or(word);
    let inside = matches!(word, "." | "...") || word.strip_prefix("./").is_some_and(is_ref_name);
    inside || (has_only(word, b"._-/@+~") && !word.contains(".."))
}

pub(super) fn is_web_address(word: &str) -> bool {
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !rest.contains(['@', '\\', '{', '}', '[', ']', ' ', '\n'])
            && rest.is_ascii()
    })
}

/// An address of this machine: `localhost:3000/x`, `http://127.0.0.1:8080`.
pub fn is_local_address(word: &str) -> bool {
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"));
    let rest = rest.unwrap_or(word);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    matches!(host, "localhost" | "127.0.0.1" | "0.0.0.0")
        && port.bytes().all(|b| b.is_ascii_digit())
        && is_web_address(&format!("http://{rest}"))
}

/// `shop`, `postgres://localhost:5432/shop`.
pub(super) fn is_database_name(word: &str) -> bool {
    let scheme = ["postgres://", "postgresql://"].iter().find_map(|one| word.strip_prefix(one));
    match scheme {
        Some(rest) => has_only(rest, b"._-/:@") && rest.matches('@').count() <= 1,
        None => has_only(word, b"._-"),
    }
}

/// Text, `#{name}` and `#W`. Others run a program, or expand what an option or a variable holds.
pub(crate) fn is_tmux_format(word: &str) -> bool {
    let is_plain = |part: &str| match part.strip_prefix('{') {
        Some(rest) => rest.split_once('}').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b"_-@".contains(&b))
        }),
        None => part.starts_with(|c: char| c.is_ascii_alphabetic()),
    };
    !word.contains(';') && word.split('#').skip(1).all(is_plain)
}

/// `https://host/path` or `git@host:path`.
pub(super) fn is_clone_address(word: &str) -> bool {
    let is_scp_address = word.strip_prefix("git@").is_some_and(|rest| {
        rest.split_once(':').is_some_and(|(host, path)| {
            is_host_name(host) && has_only(path, b"._-/") && !path.contains("..")
        })
    });
    is_scp_address || is_web_address(word)
}

/// Settings that name no program, path or address.
pub(super) const HARMLESS_SETTINGS: &[&str] = &[
    "user.name",
    "user.email",
    "init.defaultBranch",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "push.autoSetupRemote",
    "core.autocrlf",
    "core.eol",
    "core.quotepath",
    "core.ignorecase",
    "core.filemode",
    "advice.detachedHead",
    "merge.conflictStyle",
    "rebase.autoStash",
    "rebase.autoSquash",
    "fetch.prune",
    "color.ui",
    "diff.algorithm",
    "rerere.enabled",
];

/// Some settings hold a password, or a header that authenticates.
pub(super) fn is_open_setting(key: &str) -> bool {
    const CREDENTIALS: &[&str] = &["extraheader", "pass", "token", "secret", "cookie", "apikey"];
    let key = key.to_ascii_lowercase();
    !CREDENTIALS.iter().any(|part| key.contains(part))
}

pub(super) fn is_host_name(word: &str) -> bool {
    has_only(word, b"._-")
}

/// `repos/{owner}/{repo}/pulls?state=open`; with a GraphQL query it would be a POST.
pub(super) fn is_api_path(word: &str) -> bool {
    let path = word.strip_prefix('/').unwrap_or(word);
    has_only(path, b"._-/{}?=&%+:,")
        && !path.contains("..")
        && !path.contains("://")
        && !path.starts_with("graphql")
}

pub fn is_plain_filter(filter: &str) -> bool {
    const LOADING: &[&str] = &[
        "import",
        "include",
        "env",
        "ENV",
        "strenv",
        "envsubst",
        "load",
        "load_str",
        "load_xml",
        "load_props",
        "load_base64",
        "eval",
        "system",
        "exec",
        "input_filename",
    ];
    let mut words = filter.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    !words.any(|word| LOADING.contains(&word))
}

/// Only `%s`, `%b` and `%%`: in bash `%n` assigns to a variable, in zsh `%d` evaluates.
pub(super) fn is_plain_format(format: &str) -> bool {
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c == '%' && !matches!(rest.next(), Some('s' | 'b' | '%')) {
            return false;
        }
    }
    true
}

pub(super) fn is_file_mode(mode: &str) -> bool {
    let is_octal = |mode: &str| mode.len() == 3 && mode.bytes().all(|b| b.is_ascii_digit());
    let (who, change) = mode.split_at(mode.find(['+', '-', '=']).unwrap_or(0));
    let is_change = |change: &str| {
        let mut letters = change.bytes();
        letters.next().is_some_and(|b| b"+-=".contains(&b)) && letters.all(|b| b"rwxX".contains(&b))
    };
    is_octal(mode.strip_prefix('0').unwrap_or(mode))
        || (who.bytes().all(|b| b"ugoa".contains(&b)) && is_change(change))
}

pub(super) fn is_process_id(word: &str) -> bool {
    word.parse::<u32>().is_ok_and(|id| id > 1) && !word.starts_with('+')
}

pub(super) fn is_revision(word: &str) -> bool {
    has_only(word, b"._-/~^@{}")
}

pub(super) fn is_filtered_script(words: &[&str]) -> bool {
    match words {
        [package, script] => is_package(package) && SCRIPTS.contains(script),
        [package, "run", script] => is_package(package) && is_script_name(script),
        _ => false,
    }
}

pub(super) fn is_dns_word(word: &str) -> bool {
    is_host_name(word.strip_prefix(['+', '@']).unwrap_or(word))
}

pub(super) fn is_vendor_package(word: &str) -> bool {
    has_only(word, b"._-/:^~*@") && word.matches('/').count() == 1
}

pub(super) fn is_cloud_name(word: &str) -> bool {
    has_only(word.strip_prefix("s3://").unwrap_or(word), b"._-/")
}

pub(super) fn is_process_selection(word: &str) -> bool {
    is_process_id(word) || word.bytes().all(|b| b"auxfwljh".contains(&b))
}
