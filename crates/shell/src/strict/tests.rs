//! Lines that are read, and lines that are refused.

mod groups;
mod word_ends;

use super::*;

fn parse_argvs(text: &str) -> Option<Vec<Vec<String>>> {
    parse_line(text).ok().map(|found| found.into_iter().map(|segment| segment.argv).collect())
}

#[test]
fn quoting_and_blanks_do_not_change_words() {
    let expected = Some(vec![["git", "push", "or igin"].map(str::to_owned).to_vec()]);
    for text in ["git push 'or igin'", " git  push\t\"or igin\"\n", "'git' p\"us\"h 'or'\" ig\"in;"]
    {
        assert_eq!(parse_argvs(text), expected, "{text:?}");
    }
}

#[test]
fn double_quotes_support_the_same_escapes_as_a_shell() {
    let words = parse_argvs(r#"x "a\"b" "c\\d" "\$e" "f\g" '' a#b HEAD~1 '\n'"#).unwrap();
    assert_eq!(words[0], ["x", "a\"b", "c\\d", "$e", "f\\g", "", "a#b", "HEAD~1", "\\n"]);
}

#[test]
fn joins_and_harmless_redirections_are_parsed() {
    let found = parse_line("a 2>&1 | b > /dev/null && c 2>/dev/null || d; e\n\nf\n").unwrap();
    let joins: Vec<_> = found.iter().map(|segment| segment.join).collect();
    use Join::{And, Or, Pipe, Then};
    assert_eq!(joins, [Some(Pipe), Some(And), Some(Or), Some(Then), Some(Then), Some(Then)]);
    assert_eq!(found[0].redirections, [Redirection::ErrorsToOutput]);
    assert_eq!(found[1].redirections, [Redirection::DiscardOutput]);
    assert_eq!(found[2].redirections, [Redirection::DiscardErrors]);
}

#[test]
fn a_line_that_a_shell_could_parse_differently_is_refused() {
    for text in [
        "a &",
        "a |& b",
        "a ;; b",
        "; a",
        "a && && b",
        "a &&",
        "echo `id`",
        "ls a=~",
        "a\\ b",
        "cat < f",
        "x >f2>&1",
        "if true",
        "echo é",
        "echo ^a",
        "echo a{b}",
        "echo @{a,b}",
        "echo @{a..b}",
        "echo @{}",
        "{} a",
        "echo {}a",
        "echo a{}",
        "echo @{a",
        "echo \"$a\"",
        "echo \"$(a)$\"",
        "echo 'a",
        "echo \"a",
        "echo \"$x\"",
        "echo \"`id`\"",
        "echo \"a!b\"",
        "a 2>&1x",
        "a 2>&12",
        "a 1>/dev/null",
        "a &>/dev/null",
        "2>&1 a",
        "'' x",
        "'a b' x",
        "bаsh x",
        "=ls",
        "echo {a,b}",
        "echo [a]",
    ] {
        assert_eq!(parse_argvs(text), None, "{text:?}");
    }
    assert_eq!(parse_argvs("").map(|found| found.len()), Some(0));
}

/// The canonical form of every command, and its here-document.
fn describe(text: &str) -> String {
    let describe_one = |segment: &Segment| match &segment.input {
        Some(input) => format!("{segment} <{input:?}"),
        None => segment.to_string(),
    };
    match parse_line(text) {
        Ok(found) => found.iter().map(describe_one).collect::<Vec<_>>().join(" | "),
        Err(refusal) => format!("refused: {}", refusal.why),
    }
}

#[test]
fn what_agents_write_is_read_as_a_shell_reads_it() {
    for (text, expected) in [
        ("# Let's look\nls # it's\n# end", "ls"),
        ("a && # why\n  b", "a | b"),
        ("a;# it's\nb", "a | b"),
        ("echo a#b '#c' \"#\"", "echo 'a#b' '#c' '#'"),
        ("cat <<'E'\nit's $x\nE", "cat <\"it's $x\\n\""),
        ("cat << \"E\" | wc -l\nx\nE\nls", "cat <\"x\\n\" | wc -l | ls"),
        ("cat <<'A' && nl <<'B'\na\nA\nb\nB\nls", "cat <\"a\\n\" | nl <\"b\\n\" | ls"),
        ("cat <<'E' &&\nx\nE\nls", "cat <\"x\\n\" | ls"),
        ("cat <<'E'\nE \n E\nE", "cat <\"E \\n E\\n\""),
        ("cat <<'E'\nE", "cat <\"\""),
        ("git log HEAD^..HEAD^^", "git log 'HEAD^..HEAD^^'"),
        ("git log @{u}..HEAD", "git log '@{u}..HEAD'"),
        ("git show a^{commit}", "git show 'a^{commit}'"),
        ("grep \"a$\" b", "grep 'a$' b"),
        ("grep \"a$|b$\" c", "grep 'a$|b$' c"),
        ("cat <<E\nit's x\nE", "cat <\"it's x\\n\""),
        ("cat <<-'E'\n\tx\n\t\tE\nls", "cat <\"x\\n\" | ls"),
        ("cat <<-E\n x\n\tE", "cat <\" x\\n\""),
        ("cat <<<'x y' && ls", "cat <\"x y\\n\" | ls"),
        ("cat <<< x", "cat <\"x\\n\""),
        (
            "git commit -m \"$(cat <<'EOF'\nIt's `x`\n\nb\n\nEOF\n)\"",
            "git commit -m 'It'\"'\"'s `x`\n\nb'",
        ),
        ("git commit -m\"$(cat << 'E'\nx\nE\n  )\" -q", "git commit -mx -q"),
        ("echo \"== a ==\" === '=x' a=b", "echo '== a ==' '===' '=x' a=b"),
        ("A=1 B='x y' C= ls", "A=1 B='x y' C='' ls"),
        ("cat src/*.rs ./*", "cat src/*.rs ./*"),
        ("a > f >> 'g h' 2>e 2>> e", "a >f >>'g h' 2>e 2>>e"),
        ("a >>/dev/null", "a >>/dev/null"),
        (
            r"find . \( -name a\ b -o -name \*.c \) \; \!",
            "find . '(' -name 'a b' -o -name '*.c' ')' ';' '!'",
        ),
        (
            r#"echo \$x \"\'\\ \| \& \# \~ \{a,b\} \[a\] \=x \`"#,
            r#"echo '$x' '"'"'"'\' '|' '&' '#' '~' '{a,b}' '[a]' '=x' '`'"#,
        ),
        (r"a it\'s 'b'\ 'c'", r#"a 'it'"'"'s' 'b c'"#),
        ("a \\\n  b\\\nc \\\n| \\\n d \\\n# it's\ne", "a bc | d | e"),
        ("a \"b\\\nc\\\\\\`\" > \\\nf", "a 'bc\\`' >f"),
        ("a # b \\\nc", "a | c"),
        (
            "for f in a 'b c'; do x \"$f\"; y \"(${f})\" | z; done; e",
            "x a | y '(a)' | z | x 'b c' | y '(b c)' | z | e",
        ),
        ("for f in a b\ndo # each\n  x $f/c;done 2>&1 | y", "x a/c | x b/c | y"),
        ("for f in s/*.c d; do x -- \"$f\"; done", "x -- s/*.c | x -- d"),
        ("f=a; x $f; f='b c' && x \"$f\"; y", "x a | x 'b c' | y"),
        ("A=1", ""),
        ("A=\\\n1 a \\\n\nb", "A=1 a | b"),
        ("cat \\\n <<'E'\nx\\\nE", "cat <\"x\\\\\\n\""),
        ("xargs -I {} cat {}", "xargs -I '{}' cat '{}'"),
        ("go test -run=^$ .", "go test '-run=^$' ."),
        ("git log HEAD ^a/b", "git log HEAD '^a/b'"),
        ("grep \"a$\\|b$,\" c", "grep 'a$\\|b$,' c"),
        ("set -euo pipefail; a\nset -x && b", "a | b"),
        ("cd a || exit 1; b", "cd a | b"),
        ("a || exit\nb", "a | b"),
        ("if ! a; then exit 2; fi; b", "a | b"),
        ("a; exit 0", "a"),
        ("export CI=1 LANG=C; a && B=2 b", "CI=1 LANG=C a | CI=1 LANG=C B=2 b"),
        ("export CI=1 && cd x && a", "cd x | CI=1 a"),
        ("A=a; B=$A/c; x $B \"${B}d\"", "x a/c a/cd"),
        ("a && f=b && x $f | y $f", "a | x b | y b"),
        ("for f in a; do A=$f x; done", "A=a x"),
        ("for f in a; do g=$f.c; if x $g; then y; fi; done", "x a.c | y"),
        ("[ -f a ] && [ ! -d 'b' ]; test a", "'[' -f a ']' | '[' '!' -d b ']' | test a"),
        (
            "echo \"exit: $?\" $? a$?b ${PIPESTATUS[0]}",
            "echo \"exit: $?\" \"$?\" \"a$?b\" \"${PIPESTATUS[0]}\"",
        ),
    ] {
        assert_eq!(describe(text), expected, "{text:?}");
    }
}

#[test]
fn what_shells_read_differently_or_expand_is_refused() {
    for text in [
        "cat <<'E'\nx\nE \n",
        "cat <<'E '\nx\nE \n",
        "cat <<'E'\nx",
        "cat <<'E'",
        "cat <<'E''F'\nx\nEF",
        "cat <<\\E\nx\nE",
        "cat <<'E' <<'F'\nx\nE\ny\nF",
        "cat <<'E' 'a\nb'\nx\nE",
        "echo \"$(cat <<'E'\nx\nE)\"",
        "echo \"$(cat <<'E'\nx\nE\n; id)\"",
        "echo \"$(cat f <<'E'\nx\nE\n)\"",
        "echo \"$(cat <<'E' f\nx\nE\n)\"",
        "echo \"$(cat <<'E' | sh\nx\nE\n)\"",
        "echo \"$(tac <<'E'\nx\nE\n)\"",
        "echo \"$(cat <<E\nx\nE\n)\"",
        "echo \"$(cat <<'E'\nx\nE\n)$(id)\"",
        "echo \"$(cat <<'E'\n) $(id)\nE\n)\"",
        "echo \"x $(cat <<'E'\nx\nE\n)\"",
        "echo $(cat <<'E'\nx\nE\n)",
        "A=* ls",
        "A+=1 ls",
        "A=$x ls",
        "'A=1' ls",
        "A[0]=1 ls",
        "cat 'a'*",
        "cat a**b",
        "cat ~*",
        "cat a*#b",
        "* x",
        "a > $x",
        "a > *",
        "a >",
        "a > > f",
        "a >| f",
        "a >&2",
        "a 1> f",
        "a <> f",
        "a > f2>&1",
        "> f a",
        "echo =ls",
        "echo ==x",
        "echo ='x'",
        "echo =\\\nls",
        "A=\\\n=ls b",
        "\\a b",
        "echo a\\n",
        "echo \\1",
        "echo \\é",
        "echo a\\",
        "echo \\",
        "\\( a",
        "a\\ b",
        "\\! a",
        "A\\=1 b",
        "echo \\*a*",
        "echo a\\ b*",
        "echo src/*\\\n.rs",
        "echo a\\;b",
        "echo a\\|b",
        "echo \\;b",
        "echo a\\;",
        "echo \\;\\;",
        "echo \\(a\\)",
        "echo a\\&b",
        "echo 'a'\\;",
        "echo \\;'a'",
        "echo a\\>b",
        "echo 'a'\\''b'",
        "echo \"a\"\\\"b",
        "echo \\''a'",
        "echo \\\"'a'",
        "echo a \\\n",
        "echo a\\\n",
        "echo a \\\n \n\t",
        "echo a \\\n\\\n",
        "echo \\\\$(id)",
        "echo \\$(id)",
        "echo \\\\`id`",
        "echo \"\\\\$(id)\"",
        "echo \\{a,b}",
        "echo \\[a]",
        "a &\\\n& b",
        "a |\\\n| b",
        "a >\\\n> b",
        "a 2\\\n> b",
        "a 2>\\\n&1",
        "a 2>&1\\\n2",
        "a <\\\n<'E'\nE",
        "cat <<\\\n'E'\nE",
        "cat <<'E' \\\n b\nx\nE",
        "cat <<'E' b\\\nc\nx\nE",
        "cat <<'E' \"a\\\nb\"\nx\nE",
        "cat <<'E' \"$(cat <<'F'\nx\nF\n)\"\ny\nE",
        "[[ -f a ]]",
        "[-f a ]",
        "[ -f a]",
        "[ [a] ]",
        "[ a ]b",
        "a ]",
        "a [",
        "[\\\na ]",
        "[ a ]>f",
        "echo $??",
        "echo $?*",
        "echo $?$x",
        "echo $?$(id)",
        "echo \"$?`id`\"",
        "echo ${?}",
        "echo $$",
        "echo $PIPESTATUS",
        "echo ${PIPESTATUS[@]}",
        "echo ${PIPESTATUS[$(id)]}",
        "echo '$x'$?",
        "echo \\$$?",
        "$? a",
        "A=$? b",
        "a > $?",
        "a > \"f$?\"",
        "cat <<\"$?\"\nE",
        "for f in a; do ls $f",
        "for f in a; do ls $f; done;;",
        "for f in a; do ls $f done",
        "for f in a; do done",
        "for f in a; do ls && done",
        "for f in a; ls; done",
        "for f in a do ls; done",
        "for f in; do ls; done",
        "for f do ls; done",
        "for f in a | b; do ls; done",
        "for f in a & do ls; done",
        "for f in a; do; ls; done",
        "for f in a; 'do' ls; done",
        "for f in a; do ls; 'done'",
        "for PATH in a; do ls; done",
        "for path in a; do ls; done",
        "for IFS in a; do ls $x; done",
        "for f in a; do ls $g; done",
        "for f in a; do ls ${f%x}; done",
        "for f in a; do ls ${f:-b}; done",
        "for f in a; do ls \"$f[0]\"; done",
        "for f in a; do ls $f:h; done",
        "for f in a; do $f x; done",
        "for f in a; do ls > $f; done",
        "for f in a; do ls > b; done",
        "for f in a; do cat <<'E'; done\nx\nE",
        "for f in a; do if true; done",
        "for f in 'a b'; do ls $f; done",
        "for f in ''; do ls $f; done",
        "for f in '*'; do ls $f; done",
        "for f in *.c; do ls x$f; done",
        "for f in a; do ls; done > b",
        "for f in a; do ls; done < b",
        "for ((i=0;i<3;i++)); do ls; done",
        "select f in a; do ls; done",
        "while true; do ls; done",
        "a | for f in b; do ls; done",
        "f=a; for f in b; do ls; done",
        "for f in a; do ls; done; ls $f",
        "f=a | ls $f",
        "f=a || ls $f",
        "f=a & ls $f",
        "b && f=a; ls $f",
        "f=a ls $f",
        "f='a b'; ls $f",
        "f=; ls $f",
        "f=*; ls $f",
        "f=$(id); ls $f",
        "f=a g=b; ls $f",
        "f+=a; ls $f",
        "UID=a; ls $UID",
        "LANG=a; ls $LANG",
        "GIT_DIR=a; ls",
        "f=a; ls $ff",
        "f=a; ls $f\\\nf",
        "f=a; ls \"$f\\\nf\"",
        "ls $HOME\\\n/a",
        "ls ~\\\nroot",
        "echo \"$\\\n(id)\"",
        "echo $\\\n(id)",
        "f=a; ls ${f",
    ] {
        assert!(parse_line(text).is_err(), "{text:?}: {}", describe(text));
    }
}

#[test]
fn input_that_a_shell_would_expand_is_refused() {
    for text in [
        "cat <<E\n$x\nE",
        "cat <<E\n`x`\nE",
        "cat <<E\nx\\\nE\nE",
        "cat <<-E\n\t$x\n\tE",
        "cat <<<$x",
        "cat <<<\"$x\"",
        "cat <<<",
        "cat <<<a <<<b",
        "cat <<<a <<'E'\nx\nE",
        "cat <<'E' <<<a\nx\nE",
        "cat <<< ~",
        "cat <<< *",
        "cat <<< <(id)",
        "cat <<< $(id)",
        "for f in a; do cat <<<x; done",
        "echo \"$(cat <<-'E'\nx\nE\n)\"",
    ] {
        assert!(parse_line(text).is_err(), "{text:?}");
    }
}
