//! Checks for each coding agent on this machine whether it is guarded: our hooks are in its settings,
//! it runs them, and they answer.

use super::DoctorReport;
use super::canary::{CanaryEnd, run_canary};
use crate::context::SetupContext;
use crate::files::read_if_present;
use crate::installed::FoundProgram;
use crate::project_settings::find_misleading_settings;
use countersign_api::StatusResponse;
use countersign_harness::{HookFile, HookState, InstalledHook, Program, is_trusted_by_codex};
use std::path::Path;

pub(super) fn check_programs(
    report: &mut DoctorReport,
    context: &SetupContext,
    status: Option<&StatusResponse>,
) {
    let here = std::env::current_dir().unwrap_or_default();
    for sentence in find_misleading_settings(&here) {
        let remedy =
            "find out who wrote that: our hooks do not take it, but the program's commands do";
        report.add_problem("project", sentence, remedy);
    }
    for program in Program::ALL {
        let Ok(found) = FoundProgram::look_for(program, context) else { continue };
        if found.is_present {
            check_program(report, &found, context, status);
        }
    }
}

fn check_program(
    report: &mut DoctorReport,
    found: &FoundProgram,
    context: &SetupContext,
    status: Option<&StatusResponse>,
) {
    for file in found.program.hook_files() {
        let path = found.folder.join(file.path);
        if let Some(installed) = check_file(report, file, &path, context) {
            check_switches(report, found);
            check_trust(report, found, &path, &installed);
            check_answers(report, found.program, &installed, status);
        }
    }
}

fn init_command(program: Program) -> String {
    format!("run `countersign init --agents {}`", program.word())
}

/// Our entries in the file. None if there are none, which is reported.
fn check_file(
    report: &mut DoctorReport,
    file: &HookFile,
    path: &Path,
    context: &SetupContext,
) -> Option<Vec<InstalledHook>> {
    let (program, about) = (file.program, file.program.title());
    let bytes = match read_if_present(path) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(failure) => {
            report.add_failure(about, &failure);
            return None;
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let target = match context.hook_target() {
        Ok(target) => target,
        Err(failure) => {
            report.add_failure(about, &failure);
            return None;
        }
    };
    let found = file.check_readable(&text).and_then(|()| file.find(&text, &target));
    let found = found.and_then(|state| Ok((state, file.installed(&text)?)));
    let shown = path.display();
    match found {
        Err(error) => {
            let remedy = format!("repair the file, then {}", init_command(program));
            report.add_problem(about, format!("it is not guarded: {shown}: {error}"), remedy);
            None
        }
        Ok((HookState::Absent, _)) => {
            let text = format!("it is not guarded: {shown} has none of our hooks");
            report.add_warning(about, text, init_command(program));
            None
        }
        Ok((HookState::Outdated, installed)) => {
            let text = format!("our hooks in {shown} are not those of this program");
            report.add_warning(about, text, init_command(program));
            Some(installed)
        }
        Ok((HookState::Current, installed)) => {
            report.add_ok(about, format!("our hooks are in {shown}"));
            Some(installed)
        }
    }
}

fn check_switches(report: &mut DoctorReport, found: &FoundProgram) {
    for (key, path) in found.find_switches() {
        let text = format!("it is not guarded: `{key}` in {} turns hooks off", path.display());
        report.add_problem(found.program.title(), text, "remove that key");
    }
}

/// Codex skips hooks that its user has not trusted, without a word.
fn check_trust(
    report: &mut DoctorReport,
    found: &FoundProgram,
    path: &Path,
    installed: &[InstalledHook],
) {
    if found.program != Program::Codex {
        return;
    }
    let config = read_if_present(&found.folder.join("config.toml")).ok().flatten();
    let config = String::from_utf8_lossy(config.as_deref().unwrap_or_default()).into_owned();
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_trusted = |hook: &&InstalledHook| {
        [path, &real]
            .iter()
            .any(|path| path.to_str().is_some_and(|path| is_trusted_by_codex(&config, path, hook)))
    };
    let trusted = installed.iter().filter(is_trusted).count();
    match installed.len() - trusted {
        0 => report.add_ok("Codex", "it trusts our hooks"),
        missing => report.add_problem(
            "Codex",
            format!("it does not run {missing} of our hooks, because you have not trusted them"),
            "start `codex` and choose `Trust all and continue`, or open /hooks in it",
        ),
    }
}

/// Runs the hooks that stand in a program's settings, with a call that no daemon sees.
pub(crate) fn try_hooks(found: &FoundProgram) -> Result<(), String> {
    for file in found.program.hook_files() {
        let bytes = read_if_present(&found.folder.join(file.path)).ok().flatten();
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
        let installed = file.installed(&text).map_err(|error| error.to_string())?;
        let Some(hook) = installed.iter().find(|hook| hook.event == "PreToolUse") else { continue };
        if let CanaryEnd::Failed(why) = run_canary(found.program, &hook.command, None) {
            return Err(why);
        }
    }
    Ok(())
}

fn check_answers(
    report: &mut DoctorReport,
    program: Program,
    installed: &[InstalledHook],
    status: Option<&StatusResponse>,
) {
    let about = program.title();
    let Some(hook) = installed.iter().find(|hook| hook.event == "PreToolUse") else {
        let text = "it is not guarded: no hook of ours runs before its tools";
        return report.add_problem(about, text, init_command(program));
    };
    match run_canary(program, &hook.command, status) {
        CanaryEnd::Answered => report.add_ok(about, "the hook answers"),
        CanaryEnd::Blocked => report.add_warning(
            about,
            "the hook blocks what it cannot read; a whole call was not tried",
            "start the daemon with `countersign serve`, then run this again",
        ),
        CanaryEnd::Waits => report.add_warning(
            about,
            "the hook waits for an answer: your graph asks even about reading a file",
            "answer with `countersign watch`, or let `files.read` happen in the graph",
        ),
        CanaryEnd::Failed(why) => {
            let text = format!("it is not guarded: the installed hook fails: {why}");
            report.add_problem(about, text, init_command(program));
        }
    }
}
