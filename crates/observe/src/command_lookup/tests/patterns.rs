//! Patterns and loops, which stand for words that are on the disk.

use super::*;

#[test]
fn a_pattern_is_covered_only_where_all_its_matches_are() {
    let workspace = Workspace::new();
    workspace.check_matches(&[
        "cat src/*.rs",
        "cat ./*.txt",
        "cat -- *.txt",
        "grep -n x src/?.rs",
        "cd src && cat ./*.rs",
        "ls ROOT/w/src/*",
    ]);
    let judgement = workspace.judge("cat src/*.rs");
    assert_eq!(judgement.segments[0].argv, ["cat", "src/a.rs", "src/b.rs"]);
    assert_eq!(judgement.segments[0].invocation().argv, ["cat", "src/a.rs", "src/b.rs"]);
    workspace.check_asks(&[
        // A file named `-rf` would be an option.
        "cat *",
        "cat dashes/../*",
        "cd dashes && cat *",
        "cd dashes && cat ?rf",
        "cat -*",
        "cat links/*",
        "cat links/*.rs",
        "cat */x",
        "cat ./*/x",
        "cat /etc/pass*",
        "cat ../*",
        "cat ../w/*",
        "cat .*",
        "cat src/.*",
        "cat src//*.rs",
        "cat src/*/",
        "cat src/**",
        "cat src/[ab].rs",
        "cat src/{a,b}.rs",
        "git add src/*.rs",
        "npm run test src/*.rs",
        "cd src; cat ./*.rs",
        "MODE=* ls",
        "echo x > src/*.rs",
        "c* x",
    ]);
    // Behind `--`, a name with a dash is a path.
    assert!(matches!(
        workspace.judge("cd dashes && cat -- *").verdict,
        CommandVerdict::Match { .. }
    ));
}

/// A shell passes on a pattern that matches nothing, or leaves it out, or stops.
#[test]
fn a_pattern_that_matches_nothing_is_covered_where_leaving_it_out_changes_nothing() {
    let workspace = Workspace::new();
    workspace.check_matches(&[
        "cat src/*.none",
        "ls src/*.none ./*.txt",
        "grep -rn x src/deep/*.rs missing/*.rs",
        "grep -e x -- src/deep/* src/a.rs",
        "cat -- *.none",
        "cd src && ls deep/*",
        "echo src/*.none",
        "ls ROOT/w/src/*.none",
    ]);
    let judgement = workspace.judge("cat src/*.none src/*.rs");
    assert_eq!(judgement.segments[0].argv, ["cat", "src/*.none", "src/a.rs", "src/b.rs"]);
    workspace.check_asks(&[
        "cat *.none",
        "cat ?x",
        "cat -*.none",
        "cat /etc/*.none",
        "cat ../*.none",
        "cat links/out/*.none",
        "cat outlink/*.none",
        "cat src/up/../../../*.none",
        // Every match of a pattern has a folder above it.
        "cat src/*/../../../out/x",
        "cat src/*/..",
        "cat links/*/x.none/../x",
        // Without the word, `--` would be the pattern, and the next word an option.
        "grep -e src/*.none -- --file=notes.txt",
        "grep -A src/*.none x notes.txt",
        // Without the word, another one would be the pattern.
        "grep src/*.none notes.txt",
        "head -n src/*.none notes.txt",
        // Another command of the line may make it match.
        "ln -s / x && cat ./x/*.none",
        "touch build.rs; cat ./*.none",
        "echo x > src/x.none; cat src/*.none",
        "cargo fmt && touch src/x.none && cat src/*.none",
        "cd src; cat deep/*.none",
        "git add src/*.none",
        "python3 src/*.none",
    ]);
}

#[test]
fn a_loop_is_covered_if_everything_that_it_runs_is() {
    let workspace = Workspace::new();
    workspace.check_matches(&[
        "for f in src/a.rs src/b.rs; do cat \"$f\"; done",
        "for f in src/*.rs; do echo \"== file\"; head -n 5 \"$f\"; done",
        "for f in src/*.rs\ndo\n  wc -l $f\ndone | sort -n",
        "cd src && for f in ./*.rs; do cat $f; done",
        "for d in src links; do ls $d/../dashes 2>/dev/null || echo none; done",
        "for i in 1 2; do echo \"$i: $?\"; done; ls",
        "for f in src/*.none; do cat \"$f\"; done",
        "file=src/a.rs; cat $file && head -n 3 \"$file\"",
        "dir=src && ls $dir/deep",
        "dir=src; cd $dir && cat a.rs",
        "file=src/a.rs; git add $file",
        "x=1; cargo test",
        "cat src/a.rs && x=src && ls $x",
        "for f in a; do for g in b; do ls; done; done",
        "for d in src links; do (cd $d && ls); done; cat src/a.rs",
        "for f in a b; do if ls $f; then cat $f; fi; done",
    ]);
    workspace.check_asks(&[
        "for f in /etc/passwd; do cat $f; done",
        "for f in ../out/*; do cat \"$f\"; done",
        "for f in links/*; do cat \"$f\"; done",
        "for f in links/out; do cat $f/x; done",
        "for f in *; do cat \"$f\"; done",
        "for f in -rf; do git commit $f; done",
        "for f in src/*.rs; do touch build.rs; done",
        "for f in a b; do git add $f; done",
        "for f in a b; do cargo test; done",
        "for f in a b; do cat a > src/x; done",
        "for f in a b; do cd src; done; ls",
        "for f in a b; do $f; done",
        "for f in a b; do xargs $f; done",
        "for f in a b; do cat $f; done > src/x",
        "for f in a b; do cat $f; done &",
        "for f in src/*.rs; do cat x$f; done",
        "for f in src/*.rs; do cat \"$f\"; done | psql",
        "ln -s / x && for f in x/etc/passwd; do cat $f; done",
        "for f in x/etc/passwd; do cat $f; done | ln -s / x",
        "ls | for f in a; do cat $f; done",
        "for f in 'a b'; do cat $f; done",
        "for f in a; do cat \"$f\"; done; cat $f",
        "for path in src; do ls; done",
        "for f in a; do for g in b; do touch x; done; done",
        "for f in $(id); do ls; done",
        "for f; do ls; done",
        "PATH=src; ls",
        "file=/etc/passwd; cat $file",
        "file=../a.rs; git add $file",
        "X=1; cargo test",
        "cat src/a.rs && x=src; ls $x",
        "x=src | ls $x",
        "x=src || ls $x",
        "x=src ls $x",
        "x='src x'; ls $x",
        "x=src; ls $x:h",
        "x=src; ls \"$x[1]\"",
        "x=src; ls ${x%c}",
        "x=src; $x",
        "x=/; cd $x && ls",
        "x=..; cd $x && ls",
        "x=links/out; cd $x && ls",
        "x=*; ls $x",
        "x=src; for x in a; do ls $x; done",
        "SECONDS=src; ls $SECONDS",
    ]);
    fs::write(workspace.path("w/src/a b.rs"), "").unwrap();
    workspace.check_asks(&["for f in src/*.rs; do cat $f; done"]);
}
