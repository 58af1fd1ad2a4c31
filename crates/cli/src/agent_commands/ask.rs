//! `ask`: asks ahead of a call for a script; the exit code is the answer.

use crate::daemon_option::DaemonOption;
use crate::operate::fit_bounds;
use crate::project::choose_project;
use crate::settings::Settings;
use crate::{exit, limits, watch};
use clap::Args;
use countersign_api::{
    AheadStatus, AskAheadRequest, AskAheadResponse, AskedScope, Millis, ParkPolicy, WaitRequest,
};
use countersign_console::{BOLD, Exit, Failure, Page, out};
use countersign_core::model::category::Category;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SessionName;

#[derive(Args)]
#[command(about = "Ask for permission ahead of a call; the exit code is the answer", after_help = Exit::help_table(), before_help = "\
Examples:
  countersign ask --session deploy --category filesystem_write --reasoning 'the schema changed' \\
    'Overwrite docs/api.md' --wait 300
  countersign ask --session deploy --id r7f2a…        read the answer later
  countersign ask --session deploy --withdraw r7f2a…  take the question back

Only exit code 0 is a yes: a grant is in force. At a terminal, the card is shown on stderr and you
can answer it there. Otherwise, without an answer in time the exit code is 8 and the request stays
open.

A yes to a critical category is recorded and gives no grant, so its exit code is 8: the call itself
still asks.")]
pub(crate) struct AskArgs {
    /// The session that the question belongs to
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// What you want to do, as you would explain it to a colleague
    #[arg(value_name = "ACTION", required_unless_present_any = ["id", "withdraw"])]
    pub(crate) action: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    #[arg(required_unless_present_any = ["id", "withdraw"])]
    pub(crate) reasoning: String,
    /// What you will do if the answer is no
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) fallback: String,
    /// How long it should last: this_call, this_session or persistent
    #[arg(long, value_name = "SCOPE", value_parser = parse_scope, default_value = "this_call")]
    pub(crate) scope: AskedScope,
    /// The category of the calls to come; without it, any call up to moderate risk
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Category::parse(text))]
    pub(crate) category: Option<Category>,
    /// The project of the session: a folder that contains the current one
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// Read the answer to an earlier question, instead of asking
    #[arg(long, value_name = "REQUEST", value_parser = parse_request)]
    #[arg(conflicts_with_all = ["action", "withdraw"])]
    pub(crate) id: Option<RequestId>,
    /// Take an open question back, instead of asking
    #[arg(long, value_name = "REQUEST", value_parser = parse_request, conflicts_with = "action")]
    pub(crate) withdraw: Option<RequestId>,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_WAIT_SECONDS))]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn parse_scope(text: &str) -> Result<AskedScope, String> {
    AskedScope::from_word(text)
        .ok_or_else(|| "write this_call, this_session or persistent".to_owned())
}

fn parse_request(text: &str) -> Result<RequestId, String> {
    RequestId::parse(text).ok_or_else(|| "give the whole id that `ask` printed".to_owned())
}

pub(crate) fn ask(args: &AskArgs, settings: &Settings) -> Result<Exit, Failure> {
    if let Some(id) = args.withdraw {
        let response = args.daemon.agent(settings, 0)?.cancel_question(id, &args.session)?;
        return args.daemon.print(&response, || Page::from_line("the question is withdrawn"));
    }
    let agent = args.daemon.agent(settings, args.wait)?;
    let response = match args.id {
        Some(id) => agent.wait_for_question(id, &wait_request(args)?)?,
        None => {
            let request = build_request(args, settings)?;
            watch::ask_ahead_at_terminal(&agent, request, args.wait, &args.daemon, settings)?
        }
    };
    if args.daemon.json {
        out::show_json(&response)?;
    } else {
        show_response(args, &response);
    }
    Ok(exit::from_ahead(&response))
}

fn build_request(args: &AskArgs, settings: &Settings) -> Result<AskAheadRequest, Failure> {
    let action = args.action.clone().unwrap_or_default();
    Ok(AskAheadRequest {
        session: args.session.clone(),
        project: choose_project(args.project.as_deref(), settings)?,
        action: fit_bounds("action", action)?,
        reasoning: fit_bounds("reasoning", args.reasoning.clone())?,
        fallback: fit_bounds("fallback", args.fallback.clone())?,
        scope: args.scope,
        category: args.category.clone(),
        park: ParkPolicy::Allowed,
        wait_ms: Millis::default(),
    })
}

fn wait_request(args: &AskArgs) -> Result<WaitRequest, Failure> {
    let wait_ms = fit_bounds("time to wait", args.wait.saturating_mul(1000))?;
    Ok(WaitRequest { session: args.session.clone(), wait_ms })
}

/// On stderr: stdout belongs to the script.
fn show_response(args: &AskArgs, response: &AskAheadResponse) {
    let scope = response.scope_granted.map(|scope| format!(" ({})", scope.word()));
    let status = response.status.word();
    let line = format!("{status}{}: {}", scope.unwrap_or_default(), response.sentence);
    out::eprint(&Page::from_line(&line));
    if !response.operator_note.is_empty() {
        out::eprint(&Page::from_line(&format!("the operator said: {}", response.operator_note)));
    }
    if let (AheadStatus::Pending, Some(request)) = (response.status, response.request_id) {
        out::eprint(&describe_waiting(args, request));
    }
}

fn describe_waiting(args: &AskArgs, request: RequestId) -> Page {
    let data = args.daemon.data.as_ref();
    let data = data.map(|data| format!(" --data {}", data.display())).unwrap_or_default();
    let mut page = Page::new();
    page.text("it waits as ").styled(BOLD, &request.to_string());
    page.text(&format!(
        "; read the answer with `countersign ask --session {}{data} --id {request}`",
        args.session
    ));
    page.end();
    page
}
