//! `say`: adds the operator's words to a session, as if they were typed in its conversation.

use super::fit_bounds;
use crate::daemon_option::DaemonOption;
use crate::settings::Settings;
use clap::Args;
use countersign_api::{SayRequest, SessionView, TurnResponse};
use countersign_client::OperatorClient;
use countersign_console::{Exit, Failure, Page};
use countersign_core::model::names::SessionName;

#[derive(Args)]
#[command(
    about = "Say something in a session, as its operator",
    before_help = "\
Examples:
  countersign say s1 Grant standing consent for: git push
  countersign say s1 Revoke consent for: git push
  countersign say coder/s1 'What have I consented to?'
  countersign say s1 stop
  countersign say s1 done

The words count as your next message in the conversation of that session, so they also answer the
one request that is open there. Words that Countersign does not know change nothing. Options come
before the name of the session."
)]
pub(crate) struct SayArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
    /// The session, as NAME or AGENT/NAME
    #[arg(value_name = "SESSION", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// What you say
    #[arg(value_name = "WORDS", required = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}

pub(crate) fn say(args: &SayArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let response = send_words(&client, args.session.clone(), &args.words.join(" "))?;
    args.daemon.print(&response, || {
        let mut page = Page::new();
        for line in describe_turn(&response) {
            page.text(&line).end();
        }
        page
    })
}

/// Says something in the named session, or in the only one that is open. Returns the reply.
pub(crate) fn say_words(
    client: &OperatorClient,
    session: Option<&str>,
    words: &str,
) -> Result<Vec<String>, Failure> {
    let session = match session {
        Some(named) => SessionName::parse(named)
            .map_err(|error| Failure::usage(error.to_string(), "name a session"))?,
        None => find_only_session(client, words)?,
    };
    Ok(describe_turn(&send_words(client, session, words)?))
}

fn send_words(
    client: &OperatorClient,
    session: SessionName,
    words: &str,
) -> Result<TurnResponse, Failure> {
    let text = fit_bounds("message", words.to_owned())?;
    Ok(client.say(&SayRequest { session, text })?)
}

fn find_only_session(client: &OperatorClient, words: &str) -> Result<SessionName, Failure> {
    let open = client.list_sessions()?.sessions;
    let name = |session: &SessionView| format!("{}/{}", session.agent, session.session);
    match open.as_slice() {
        [] => Err(Failure::usage("no session is open", "an agent opens one with its first call")),
        [only] => SessionName::parse(&name(only))
            .map_err(|error| Failure::usage(error.to_string(), "name a session")),
        several => {
            let names: Vec<String> = several.iter().map(name).collect();
            let message = format!("several sessions are open: {}", names.join(", "));
            Err(Failure::usage(message, format!("name one: /say SESSION {words}")))
        }
    }
}

/// The reply to a turn. Words that Countersign does not know still count as a turn.
fn describe_turn(response: &TurnResponse) -> Vec<String> {
    match response.lines.is_empty() {
        true => vec!["noted as a turn; these words change no consent".to_owned()],
        false => response.lines.clone(),
    }
}
