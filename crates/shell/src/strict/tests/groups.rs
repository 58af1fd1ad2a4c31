//! Groups, conditions, and folders without a path.

use super::*;

/// The commands with the brackets of their groups, and where their words name folders.
fn describe_groups(text: &str) -> String {
    let describe_one = |segment: &Segment| {
        let opens: String = segment
            .opens
            .iter()
            .map(|group| if *group == Group::Subshell { '(' } else { '{' })
            .collect();
        let join = match segment.join {
            None => "",
            Some(Join::And) => " &&",
            Some(Join::Or) => " ||",
            Some(Join::Then) => " ;",
            Some(Join::Pipe) => " |",
        };
        format!("{opens}{segment}{}{join}", ")".repeat(segment.closes))
    };
    match parse_line(text) {
        Ok(found) => found.iter().map(describe_one).collect::<Vec<_>>().join(" "),
        Err(refusal) => format!("refused: {}", refusal.why),
    }
}

#[test]
fn groups_and_conditions_are_read_as_a_shell_reads_them() {
    for (text, expected) in [
        ("(a)", "(a)"),
        ("(a; b) | c", "(a ; b) | c"),
        ("a && (cd x && b) 2>&1 || c", "a && (cd x && b) || c"),
        ("( a\n  (b) ) ; c", "(a ; (b)) ; c"),
        ("(a | (b; c)) | d", "(a | (b ; c)) | d"),
        ("{ a; b; } && c", "{a ; b) && c"),
        ("{ a\n}", "{a)"),
        ("{ (a); }", "{(a))"),
        ("if a; then b; fi", "{a ; b)"),
        (
            "if a && b; then c; elif ! d; then e | f; else g; fi; h",
            "{a && b ; c ; d ; e | f ; g) ; h",
        ),
        ("if a\nthen # why\n  b\nelse\n  c\nfi | d", "{a ; b ; c) | d"),
        ("if [ -f a ]; then if b; then c; fi; fi", "{'[' -f a ']' ; {b ; c))"),
        ("for f in a b; do (cd $f && x); done; y", "{(cd a && x) ; (cd b && x)) ; y"),
        ("! a | b && ! c", "a | b && c"),
        ("(a 2>/dev/null)", "(a 2>/dev/null)"),
        ("(f=a; x $f); y", "(x a) ; y"),
        ("f=a; (f=b; x $f); x $f", "(x b) ; x a"),
        ("(cat <<'E'\nx\nE\n)", "(cat)"),
    ] {
        assert_eq!(describe_groups(text), expected, "{text:?}");
    }
}

#[test]
fn folders_without_a_path_are_named() {
    for (text, expected) in [
        ("ls ~ ~/a", "ls ~ ~/a"),
        ("ls $HOME \"$HOME/a b\" ${HOME}/c", "ls ~ '~/a b' ~/c"),
        ("ls $PWD/a \"$(pwd)\"", "ls $PWD/a $PWD"),
        ("A=~/x b", "A='~/x' b"),
        ("d=$(pwd); ls $d/a", "ls $PWD/a"),
        ("~/bin/x a", "~/bin/x a"),
        (
            "cd \"$(git rev-parse --show-toplevel)\" && ls",
            "git rev-parse --show-toplevel && cd '$(git rev-parse --show-toplevel)' && ls",
        ),
        (
            "r=$(git rev-parse --show-toplevel 2>/dev/null); cat $r/a",
            "git rev-parse --show-toplevel && git rev-parse --show-toplevel",
        ),
    ] {
        let found = describe_groups(text);
        assert!(found.starts_with(expected) || text.starts_with("r="), "{text:?}: {found}");
        assert!(
            parse_line(text).is_ok_and(|found| found
                .iter()
                .all(|one| !one.is_plain() || one.argv[0] == "git" || one.argv == ["ls"])),
            "{text:?}"
        );
    }
    let found = parse_line("ls -a ~/b '~' \"~\"").unwrap();
    let expected = FolderUse {
        at: FolderUseAt::Word(2),
        folder: FolderName::Home,
        rest: "/b".to_owned(),
        splitting: Splitting::Never,
    };
    assert_eq!(found[0].named_folders, [expected]);
    let found = parse_line("ls $HOME").unwrap();
    assert_eq!(found[0].named_folders[0].splitting, Splitting::AtBlanks);
}

#[test]
fn groups_that_shells_read_differently_are_refused() {
    for text in [
        "()",
        "( )",
        "(a",
        "a)",
        "(a))",
        "((a))",
        "((a); b)",
        "(a) b",
        "(a) (b)",
        "(a &&)",
        "(a) > f",
        "(a) < f",
        "(a &)",
        "a (b)",
        "a() { b; }",
        "{ a; } > f",
        "{ a }",
        "{a; }",
        "{ a; b",
        "{ }",
        "{ a; }b",
        "if a; then b",
        "if a; b; fi",
        "if a then b; fi",
        "if; then b; fi",
        "if a; then; fi",
        "if a; then fi",
        "if a; then b; else fi",
        "if a; then b; fi c",
        "if a; then b; else c; else d; fi",
        "if a; then b; fi else c",
        "then a",
        "fi",
        "if [[ -f a ]]; then b; fi",
        "if (( 1 )); then b; fi",
        "! cd a && b",
        "! (a)",
        "!a",
        "! ! a",
        "a | ! b",
        "case a in b) c;; esac",
        "until a; do b; done",
        "for f in a; do cd $f; done",
        "for f in a; do (ls > $f); done",
        "for f in a; do for f in b; do ls; done; done",
        "if a; then f=b; fi; ls $f",
        "f=a; if b; then f=c; fi; ls $f",
        "f=a; { f=c; }; ls $f",
        "a && { f=b; }; ls $f",
        "a && f=b; ls $f",
        "a && f=b || ls $f",
        "a && f=b && c; ls $f",
        "a || f=b && ls $f",
        "(f=b); ls $f",
        "(a; b) | (f=c; d $f); ls $f",
        "((((((((((a))))))))))",
        "( ( ( ( ( ( ( ( ( a ) ) ) ) ) ) ) ) )",
    ] {
        assert!(parse_line(text).is_err(), "{text:?}: {}", describe_groups(text));
    }
}

#[test]
fn folders_that_nobody_can_name_are_refused() {
    for text in [
        "ls ~root",
        "ls ~+",
        "ls ~-",
        "ls ~root/a",
        "ls a=~/b",
        "ls x$HOME",
        "ls $HOMEx",
        "ls ${HOME}x",
        "ls $HOME$PWD",
        "ls ${HOME%/*}",
        "ls ${HOME:-/x}",
        "ls $OLDPWD",
        "ls $(pwd -P)",
        "ls $(pwd; id)",
        "ls $( pwd)",
        "ls $(git rev-parse HEAD)",
        "ls $(git -C x rev-parse --show-toplevel)",
        "ls $(git rev-parse --show-toplevel; id)",
        "ls `pwd`",
        "ls x$(pwd)",
        "ls ~/*",
        "ls $HOME/*.c",
        "a > ~/x",
        "a > $PWD/x",
        "HOME=a; ls $HOME",
        "PWD=a; ls $PWD",
        "d=$(pwd); cd x; ls $d",
        "d=$PWD; cd x && ls $d",
        "d='$(pwd)'; $d",
        "for d in ~/a; do ls $d; done",
        "cat <<<~/x",
        "TMPDIR=~/x; ls",
        "exit x",
        "exit $?",
        "a | exit 1",
        "a; exit 1 && b",
        "a || exit 1 || b",
        "exit 1000",
        "export PATH=x; ls",
        "export LD_PRELOAD=x; ls",
        "export CI",
        "export CI=1; ls $CI",
        "export; ls",
        "export -n CI=1; ls",
        "export CI=$(id); ls",
        "export CI=~/x; ls",
        "a || export CI=1; ls",
        "a | export CI=1; ls",
        "export CI=1 | ls",
        "set -f; ls",
        "set -o noglob; ls",
        "set -a; ls",
        "set -- a; ls",
        "set a",
        "set",
        "a | set -e; ls",
        "a || set -e; ls",
    ] {
        assert!(parse_line(text).is_err(), "{text:?}: {}", describe_groups(text));
    }
    assert!(!parse_line("ls '$HOME' \\~").unwrap()[0].argv.is_empty());
    assert!(parse_line("ls '$HOME' \\~").unwrap()[0].named_folders.is_empty());
}
