//! Merging our entries into settings files, and taking them out. The files are in
//! `tests/configurations`: `X.before.json` becomes `X.after.json`, and `X.broken.json` is refused with
//! the message in `X.broken.txt`.

use countersign_harness::{HookFile, HookState, HookTarget, Program};
use std::fs;
use std::path::{Path, PathBuf};

fn target(binary: &str) -> HookTarget {
    let data = Some("/home/me/.local/share/countersign".to_owned());
    HookTarget { binary: binary.to_owned(), data, settings: None }
}

fn own_target() -> HookTarget {
    target("/opt/countersign/bin/countersign")
}

/// The files of one program with this ending, and their names without it.
fn fixtures(program: Program, ending: &str) -> Vec<(String, PathBuf)> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/configurations").join(program.word());
    let mut found: Vec<(String, PathBuf)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(ending)?.to_owned();
            Some((name, path))
        })
        .collect();
    found.sort();
    found
}

fn hook_file(program: Program) -> &'static HookFile {
    &program.hook_files()[0]
}

/// Compares with a file beside the fixture.
fn check_golden(path: &Path, text: &str) {
    let golden = fs::read_to_string(path).unwrap_or_default();
    assert!(golden == text, "{} should be:\n{text}", path.display());
}

fn each_configuration(check: impl Fn(&'static HookFile, &str, &Path)) {
    for program in Program::ALL {
        for (_, path) in fixtures(program, ".before.json") {
            check(hook_file(program), &fs::read_to_string(&path).unwrap(), &path);
        }
    }
}

#[test]
fn there_are_enough_configurations_of_every_program() {
    for program in Program::ALL {
        assert!(fixtures(program, ".before.json").len() >= 12, "{program}");
        assert!(fixtures(program, ".broken.json").len() >= 5, "{program}");
    }
}

#[test]
fn our_hooks_are_merged_and_everything_else_stays() {
    each_configuration(|file, before, path| {
        let merged = file.merge(before, &own_target()).unwrap();
        let name = path.to_str().unwrap().replace(".before.", ".after.");
        check_golden(Path::new(&name), &merged);
    });
}

#[test]
fn merging_twice_changes_nothing() {
    each_configuration(|file, before, path| {
        let once = file.merge(before, &own_target()).unwrap();
        assert_eq!(file.merge(&once, &own_target()).unwrap(), once, "{}", path.display());
        assert_eq!(file.find(&once, &own_target()), Ok(HookState::Current), "{}", path.display());
        assert_eq!(file.find(&once, &target("/new/countersign")), Ok(HookState::Outdated));
    });
}

#[test]
fn every_event_has_our_hook_exactly_once() {
    each_configuration(|file, before, path| {
        let installed = file.installed(&file.merge(before, &own_target()).unwrap()).unwrap();
        let mut events: Vec<&str> = installed.iter().map(|hook| hook.event.as_str()).collect();
        events.sort_unstable();
        let mut expected = vec![
            "PermissionRequest",
            "PostToolUse",
            "PostToolUseFailure",
            "PreToolUse",
            "SessionEnd",
            "SessionStart",
            "UserPromptSubmit",
        ];
        // Codex has no event of its own for a tool that failed.
        expected.retain(|event| file.program == Program::ClaudeCode || !event.ends_with("Failure"));
        assert_eq!(events, expected, "{}", path.display());
        for hook in installed {
            assert_eq!(hook.command.target(file.program), Some(own_target()));
        }
    });
}

/// `countersign uninstall` restores the first bytes. It removes entries only if somebody has changed the
/// file since, and that gives a few files another form.
const CHANGED_FORM: &[&str] = &[
    "claude/all-in-one-line",
    "claude/an-empty-file",
    "claude/empty-lists",
    "claude/strange-values-and-escapes",
    "codex/all-in-one-line",
    "codex/an-empty-file",
    "codex/empty-lists",
];

#[test]
fn removing_what_was_merged_gives_the_first_bytes() {
    let changed = std::cell::RefCell::new(Vec::new());
    each_configuration(|file, before, path| {
        let had_ours = file.find(before, &own_target()).unwrap() != HookState::Absent;
        let removed = file.remove(&file.merge(before, &own_target()).unwrap()).unwrap();
        assert_eq!(file.find(&removed, &own_target()), Ok(HookState::Absent), "{}", path.display());
        if !had_ours && removed != before {
            let name = path.file_name().unwrap().to_str().unwrap();
            let name = name.strip_suffix(".before.json").unwrap();
            changed.borrow_mut().push(format!("{}/{name}", file.program.word()));
        }
    });
    assert_eq!(*changed.borrow(), CHANGED_FORM);
}

#[test]
fn a_text_without_our_hooks_is_not_changed_by_removing_them() {
    each_configuration(|file, before, path| {
        if file.find(before, &own_target()) == Ok(HookState::Absent) && !before.is_empty() {
            assert_eq!(file.remove(before).unwrap(), before, "{}", path.display());
        }
    });
}

#[test]
fn a_broken_file_is_refused_with_the_line() {
    for program in Program::ALL {
        for (_, path) in fixtures(program, ".broken.json") {
            let text = fs::read_to_string(&path).unwrap();
            let error = hook_file(program).merge(&text, &own_target()).unwrap_err();
            assert_eq!(hook_file(program).remove(&text).unwrap_err(), error);
            check_golden(&path.with_extension("txt"), &format!("{error}\n"));
        }
    }
}

#[test]
fn a_file_that_its_program_does_not_read_is_recognised() {
    each_configuration(|file, before, path| {
        let is_readable = file.check_readable(&file.merge(before, &own_target()).unwrap()).is_ok();
        assert_eq!(!is_readable, path.to_str().unwrap().contains("comments"), "{}", path.display());
    });
}
