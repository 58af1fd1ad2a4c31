//! What a line writes, sets and wraps, and what is denied.

use super::*;

#[test]
fn a_path_that_an_earlier_command_may_write_is_not_inside() {
    let workspace = Workspace::new();
    workspace.check_matches(&[
        "ln -s / x && ls",
        "git add src/a.rs && git commit -m x",
        "git add src/a.rs && cat src/a.rs",
        "cargo build && cargo test",
        "npm run test && cargo test",
        "cargo build 2>&1 | head -n 5",
        "cat src/a.rs && cat src/b.rs",
        // What a build does to a file, it could also read and print.
        "cargo build && cat src/a.rs",
        // A formatter puts nothing into a file that was not there.
        "cargo fmt && cargo test",
        "cargo fmt && cat src/a.rs",
        "cargo fmt; (cd src && cargo test)",
        "(cd src && cargo fmt) && cargo test",
        "if cargo fmt; then cargo test; fi",
    ]);
    workspace.check_asks(&[
        "ln -s / x && cat x/etc/shadow",
        "ln -s / x; cat x/etc/shadow",
        "ln -s / x | cat x/etc/shadow",
        "cat x/etc/shadow | ln -s / x",
        "ln -s / x && cd x && ls",
        "ln -s / x && cd src && cat a.rs",
        "ln -s / x && cat ./*.txt",
        "ln -s / x && cat notes.txt",
        "ln -s / x && ls > y",
        "git add src/a.rs && cat .git/config",
        "echo x > src/a.rs && cat src/a.rs",
        "touch build.rs && cargo build",
        "echo x > build.rs && cargo build",
        "touch build.rs && npm run test",
        "touch build.rs && timeout 5 cargo test",
        "(touch build.rs); cargo test",
        "{ touch build.rs; } && cargo test",
        "if touch build.rs; then cargo test; fi",
        "if ls; then touch build.rs; fi; cargo test",
        "if ls; then touch build.rs; else cargo test; fi",
        "(ln -s / x; ls) && cat x/etc/shadow",
        "{ ls; ln -s / x; } | cat x/etc/shadow",
        "cat x/etc/shadow | (cd src && ln -s / ../x)",
        "(cd src && ln -s / ../x) | cat x/etc/shadow",
    ]);
}

#[test]
fn redirections_into_the_workspace_are_edits_and_others_ask() {
    let workspace = Workspace::new();
    workspace.check_matches(&["ls 2>&1", "ls >/dev/null 2>&1", "ls 2> /dev/null"]);
    let judgement = workspace.judge("cd src && echo x > new.rs 2>> ../log");
    let edited: Vec<_> = judgement.segments.iter().flat_map(|one| one.edited.clone()).collect();
    assert_eq!(edited, [workspace.path("w/src/new.rs"), workspace.path("w/log")]);
    assert!(judgement.segments.iter().all(|one| one.covering.is_ok()), "{judgement:?}");
    assert!(matches!(judgement.verdict, CommandVerdict::Ask { .. }));
    for line in [
        "echo x > ../out/x",
        "echo x > links/out/x",
        "echo x > /dev/tcp/h/1",
        "echo x > outlink/new",
        "cd src; echo x > ../new",
        "echo x > '~/x'",
    ] {
        let judgement = workspace.judge(line);
        assert!(judgement.segments.iter().any(|one| one.covering.is_err()), "{judgement:?}");
    }
    workspace.check_asks(&[
        "echo x &> f",
        "echo x >&2",
        "echo x >| f",
        "cat < notes.txt",
        "> f echo x",
    ]);
}

#[test]
fn only_named_variables_and_the_wrappers_of_the_table_are_looked_through() {
    let workspace = Workspace::new();
    workspace.check_matches(&[
        "LANG=C ls src",
        "LANG=C MODE='a b' cat src/a.rs",
        "timeout 5 cat src/a.rs",
        "timeout -k 1 5s nice -n 5 ls src",
        "env LANG=C cat src/a.rs",
        "cd src && timeout 5 cat a.rs",
        "timeout 5 cat src/*.rs",
    ]);
    workspace.check_asks(&[
        "PATH=. ls",
        "CDPATH=/ ls",
        "OTHER=1 ls",
        "LANG=C LD_PRELOAD=x ls",
        "LANG=$(id) ls",
        "env PATH=. ls",
        "env -i ls",
        "env LANG=C",
        "timeout 5 cat /etc/passwd",
        "timeout 5 rm x",
        "timeout 5 sh -c id",
        "timeout --foo 5 ls",
        "nice -n 5 cat /etc/passwd",
        "xargs cat",
        "ls | xargs cat",
        "sudo ls",
        "nohup ls",
        "./timeout 5 ls",
        "python3 x.py",
        "LANG=C",
    ]);
}

#[test]
fn a_deny_rule_follows_folders_and_existing_names() {
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.path("w/.git/hooks")).unwrap();
    fs::write(workspace.path("w/.git/config"), "").unwrap();
    fs::write(workspace.path("w/.env"), "").unwrap();
    symlink(".env", workspace.path("w/plain")).unwrap();
    let files = RealFileSystem::new(NOBODY, "/usr/bin:/bin");
    let (folder, home) = (workspace.path("w"), "/nohome");
    let lookup = CommandLookup::new(&files, (Some(&folder), Some(&folder)), Some(home));
    let rules = "deny path ./.env; deny path ./.git/config; deny path ./.git/hooks";
    let rules = RuleSet::parse(rules).unwrap();
    let is_denied = |line: &str| {
        let verdict = rules.judge(line, &lookup.context()).verdict;
        matches!(verdict, CommandVerdict::Deny { .. })
    };
    for line in [
        "cat plain",
        "tool plain",
        "cd .git && cat config",
        "cd .git && ls; cd hooks && cat x",
        "cd src && tool ../.env",
        "cd missing; cat .env",
        "cd src && cd .. && cat .env",
        "cd links && cat ../plain",
    ] {
        assert!(is_denied(line), "{line}");
    }
    for line in [
        "cd .git && cd .. && cat config",
        "cd .git && ls; cd ../src && ls hooks; cat config",
        "cd .git && git config user.name T",
        "cd src && git config user.name T",
        "tool config hooks",
        "cd /tmp && cat .env",
        "touch .env.example",
    ] {
        assert!(!is_denied(line), "{line}");
    }
}

#[test]
fn a_folder_of_a_build_is_inside_of_the_workspace() {
    let workspace = Workspace::new();
    let (root, files) = (workspace.path("w"), EveryProgram(RealFileSystem::new(NOBODY, "")));
    let lookup = CommandLookup::new(&files, (Some(&root), Some(&root)), Some("/nohome"));
    let rules = RuleSet::parse("allow go test *").unwrap().with_variables(&["GOCACHE".to_owned()]);
    let is_covered = |line: &str| {
        let verdict = rules.judge(line, &lookup.context()).verdict;
        matches!(verdict, CommandVerdict::Match { .. })
    };
    assert!(is_covered("GOCACHE=.cache go test ./..."));
    for value in ["/var/cache", "../out", "links/out", ""] {
        assert!(!is_covered(&format!("GOCACHE={value} go test ./...")), "{value}");
        assert!(!is_covered(&format!("env GOCACHE={value} go test ./...")), "{value}");
    }
    assert!(!is_covered("env GOCACHE=.cache go test ./..."));
    assert!(!is_covered("GOFLAGS=-x GOCACHE=.cache go test ./..."));
}

#[test]
fn a_link_leads_from_where_it_lies() {
    let workspace = Workspace::new();
    let (root, files) = (workspace.path("w"), EveryProgram(RealFileSystem::new(NOBODY, "")));
    let lookup = CommandLookup::new(&files, (Some(&root), Some(&root)), Some("/nohome"));
    let rules = RuleSet::parse("allow ln *").unwrap();
    let is_covered = |line: &str| {
        let verdict = rules.judge(line, &lookup.context()).verdict;
        matches!(verdict, CommandVerdict::Match { .. })
    };
    for line in ["ln -s notes.txt x", "ln -s a.rs src/c.rs", "cd src && ln -s ../notes.txt x"] {
        assert!(is_covered(line), "{line}");
    }
    for line in ["cd src && ln -s .. ../up", "cd src && ln -s ../deep ../a", "ln -s ../out x"] {
        assert!(!is_covered(line), "{line}");
    }
}
