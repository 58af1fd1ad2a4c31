//! The forms of commands, and which have none.

use super::forge_api::put_method_first;
use super::{drop_empty_suffix, name_system_program, put_dry_run_first};
use crate::option_tables::split_attached_paths;
use crate::{CommandContext, CommandVerdict, NoDiskLookup, RuleSet};

fn words(line: &[&str]) -> Vec<String> {
    line.iter().map(|word| (*word).to_owned()).collect()
}

/// The words behind `gh api`, separated by `|`.
fn order(line: &str) -> Option<String> {
    let argv: Vec<String> = format!("gh|api|{line}").split('|').map(str::to_owned).collect();
    let ordered = put_method_first(&argv).ok()??;
    Some(ordered[2..].join("|"))
}

#[test]
fn the_method_of_an_api_call_comes_first() {
    for (line, expected) in [
        ("repos/a/b", "repos/a/b"),
        ("repos/a/b|-X|GET|--paginate", "repos/a/b|--paginate"),
        ("--method=GET|repos/a/b|-q|.x", "repos/a/b|--jq|.x"),
        ("-X|GET|repos/a/b|-f|per_page=5", "-X|GET|repos/a/b|--raw-field|per_page=5"),
        ("repos/a/b|-f|body=@ann hello", "-X|POST|repos/a/b|--raw-field|body=@ann hello"),
        ("repos/a/b|-F|n=1|--method|PATCH", "-X|PATCH|repos/a/b|--field|n=1"),
        ("-X|DELETE|repos/a/b", "-X|DELETE|repos/a/b"),
        ("repos/a/b|--input|-", "-X|POST|repos/a/b|--input|-"),
        ("repos/a/b|-H|Accept: text/plain", "repos/a/b|--header|Accept: text/plain"),
        ("graphql|-f|query=query { a }", "graphql|query|--raw-field|query=query { a }"),
        ("graphql|-f|query={ a }|-F|n=1", "graphql|query|--raw-field|query={ a }|--field|n=1"),
        (
            "graphql|-f|query= query($n: Int) { a }",
            "graphql|query|--raw-field|query= query($n: Int) { a }",
        ),
        ("graphql|-f|query=mutation { a }", "graphql|mutation|--raw-field|query=mutation { a }"),
    ] {
        assert_eq!(order(line).as_deref(), Some(expected), "{line}");
    }
}

#[test]
fn an_api_call_whose_effect_is_not_certain_has_no_form() {
    for line in [
        "-i",
        "repos/a/b|repos/c/d",
        "repos/a/b|-X",
        "repos/a/b|-X|get",
        "repos/a/b|-X|GET|--input|x",
        "repos/a/b|-X|GET|-X|DELETE",
        "repos/a/b|-XDELETE",
        "repos/a/b|-F|a=@x",
        "repos/a/b|--field=a=@x",
        "repos/a/b|-H|X-HTTP-Method-Override: DELETE",
        "repos/a/b|-H|Authorization: x",
        "repos/a/b|-H|Accept",
        "repos/a/b|--jq|env",
        "repos/a/b|--verbose",
        "repos/a/b|--|-x",
        "graphql",
        "graphql|-f|a=b",
        "graphql|-F|query=@x",
        "graphql|--input|x",
        "graphql|-X|GET|-f|query={ a }",
        "graphql|-f|query={ a }|-f|query={ b }",
        "graphql|-f|query=query A { a } mutation B { b }",
        "graphql|-f|query=fragment F on X { a }",
        "graphql|-f|query=# mutation\nquery { a }",
        "graphql|-f|query=queryx { a }",
        "graphql|-f|query=",
        "graphql|-f|query=subscription { a }",
    ] {
        assert_eq!(order(line), None, "{line}");
    }
    assert_eq!(put_method_first(&words(&["gh", "pr", "view"])), Ok(None));
}

#[test]
fn a_dry_run_of_a_push_comes_first() {
    for (line, expected) in [
        (&["git", "push", "origin", "--dry-run"][..], Some("git push --dry-run origin")),
        (&["git", "push", "-n", "origin", "a"], Some("git push --dry-run origin a")),
        (&["git", "push", "--force", "-n"], Some("git push --dry-run --force")),
        (&["git", "push", "origin"], None),
        (&["git", "push", "--", "-n"], None),
        (&["git", "fetch", "-n"], None),
        (&["git"], None),
    ] {
        let ordered = put_dry_run_first(&words(line)).map(|argv| argv.join(" "));
        assert_eq!(ordered.as_deref(), expected, "{line:?}");
    }
}

/// Rules for reading cover nothing that writes, wherever the options stand.
#[test]
fn a_rule_for_reading_covers_no_api_call_that_writes() {
    let rules =
        RuleSet::parse("allow gh api *; allow gh api -X GET *; allow gh api graphql query *");
    let rules = rules.unwrap();
    let is_match = |line: &str| {
        let context =
            CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };
        matches!(rules.judge(line, &context).verdict, CommandVerdict::Match { .. })
    };
    for line in ["gh api user", "gh api user -X GET", "gh api graphql -f 'query={ a }'"] {
        assert!(is_match(line), "{line}");
    }
    for line in [
        "gh api repos/a/b -f a=b",
        "gh api repos/a/b -X POST",
        "gh api repos/a/b --method DELETE",
        "gh api repos/a/b --input x",
        "gh api graphql -f 'query=mutation { a }'",
    ] {
        assert!(!is_match(line), "{line}");
    }
}

#[test]
fn only_an_empty_suffix_is_left_out() {
    for (line, expected) in [
        (&["sed", "-i", "", "s/a/b/", "x"][..], Some("sed -i s/a/b/ x")),
        (&["sed", "-i", "s/a/b/", "x"], None),
        (&["sed", "-i", ".bak", "s/a/b/", "x"], None),
        (&["sed", "-n", "", "x"], None),
        (&["sed", "-i"], None),
    ] {
        let plain = drop_empty_suffix(&words(line)).map(|argv| argv.join(" "));
        assert_eq!(plain.as_deref(), expected, "{line:?}");
    }
}

#[test]
fn only_a_program_of_the_system_is_called_by_its_name() {
    let name =
        |program: &str| name_system_program(&words(&[program, "x"])).map(|argv| argv.join(" "));
    assert_eq!(name("/usr/bin/grep").as_deref(), Some("grep x"));
    assert_eq!(name("/bin/ls").as_deref(), Some("ls x"));
    for program in ["grep", "/usr/local/bin/grep", "/usr/bin/x/grep", "/usr/bin/../x", "./grep", ""]
    {
        assert_eq!(name(program), None, "{program}");
    }
}

/// A path behind `=` is checked like one that is a word of its own.
#[test]
fn a_path_behind_an_equals_sign_is_a_word_of_its_own() {
    let split = |line: &str| {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        split_attached_paths(&argv).map(|argv| argv.join(" "))
    };
    for (line, expected) in [
        ("go test -coverprofile=a.out ./x", Some("go test -coverprofile a.out ./x")),
        ("go tool cover -func=a.out", Some("go tool cover -func a.out")),
        ("make --directory=sub all", Some("make --directory sub all")),
        ("tsc --project=x/tsconfig.json", Some("tsc --project x/tsconfig.json")),
        ("go test -run=a ./x", None),
        ("grep -- --file=x", None),
        ("unknown --file=x", None),
    ] {
        assert_eq!(split(line).as_deref(), expected, "{line}");
    }
}
