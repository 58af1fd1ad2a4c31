//! Places where package managers keep what they fetched: reading there is like reading in the
//! workspace, writing is not. A secret file below one of them stays secret.
//!
//! A place belongs here if a program fills it with what others published, or a person with what the
//! agent is meant to read, and it keeps neither settings nor credentials beside it.
//!
//! See docs/decisions/0120-what-counts-as-inside.md.

use super::{PlaceGroup, cache};

#[rustfmt::skip]
pub(super) const GROUPS: &[PlaceGroup] = &[
    cache("Rust", "sources of crates and of the standard library", &[
        "~/.cargo/registry", "~/.cargo/git/checkouts", "~/.rustup/toolchains/*/lib/rustlib",
        "~/.rustup/toolchains/*/share", "/usr/local/cargo/registry", "/usr/local/cargo/git/checkouts",
    ]),
    cache("Go", "modules and the standard library", &[
        "~/go/pkg/mod", "/go/pkg/mod", "/usr/local/go/src", "/usr/lib/go*/src", "/usr/share/go-*/src",
    ]),
    cache("JavaScript", "installed packages and what the package managers share", &[
        "node_modules", "~/.local/share/pnpm/store", "~/Library/pnpm/store", "~/.yarn/berry/cache", "~/.bun/install/cache",
        "~/.cache/deno", "~/Library/Caches/deno",
    ]),
    cache("Python", "installed packages and the standard library", &[
        "site-packages", "dist-packages", "~/.cache/uv/archive-v*", "~/.local/share/uv/python", "~/.pyenv/versions/*/lib",
        "/usr/lib/python3*", "/usr/local/lib/python3*",
    ]),
    cache("Java and Kotlin", "libraries that Maven, Gradle and others fetched", &[
        "~/.m2/repository", "~/.gradle/caches/modules-*", "~/.ivy2/cache", "~/.cache/coursier",
    ]),
    cache("Ruby", "gems", &[
        "~/.gem/ruby", "~/.local/share/gem/ruby", "~/.rbenv/versions/*/lib", "~/.rvm/gems", "/var/lib/gems", "/usr/lib/ruby",
    ]),
    cache("other languages", "packages of .NET, Dart, Swift, PHP, Elixir, Haskell, OCaml and Zig", &[
        "~/.nuget/packages", "~/.pub-cache/hosted", "~/.swiftpm/cache", "~/Library/Caches/org.swift.swiftpm",
        "~/.composer/cache", "~/.cache/composer", "~/.hex/packages", "~/.cabal/packages", "~/.opam/*/lib", "~/.cache/zig/p",
    ]),
    cache("agents", "instructions, skills and plugins that a person gave the agent to read", &[
        "~/.claude/CLAUDE.md", "~/.claude/skills", "~/.claude/plugins/cache", "~/.claude/plugins/marketplaces",
        "~/.claude/agents", "~/.claude/commands", "~/.claude/rules", "~/.codex/AGENTS.md", "~/.codex/skills",
        "~/.codex/prompts", "~/.codex/plugins/cache", "~/.agents/skills", "~/.gemini/GEMINI.md", "~/.copilot/skills",
        "~/.config/opencode/AGENTS.md", "~/.config/opencode/skills", "~/.config/opencode/agents",
    ]),
    cache("the system", "headers, manuals and packages that the system's own manager installed", &[
        "/usr/include", "/usr/local/include", "/usr/share/doc", "/usr/share/man", "/usr/share/info", "/nix/store",
        "/opt/homebrew/Cellar", "/usr/local/Cellar",
    ]),
];
