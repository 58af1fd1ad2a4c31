//! `gate`: checks a call for a script; the exit code is the outcome.

use super::fit_bounds;
use super::project::choose_project;
use crate::args::GateArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::Page;
use crate::pending::report_pending;
use crate::settings::Settings;
use crate::watch;
use countersign_api::{CheckRequest, CheckResponse, CheckStatus, Fraction, ReportedEffect};
use countersign_core::encoding::json;
use countersign_core::model::ids::CallId;
use serde_json::Value;
use std::path::Path;

pub(crate) fn gate(args: &GateArgs, settings: &Settings) -> Result<Exit, Failure> {
    match (args.done, args.failed) {
        (Some(call), _) => return report(args, settings, call, ReportedEffect::Done),
        (_, Some(call)) => return report(args, settings, call, ReportedEffect::Failed),
        (None, None) => {}
    }
    let request = CheckRequest {
        actions: fit_bounds("list of actions", args.actions.clone())?,
        args: parse_arguments(&args.args)?,
        target: fit_bounds("list of targets", args.targets.clone())?,
        reason: fit_bounds("reason", args.reason.clone())?,
        fallback: fit_bounds("fallback", args.fallback.clone())?,
        cwd: args.cwd.as_deref().map(resolve_folder).transpose()?,
        confidence: Fraction::new(args.confidence).unwrap_or_default(),
        categories: fit_bounds("list of categories", args.categories.clone())?,
        declares: fit_bounds("list of declared actions", args.declares.clone())?,
        run: args.run,
        project: choose_project(args.project.as_deref(), settings)?,
        tool: args.tool.clone(),
        ..CheckRequest::new(args.session.clone())
    };
    let agent = args.daemon.agent(settings, args.wait)?;
    let response = watch::check_at_terminal(&agent, request, args.wait, &args.daemon, settings)?;
    if args.daemon.json {
        out::show_json(&response)?;
    } else {
        // Stdout belongs to the script.
        out::eprint(&Page::from_line(&format!("{}: {}", response.outcome, response.sentence)));
        // What waits says why by itself.
        if response.status == CheckStatus::Allowed {
            let announced = response.announcements.iter();
            announced.for_each(|line| out::eprint(&Page::from_line(line)));
        }
        if let Some(line) = describe_report(args, &response) {
            out::eprint(&Page::from_line(&line));
        }
        report_pending(&response, &args.daemon, settings);
    }
    Ok(Exit::from_check(&response))
}

/// How the script reports the end of an allowed call, which `gate` cannot see.
fn describe_report(args: &GateArgs, response: &CheckResponse) -> Option<String> {
    let (CheckStatus::Allowed, Some(call)) = (response.status, response.operation_id) else {
        return None;
    };
    let data = args.daemon.data.as_ref();
    let data = data.map(|data| format!(" --data {}", data.display())).unwrap_or_default();
    let session = &args.session;
    Some(format!(
        "when it has ended: countersign gate --session {session}{data} --done {call} (or --failed)"
    ))
}

fn report(
    args: &GateArgs,
    settings: &Settings,
    call: CallId,
    effect: ReportedEffect,
) -> Result<Exit, Failure> {
    let response = args.daemon.agent(settings, 0)?.report_outcome(call, &args.session, effect)?;
    args.daemon.print(&response, || Page::from_line("the end of the call is recorded"))
}

/// Arguments have names, so that rules and cards can point at them.
fn parse_arguments(text: &str) -> Result<Value, Failure> {
    let help = "write one JSON object, for example '{\"command\": \"git push\"}'";
    let value = json::parse(text.as_bytes())
        .map_err(|error| Failure::usage(format!("the arguments cannot be read: {error}"), help))?;
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(Failure::usage("the arguments are not a JSON object", help)),
    }
}

/// Absolute, as the agent's other calls name it.
fn resolve_folder(folder: &Path) -> Result<countersign_api::Text<4096>, Failure> {
    let help = "name a folder that exists";
    let resolved = std::fs::canonicalize(folder)
        .map_err(|error| Failure::file("open", folder, &error, help))?;
    let text = resolved.to_str().ok_or_else(|| {
        Failure::usage("the name of the folder is not UTF-8", "name another folder")
    })?;
    fit_bounds("folder", text.to_owned())
}
