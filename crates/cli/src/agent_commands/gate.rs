//! `gate`: checks a call for a script; the exit code is the outcome.

use crate::daemon_option::DaemonOption;
use crate::operate::fit_bounds;
use crate::pending::report_pending;
use crate::project::choose_project;
use crate::settings::Settings;
use crate::{exit, limits, watch};
use clap::Args;
use countersign_api::{CheckRequest, CheckResponse, CheckStatus, Fraction, ReportedEffect};
use countersign_console::{Exit, Failure, Page, out};
use countersign_core::encoding::json;
use countersign_core::model::category::Category;
use countersign_core::model::ids::{CallId, RunId};
use countersign_core::model::names::{Action, SessionName, Tool};
use countersign_rules::parse_confidence;
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(about = "Ask from a script; the exit code is the answer", after_help = Exit::help_table(), before_help = "\
Examples:
  countersign gate --session deploy --action servers.restart --target web1 && restart web1
  countersign gate --session deploy --tool Bash --args '{\"command\": \"git push\"}' --wait 300

Only exit code 0 is a yes. At a terminal, the card is shown on stderr and you can answer it there.
Otherwise, without an answer in time the exit code is 8 and the request stays open.

`gate` does not see how the call ends. Report it with the printed command (`--done` or `--failed`):
until then the call counts as running, and a yes for one call stays in use. `countersign run`
reports by itself.")]
pub(crate) struct GateArgs {
    /// The session that the call belongs to
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// The action; can be repeated
    #[arg(long = "action", value_parser = |text: &str| Action::parse(text))]
    #[arg(required_unless_present_any = ["tool", "done", "failed"])]
    pub(crate) actions: Vec<Action>,
    /// The tool
    #[arg(long, value_parser = |text: &str| Tool::parse(text))]
    pub(crate) tool: Option<Tool>,
    /// Its arguments, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) args: String,
    /// The target; can be repeated
    #[arg(long = "target", value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// The reason that the agent gives
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
    /// What the agent will do if the answer is no
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) fallback: String,
    /// The folder that the command runs in
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// How sure the agent is, from 0 to 1
    #[arg(long, value_name = "NUMBER", value_parser = parse_confidence, default_value = "0")]
    #[arg(hide_default_value = true)]
    pub(crate) confidence: f64,
    /// A category of the call; can be repeated
    #[arg(long = "category", value_name = "NAME", value_parser = |text: &str| Category::parse(text))]
    pub(crate) categories: Vec<Category>,
    /// An action that the call may trigger; can be repeated
    #[arg(long, value_name = "ACTION", value_parser = |text: &str| Action::parse(text))]
    pub(crate) declares: Vec<Action>,
    /// The run of a workflow that the call belongs to
    #[arg(long, value_name = "ID", value_parser = parse_run)]
    pub(crate) run: Option<RunId>,
    /// The project of the session: a folder that contains the current one; with an adapter's token,
    /// any name [default: the git repository around the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// Report that an allowed call was carried out, instead of asking
    #[arg(long, value_name = "OPERATION", value_parser = parse_call)]
    #[arg(conflicts_with_all = ["actions", "tool", "failed"])]
    pub(crate) done: Option<CallId>,
    /// Report that an allowed call failed, instead of asking
    #[arg(long, value_name = "OPERATION", value_parser = parse_call)]
    #[arg(conflicts_with_all = ["actions", "tool"])]
    pub(crate) failed: Option<CallId>,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_WAIT_SECONDS))]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn parse_call(text: &str) -> Result<CallId, String> {
    CallId::parse(text).ok_or_else(|| "give the whole id that `gate` printed".to_owned())
}

fn parse_run(text: &str) -> Result<RunId, String> {
    RunId::parse(text).ok_or_else(|| "give the whole id of the run".to_owned())
}

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
    Ok(exit::from_check(&response))
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
