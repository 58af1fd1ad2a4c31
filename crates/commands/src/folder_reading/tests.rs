//! What commands read below folders.

use super::*;
use crate::folder_walk::{NameVerdict, WalkEntry};

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn find(line: &str) -> Option<FolderReading> {
    FolderReading::find(&words(line))
}

#[test]
fn a_command_that_recurses_reads_below_its_operands() {
    for (line, roots) in [
        ("grep -rn foo src lib", Some(vec!["src", "lib"])),
        ("grep -r foo", Some(vec!["."])),
        ("grep -R -e foo src", Some(vec!["src"])),
        ("grep --recursive foo .", Some(vec!["."])),
        ("grep --recurs foo .", Some(vec!["."])),
        ("grep -d recurse foo .", Some(vec!["."])),
        ("grep -nA 3 -r foo -- -x", Some(vec!["-x"])),
        ("grep foo src", None),
        ("grep -n foo a.rs", None),
        ("rg foo", Some(vec!["."])),
        ("rg -t rust foo src", Some(vec!["src"])),
        ("rg --files", None),
        ("tar czf out.tgz .", Some(vec!["."])),
        ("tar -c -f out.tar -C dir a", Some(vec!["dir/a"])),
        ("tar cfC out.tar dir a", Some(vec!["dir/a"])),
        ("tar xzf in.tgz", None),
        ("tar -tf in.tgz", None),
        ("zip -r out.zip src", Some(vec!["src"])),
        ("zip out.zip a.txt", None),
        ("cp -r . /elsewhere", Some(vec!["."])),
        ("cp a b", None),
        ("rsync -a src/ host:dst", Some(vec!["src/"])),
        ("diff -r a b", Some(vec!["a", "b"])),
        ("find . -name *.py -exec cat {} +", Some(vec!["."])),
        ("find -exec cat {} +", Some(vec!["."])),
        ("find . -name x", None),
        ("cat a", None),
    ] {
        let found = find(line).map(|reading| reading.roots);
        let roots = roots.map(|roots| roots.into_iter().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(found, roots, "{line}");
    }
}

#[test]
fn exclusions_stand_behind_the_options_and_before_the_dashes() {
    for (line, at) in [
        ("grep -rn foo src", Some(1)),
        ("grep -r -A 3 foo src", Some(3)),
        ("grep -r foo src --include=*.rs", Some(4)),
        ("grep -r foo -- src", Some(1)),
        ("grep -r --exclu=x foo src", Some(2)),
        ("grep -r --exclu x foo src", None),
        ("rg foo", Some(0)),
        ("rg --hidden foo .", Some(1)),
        ("tar czf out.tgz .", Some(2)),
        ("tar -c . -f out.tar", None),
        ("zip -r out.zip src", None),
        ("find . -exec cat {} +", None),
    ] {
        let found = find(line).unwrap().exclusions.map(|point| point.after);
        assert_eq!(found, at, "{line}");
    }
}

#[test]
fn what_the_words_leave_out_is_not_opened() {
    use NameVerdict::{Named, Opened, Skipped};
    for (line, name, expected) in [
        ("grep -r foo .", ".env", Opened),
        ("grep -r --include=*.py foo .", ".env", Skipped),
        ("grep -r --include=.env* foo .", ".env", Named),
        ("grep -r --exclude=.env foo .", ".env", Skipped),
        ("grep -r --exclude=.env --include=.env foo .", ".env", Named),
        ("grep -r --include=*.[ch] foo .", ".env", Named),
        ("rg -g !.env foo", ".env", Skipped),
        ("rg -g *.{ts,tsx} foo", ".env", Skipped),
        ("rg -g *.{ts,tsx} foo", "a.tsx", Named),
        ("rg -g src/*.ts foo", "x.pem", Named),
        ("rg -g !src/x.pem foo", "x.pem", Opened),
        ("tar c --exclude=.env .", ".env", Skipped),
        ("tar c --exclude *.pem .", "x.pem", Skipped),
        ("find . -name *.py -exec cat {} +", ".env", Skipped),
        ("find . -name *.py -o -name .env -exec cat {} +", ".env", Opened),
        ("diff -r -x .env a b", ".env", Skipped),
    ] {
        let walk = find(line).unwrap().walk;
        assert_eq!(walk.filter.judge(name, WalkEntry::File), expected, "{line}: {name}");
    }
    let scope = |line: &str| find(line).unwrap().walk.scope;
    assert_eq!(scope("rg foo"), WalkScope::NeitherHiddenNorIgnored);
    assert_eq!(scope("rg --hidden foo"), WalkScope::NotIgnored);
    assert_eq!(scope("rg -u foo"), WalkScope::NotHidden);
    assert_eq!(scope("rg -uu foo"), WalkScope::Everything);
    assert_eq!(scope("rg --no-ignore-vcs foo"), WalkScope::NotHidden);
    assert_eq!(scope("grep -r foo"), WalkScope::Everything);
}
