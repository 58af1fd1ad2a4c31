//! Names of tasks are those that the files of the project define.

use super::{EveryProgram, NOBODY, Workspace};
use crate::{CommandLookup, FakeFileSystem, RealFileSystem};
use countersign_commands::{CommandVerdict, RuleSet};
use std::fs;
use std::path::Path;

const RULES: &str = "allow bun run *; allow bun run build *; allow npm run *; allow pnpm lint *; \
    allow pnpm --filter *; allow make *; allow just *; allow task *; allow mise run *; \
    allow deno task *; allow cargo xtask *; allow cargo run *; allow cmake --build *; \
    allow nx run-many *; allow turbo run *; allow go test *; allow go vet *; allow tox *; \
    allow ninja *; allow npm run test *";

fn matches(line: &str) -> bool {
    let files = FakeFileSystem::without_links()
        .with_link("/w/out/Makefile", "/srv/Makefile")
        .with_file("/srv/Makefile", "all:\n")
        .with_file(
            "/w/package.json",
            "{\"scripts\": {\"dev\": \"x\"}, \"workspaces\": [\"packages/*\"]}",
        )
        .with_file("/w/packages/a/package.json", "{\"scripts\": {\"lint\": \"x\"}}")
        .with_file("/w/Makefile", "all: x\ninclude mk/more.mk\n")
        .with_file("/w/mk/more.mk", "docs:\n")
        .with_file("/w/justfile", "check:\n    x\n")
        .with_file("/w/Taskfile.yml", "tasks:\n  fmt:\n    cmds: [x]\n")
        .with_file("/w/mise.toml", "[tasks.ci]\nrun = 'x'\n")
        .with_file("/w/deno.json", "{\"tasks\": {\"serve\": \"x\"}}")
        .with_file("/w/.cargo/config.toml", "[alias]\nxtask = 'run'\n")
        .with_file("/w/Cargo.toml", "[package]\nname = \"tool\"\n")
        .with_file("/w/CMakeLists.txt", "add_custom_target(docs)\n")
        .with_file("/w/turbo.json", "{\"tasks\": {\"build\": {}}}")
        .with_file("/w/nx.json", "{\"targetDefaults\": {\"build\": {}}}")
        .with_file("/w/go.mod", "module example.org/mine\n");
    let lookup = CommandLookup::new(&files, (Some("/w"), Some("/w")), None);
    let rules = RuleSet::parse(RULES).unwrap();
    matches!(rules.judge(line, &lookup.context()).verdict, CommandVerdict::Match { .. })
}

#[test]
fn a_task_that_a_file_of_the_project_defines_is_covered() {
    for line in [
        "bun run dev",
        "npm run dev",
        "cd packages && npm run dev",
        "pnpm --filter a lint",
        "make",
        "make all docs",
        "just check",
        "task fmt",
        "mise run ci",
        "deno task serve",
        "deno task dev",
        "cargo xtask ci",
        "cargo run --bin tool",
        "cargo run",
        "cmake --build . --target docs",
        "turbo run build",
        "nx run-many -t build",
        "go test ./...",
        "go test example.org/mine/...",
        "go vet net/http",
        "cargo run -p other --profile release",
        "cmake --build . --target docs --config Release",
        "tox -e py312",
        "ninja all",
        "npm run dev -w a",
    ] {
        assert!(matches(line), "{line}");
    }
}

#[test]
fn a_name_that_no_file_defines_is_not_covered() {
    for line in [
        "bun run git push origin main",
        "bun run curl",
        "bun run build",
        "npm run env",
        "pnpm lint",
        "pnpm --filter a build",
        "make git",
        "make -C out all",
        "make -C packages -C .. all",
        "just git",
        "task git",
        "mise run git",
        "deno task git",
        "cargo run --bin deploy",
        "cargo run --bin git",
        "cmake --build . --target install",
        "cmake --build . --target deploy",
        "turbo run git",
        "nx run-many -t deploy",
        "nx run-many -t git",
        "go test example.com/theirs",
        "go test example.org/mineral",
        "go test -mod=mod example.org/mine",
        "go vet example.com/theirs/...",
        "cargo run -p deploy-tool",
        "npm run dev -w deploy",
        "npm run dev publish",
        "pnpm --filter release lint",
        "tox -e publish",
        "ninja install",
        "make install",
    ] {
        assert!(!matches(line), "{line}");
    }
}

/// In a workspace that has these files besides its sources.
fn matches_beside(files: &[&str], line: &str) -> bool {
    let workspace = Workspace::new();
    for file in files.iter().map(|file| workspace.path(&format!("w/{file}"))) {
        fs::create_dir_all(Path::new(&file).parent().unwrap()).unwrap();
        fs::write(file, "x").unwrap();
    }
    let disk = EveryProgram(RealFileSystem::new(NOBODY, ""));
    let inside = workspace.path("w");
    let lookup = CommandLookup::new(&disk, (Some(&inside), Some(&inside)), None);
    let rules = RuleSet::parse(RULES).unwrap();
    matches!(rules.judge(line, &lookup.context()).verdict, CommandVerdict::Match { .. })
}

#[test]
fn a_runner_that_starts_nothing_but_tasks_can_only_fail_without_a_file_of_them() {
    for line in ["mise run test", "mise run lint:full", "just check"] {
        assert!(matches_beside(&[], line), "{line}");
    }
    // These start programs of that name, build by rules of their own, or download.
    for line in [
        "bun run git",
        "bun run test",
        "npm run test",
        "pnpm lint",
        "make x",
        "deno task x",
        "cargo xtask x",
        "turbo run x",
        "go test example.com/x",
        "mise run publish",
        "mise run deploy",
    ] {
        assert!(!matches_beside(&[], line), "{line}");
    }
    for file in [
        "mise.toml",
        ".mise.toml",
        "mise.local.toml",
        ".config/mise.toml",
        ".config/mise/conf.d/x.toml",
        "mise/config.toml",
        "mise-tasks/other",
        ".mise/tasks/other",
    ] {
        assert!(!matches_beside(&[file], "mise run test"), "{file}");
    }
    assert!(!matches_beside(&["justfile"], "just check"));
}
