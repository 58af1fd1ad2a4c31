//! Names of tasks are those that the files of the project define.

use crate::{CommandLookup, FakeFileSystem};
use countersign_commands::{CommandVerdict, RuleSet};

const RULES: &str = "allow bun run *; allow bun run build *; allow npm run *; allow pnpm lint *; \
    allow pnpm --filter *; allow make *; allow just *; allow task *; allow mise run *; \
    allow deno task *; allow cargo xtask *; allow cargo run *; allow cmake --build *; \
    allow nx run-many *; allow turbo run *; allow go test *; allow go vet *; allow tox *; \
    allow ninja *; allow npm run test *";

fn matches(line: &str) -> bool {
    matches_by(RULES, line)
}

fn matches_by(rules: &str, line: &str) -> bool {
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
        .with_file("/w/mise-tasks/check/_default", "x")
        .with_file("/w/deno.json", "{\"tasks\": {\"serve\": \"x\"}}")
        .with_file("/w/.cargo/config.toml", "[alias]\nxtask = 'run'\n")
        .with_file("/w/Cargo.toml", "[package]\nname = \"tool\"\n")
        .with_file("/w/CMakeLists.txt", "add_custom_target(docs)\n")
        .with_file("/w/turbo.json", "{\"tasks\": {\"build\": {}}}")
        .with_file("/w/nx.json", "{\"targetDefaults\": {\"build\": {}}}")
        .with_file("/w/go.mod", "module example.org/mine\n");
    let lookup = CommandLookup::new(&files, (Some("/w"), Some("/w")), None);
    let rules = RuleSet::parse(rules).unwrap();
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

#[test]
fn a_rule_for_unlisted_tasks_covers_plain_names_that_no_file_defines() {
    const RULES: &str = "allow npm run <unlisted-task>; allow mise run <unlisted-task>; \
        allow make <unlisted-task>";
    for line in ["npm run lint2", "mise run git", "make git"] {
        assert!(matches_by(RULES, line), "{line}");
    }
    // Defined, a command of the runner, publishing by its name, an option, more words, an assignment.
    for line in [
        "mise run ci",
        "npm run env",
        "npm run deploy",
        "make install-and-publish",
        "mise run --force",
        "mise run git push",
        "make SHELL=x",
        "make ../x/../y",
    ] {
        assert!(!matches_by(RULES, line), "{line}");
    }
}

#[test]
fn a_folder_of_tasks_has_a_default() {
    assert!(matches("mise run check"));
    assert!(!matches("mise run check:none"));
}
