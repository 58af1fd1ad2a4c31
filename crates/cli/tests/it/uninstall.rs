//! `uninstall`: files come back byte by byte, unless somebody has changed them since.

use crate::desk::Desk;
use crate::init::{CLAUDE, CODEX, configurations};
use insta::assert_snapshot;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

fn is_ours(content: &[u8]) -> bool {
    String::from_utf8_lossy(content).contains("countersign")
}

#[test]
fn every_configuration_comes_back_byte_by_byte() {
    for (path, file, content) in configurations(".before.json") {
        if is_ours(&content) {
            continue;
        }
        let desk = Desk::empty().with(file, &content);
        fs::set_permissions(desk.path(file), Permissions::from_mode(0o640)).unwrap();
        // The programs do not read a file with comments, so they are not guarded by it.
        let is_read = !path.to_str().unwrap().contains("comments");
        assert_eq!(desk.code(&["init", "--yes"]) == 0, is_read, "{}", path.display());
        assert_ne!(fs::read(desk.path(file)).unwrap(), content, "{}", path.display());
        assert_eq!(desk.code(&["uninstall", "--yes"]), 0, "{}", path.display());
        assert_eq!(fs::read(desk.path(file)).unwrap(), content, "{}", path.display());
        let mode = fs::metadata(desk.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{}", path.display());
    }
}

#[test]
fn a_link_stays_a_link_and_its_file_comes_back() {
    for (_, file, content) in configurations("a-model-and-permissions.before.json")
        .into_iter()
        .chain(configurations("foreign-hooks.before.json"))
    {
        let desk = Desk::empty().with("dotfiles/shared.json", &content);
        fs::create_dir_all(desk.path(file).parent().unwrap()).unwrap();
        symlink("../../dotfiles/shared.json", desk.path(file)).unwrap();
        assert_eq!(desk.code(&["init", "--yes"]), 0);
        assert!(is_ours(&fs::read(desk.path("dotfiles/shared.json")).unwrap()));
        assert_eq!(desk.code(&["uninstall", "--yes"]), 0);
        assert!(fs::symlink_metadata(desk.path(file)).unwrap().is_symlink());
        assert_eq!(fs::read(desk.path("dotfiles/shared.json")).unwrap(), content);
    }
}

#[test]
fn a_file_and_a_folder_that_were_not_there_are_gone_again() {
    let desk = Desk::empty().with("home/.claude/history", "");
    assert_eq!(desk.code(&["init", "--yes", "--agents", "claude,codex"]), 0);
    assert!(desk.path(CODEX).exists());
    assert_eq!(desk.code(&["uninstall", "--yes"]), 0);
    assert!(!desk.path(CLAUDE).exists());
    assert!(desk.path("home/.claude/history").exists());
    assert!(!desk.path("home/.codex").exists());
}

#[test]
fn from_a_file_that_was_changed_since_only_our_entries_are_removed() {
    let desk = Desk::empty().with(CLAUDE, "{\n  \"model\": \"opus\"\n}\n");
    desk.run(&["init", "--yes"]);
    let changed = desk.text(CLAUDE).replace("opus", "haiku");
    let desk = desk.with(CLAUDE, changed);
    let printed = desk.run(&["uninstall", "--yes"]);
    assert!(printed.contains("was changed since, or is not in our backup"), "{printed}");
    assert_eq!(desk.text(CLAUDE), "{\n  \"model\": \"haiku\"\n}\n");
}

#[test]
fn an_updated_path_does_not_replace_the_first_backup() {
    let first = "{ \"model\":   \"opus\" }";
    let desk = Desk::empty().with(CLAUDE, first);
    desk.run(&["init", "--yes"]);
    let desk = desk.with_own_program();
    assert!(desk.run(&["init", "--yes"]).contains("bin/countersign"));
    assert!(desk.text(CLAUDE).contains("bin/countersign"));
    desk.run(&["uninstall", "--yes"]);
    assert_eq!(desk.text(CLAUDE), first);
}

#[test]
fn what_somebody_added_between_two_installations_stays() {
    let desk = Desk::empty().with(CLAUDE, "{}");
    desk.run(&["init", "--yes"]);
    let added = desk.text(CLAUDE).replacen('{', "{\n  \"model\": \"opus\",", 1);
    let desk = desk.with(CLAUDE, added).with_own_program();
    desk.run(&["init", "--yes"]);
    desk.run(&["uninstall", "--yes"]);
    assert_eq!(desk.text(CLAUDE), "{\n  \"model\": \"opus\"\n}");
}

#[test]
fn without_a_backup_our_entries_are_still_removed() {
    let desk = Desk::empty().with(CLAUDE, "{}");
    desk.run(&["init", "--yes"]);
    fs::remove_dir_all(desk.path("home/.local/share/countersign/installed")).unwrap();
    assert_eq!(desk.code(&["uninstall", "--yes"]), 0);
    assert_eq!(desk.text(CLAUDE), "{}");
}

#[test]
fn it_says_what_it_leaves() {
    let desk = Desk::empty().with(CLAUDE, "{}");
    assert_snapshot!(desk.run(&["uninstall", "--yes"]), @"
    Claude Code: none of our hooks is in its settings
    Codex: none of our hooks is in its settings
    the record and its keys stay in HERE/home/.local/share/countersign
    your graph and settings stay in HERE/home/.config/countersign
    exit: 0
    ");
}

#[test]
fn without_a_terminal_and_without_yes_nothing_is_removed() {
    let desk = Desk::empty().with(CLAUDE, "{}");
    desk.run(&["init", "--yes"]);
    let settings = desk.text(CLAUDE);
    assert_eq!(desk.code(&["uninstall"]), 2);
    assert_eq!(desk.code(&["uninstall", "--dry-run"]), 0);
    assert_eq!(desk.text(CLAUDE), settings);
}
