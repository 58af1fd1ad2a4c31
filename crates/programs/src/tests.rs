//! Every table has lines that it covers and lines that it refuses.

mod lines;

use super::reading::contains_name;
use super::*;

/// Fails with all the problems at once.
fn check_none(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn split_words(text: &str) -> Vec<String> {
    text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether a rule `NAME *` covers the line, as far as its words go.
fn is_covered(name: &str, line: &str) -> bool {
    let name = split_words(name);
    let words = split_words(line);
    let Some(rest) = words.strip_prefix(name.as_slice()) else { return false };
    find_table(&name).is_some_and(|table| explain_uncovered_words(table, rest).is_none())
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|name| !name.is_empty())
}

#[test]
fn no_entry_of_a_table_is_left_out() {
    check_none(&ALL_TABLES.problems);
}

#[test]
fn an_entry_with_a_mistake_gives_no_table() {
    let texts = [
        "(base): ; effect reads\ngood: (base); long a\n  b",
        "one: (bases); long a\ntwo: (base); lnog a\nthree: (base); effect raeds\nfour\n\
         five: (base); operands any; max_operands x\nsix: (base); after_double_dash (words)",
    ];
    let tables = Tables::read(&texts);
    let names: Vec<&str> = tables.listed.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["good"]);
    assert_eq!(tables.listed[0].long, "a b");
    assert_eq!(tables.problems.len(), 6);
}

#[test]
fn no_table_lists_an_option_twice_or_with_its_dashes() {
    let mut problems = Vec::new();
    for table in &ALL_TABLES.listed {
        for list in [&table.long, &table.long_valued] {
            let names: Vec<&str> = names(list).collect();
            for (at, name) in names.iter().enumerate() {
                let is_whole =
                    !name.starts_with('-') && !name.ends_with('-') && !name.contains('=');
                if !is_whole || names[..at].contains(name) {
                    problems.push(format!("{}: {name}", table.name));
                }
            }
        }
        let letters: Vec<char> = table.flags.chars().chain(table.valued.chars()).collect();
        for (at, letter) in letters.iter().enumerate() {
            if letters[..at].contains(letter) {
                problems.push(format!("{}: -{letter}", table.name));
            }
        }
    }
    check_none(&problems);
}

#[test]
fn every_option_with_a_path_is_an_option_with_a_value() {
    let mut problems = Vec::new();
    for table in &ALL_TABLES.listed {
        let paths = names(&table.path_values).chain(names(&table.written_values));
        for name in paths {
            let is_short = name.len() == 1 && table.valued.contains(name);
            if !is_short && !contains_name(&table.long_valued, name) {
                problems.push(format!("{}: {name}", table.name));
            }
        }
        for name in names(&table.input_values) {
            if !contains_name(&table.path_values, name) {
                problems.push(format!("{}: {name}", table.name));
            }
        }
    }
    check_none(&problems);
}

#[test]
fn no_two_tables_have_the_same_name() {
    assert_eq!(TABLES.len(), ALL_TABLES.listed.len());
}

/// One word with a space is not two words of a name.
#[test]
fn a_table_is_found_by_whole_words() {
    let find = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        find_table(&words).map(|table| table.name.as_str())
    };
    assert_eq!(find(&["git", "reset", "--hard", "x"]), Some("git reset --hard"));
    assert_eq!(find(&["/usr/bin/git", "reset", "x"]), Some("git reset"));
    assert_eq!(find(&["git", "reset --hard"]), None);
    assert_eq!(find(&["git log"]), None);
    assert_eq!(find(&["git"]), None);
    assert_eq!(find(&[]), None);
}

#[test]
fn a_command_has_the_destinations_that_its_words_name() {
    use CommandDestination::{Account, Configured, Host, Remote, Repository, Unknown, Unnamed};
    let host = |name: &str| Host(name.to_owned());
    for (line, expected) in [
        ("ls -la", vec![]),
        ("git push origin main", vec![Remote("origin".to_owned())]),
        ("git push -u", vec![Configured]),
        ("git fetch --all", vec![Configured]),
        ("git clone git@Example.com:a/b.git", vec![host("example.com")]),
        ("git clone https://example.com:8443/a sub", vec![host("example.com")]),
        ("curl -s https://a.example.com/x?y http://b/", vec![host("a.example.com"), host("b")]),
        ("dig +short example.com mx", vec![host("example.com")]),
        ("rsync -a src/ ann@example.com:dst", vec![host("example.com")]),
        ("curl https://evil%2ecom/", vec![Unnamed]),
        ("curl -L https://a/", vec![host("a"), host("hosts to which it redirects")]),
        ("gh pr view 1", vec![Configured]),
        ("gh pr view https://example.com/a/b/pull/1", vec![host("example.com")]),
        ("gh pr view 1 -R a/b", vec![Configured]),
        ("gh pr edit 1 -R a/b", vec![Repository("a/b".to_owned())]),
        ("kubectl get pods --context prod", vec![Account("context prod".to_owned())]),
        ("aws s3 ls --profile=dev", vec![Account("profile dev".to_owned())]),
        ("curl localhost http://localhost:3000/x", vec![host("localhost:3000")]),
        ("psql select -h db.example.com", vec![host("db.example.com")]),
        ("psql select postgres://ann@db.example.com/shop", vec![host("db.example.com")]),
        ("gh pr view 1 --repo=a/b", vec![Configured]),
        ("gh api repos/a/b/pulls?state=open", vec![Configured]),
        ("gh api /repos/a/b", vec![Configured]),
        ("gh api repos/{owner}/{repo}/pulls", vec![Configured]),
        ("gh api user", vec![Configured]),
        ("gh api user --hostname Example.com", vec![host("example.com")]),
        ("gh api -X POST repos/a/b/pulls", vec![Repository("a/b".to_owned())]),
        ("npm ci", vec![Configured]),
        ("git push --mirror", vec![Unknown]),
        ("unknown", vec![Unknown]),
    ] {
        assert_eq!(find_destinations(&split_words(line)), expected, "{line}");
    }
}

#[test]
fn a_head_is_offered_only_for_commands_that_run_no_foreign_code_and_delete_nothing() {
    for (line, expected) in [
        ("gh pr view 12", Some("gh pr view")),
        ("go test ./...", Some("go test")),
        ("npm run build", Some("npm run build")),
        ("npm run other", Some("npm run")),
        ("uv run pytest -q", Some("uv run pytest")),
        ("docker compose ps", Some("docker compose ps")),
        ("gh pr create -t a", Some("gh pr create")),
        ("gh issue comment 1 -b a", Some("gh issue comment")),
        ("curl -X POST https://a", Some("curl -X POST")),
    ] {
        assert_eq!(find_head(&split_words(line)), expected, "{line}");
    }
    for line in [
        "sh -c x",
        "python3 x.py",
        "node x.js",
        "env ls",
        "xargs rm",
        "sudo ls",
        "ssh host",
        "rm a",
        "rmdir a",
        "git clean -f",
        "git reset --hard",
        "git branch -D a",
        "git push --force",
        "go run .",
        "cargo run",
        "cargo r",
        "cargo install x",
        "npm exec x",
        "npx eslint",
        "npx x",
        "pnpm dlx x",
        "pnpm exec jest",
        "bunx eslint",
        "yarn dlx x",
        "uvx ruff",
        "go install x",
        "npm install x",
        "pip install x",
        "brew install x",
        "apt-get install x",
        "bazel run x",
        "terraform apply",
        "kubectl delete pod x",
        "docker rm x",
        "kill 5",
        "rsync a b:c",
        "curl -X DELETE https://a",
        "gh pr merge 1",
        "cargo publish",
        "docker run x",
        "dropdb x",
    ] {
        assert_eq!(find_head(&split_words(line)), None, "{line}");
    }
}

#[test]
fn the_written_words_are_changed_operands_and_outputs() {
    for (line, expected) in [
        ("cat a", Some(vec![])),
        ("mkdir -p a b", Some(vec![2, 3])),
        ("cp -t dir a", Some(vec![3, 2])),
        ("sed -i s/a/b/ x", Some(vec![3])),
        ("go build -o bin/x ./cmd", Some(vec![3])),
        ("go build -o /dev/null ./cmd", Some(vec![])),
        ("curl -o a https://b", Some(vec![2])),
        ("git checkout -- a", Some(vec![3])),
        ("rm --unknown a", None),
        ("unknown a", None),
    ] {
        assert_eq!(find_written_words(&split_words(line)), expected, "{line}");
    }
}

/// Words after `--` that another program gets can be paths too.
#[test]
fn paths_behind_double_dashes_are_found() {
    let words = split_words("build -- src/a.js --coverage");
    let table = find_table(&split_words("npm run")).unwrap();
    assert_eq!(find_paths(table, &words), Some(vec![2]));
}

#[test]
fn what_installs_or_runs_foreign_code_has_no_head() {
    let installs = "npm ci;npm install;yarn install;pnpm install;bun install;bundle install;\
        composer install;composer update;composer require a/b;pip install a;uv sync;uv lock;uv add a;\
        poetry install;poetry lock;poetry add a;mix deps.get;flutter pub get;dotnet restore;\
        swift package resolve;cargo install a;cargo add a;go install ./...;go get a;brew install a;\
        gem install a;mise install;apt-get install a";
    let offered = installs.split(';').map(str::trim).filter(|line| {
        let words = split_words(line);
        assert!(find_table(&words).is_some(), "{line}");
        find_head(&words).is_some()
    });
    check_none(&offered.map(str::to_owned).collect::<Vec<_>>());
}

#[test]
fn what_nothing_brings_back_is_told_from_what_git_keeps() {
    for line in ["rm a", "rm -rf /x --odd", "git reset --hard", "git clean -fd", "git stash drop"] {
        assert!(deletes_for_good(&split_words(line)), "{line}");
    }
    for line in ["git branch -D a", "git tag -d a", "git reset a", "git stash", "rmdir a", "ls"] {
        assert!(!deletes_for_good(&split_words(line)), "{line}");
    }
}

/// `docs/reading-commands.md` says of each why it only looks.
#[test]
fn no_command_of_the_page_of_reading_commands_runs_code_of_the_workspace() {
    let page = include_str!("../../../docs/reading-commands.md");
    let table = page.split("## Commands").nth(1).unwrap().split("\n## ").next().unwrap();
    let cells = table.lines().filter_map(|row| row.split(" | ").next());
    let rules = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let words = |rule: &str| -> Vec<String> {
        rule.split(' ').filter(|word| *word != "*").map(str::to_owned).collect()
    };
    let is_reader = |rule: &&str| {
        find_table(&words(rule)).is_some_and(|table| table.effect == ProgramEffect::Reads)
    };
    let others = rules.filter(|rule| !is_reader(rule));
    check_none(&others.map(str::to_owned).collect::<Vec<_>>());
}
