//! The command lines of `approve` and `decline`.

use crate::daemon_option::DaemonOption;
use clap::Args;
use countersign_core::model::limits::SESSION_GRANT;
use countersign_core::model::names::Action;
use countersign_core::model::time::Span;
use countersign_core::model::words::{Choice, Covers};

#[derive(Args)]
#[command(
    about = "Approve a request",
    before_help = "\
Examples:
  countersign approve r7f2a1c                       this exact call, once
  countersign approve r7f2a1c --for 2h
  countersign approve r7f2a1c --for session --covers actions
  countersign approve r7f2a1c --session --note 'only in tests'
  countersign approve r7f2a1c --confirm '42.00 USD'  if the card asks for it
  countersign approve r7f2a1c --item files.write=session --item git.commit=once
  countersign approve r7f2a1c --all-moderate --session   every item of the card

It shows the card first, and the answer is for exactly that card: if the request changes in
between, the answer is refused. If the card leaves something out, a yes at high risk counts only
after `countersign show --full`.

A card with several items takes an answer to each of them: `--item` names the choice for one action
(once, task, 15m, session, project or decline), and what is not named stays open."
)]
pub(crate) struct ApproveArgs {
    /// The id of the request, or its beginning or end
    pub(crate) id: String,
    /// This exact call, once; the default
    #[arg(long, group = "choice")]
    pub(crate) once: bool,
    /// For the rest of this run
    #[arg(long, group = "choice")]
    pub(crate) task: bool,
    /// For this time: 15m, 2h, a day at most; or `session` or `project`
    #[arg(long = "for", value_name = "TIME", group = "choice", value_parser = parse_lasting)]
    pub(crate) lasting: Option<GrantLasting>,
    /// For this session
    #[arg(long, group = "choice")]
    pub(crate) session: bool,
    /// For this project
    #[arg(long, group = "choice")]
    pub(crate) project: bool,
    /// The choice for one action of a card with several items, as ACTION=CHOICE
    #[arg(long = "item", value_name = "ACTION=CHOICE", value_parser = parse_item)]
    #[arg(conflicts_with_all = ["choice", "all_moderate"])]
    pub(crate) items: Vec<(Action, Choice)>,
    /// Every item of the card, which must all be of moderate risk at most
    #[arg(long)]
    pub(crate) all_moderate: bool,
    /// How far a yes for some time to a command line goes: `command` (the default), `head` for any
    /// command with the same program and subcommand, `actions` for what its classes name
    #[arg(long, value_name = "WHAT", value_parser = parse_covers)]
    #[arg(requires = "choice", conflicts_with_all = ["once", "task"])]
    pub(crate) covers: Option<Covers>,
    /// A note for the agent
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
    /// The text that the card asks for, or `yes` as a second confirmation
    #[arg(long, value_name = "TEXT")]
    pub(crate) confirm: Option<String>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(
    about = "Decline a request",
    before_help = "\
Examples:
  countersign decline r7f2a1c
  countersign decline r7f2a1c --note 'use the staging account'
  countersign decline r7f2a1c --stop

It declines all of the card: of a card with several items, every one."
)]
pub(crate) struct DeclineArgs {
    /// The id of the request, or its beginning or end
    pub(crate) id: String,
    /// A note for the agent
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
    /// Also stop the session, which ends its grants
    #[arg(long)]
    pub(crate) stop: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

/// How long a yes lasts.
#[derive(Clone, Copy)]
pub(crate) enum GrantLasting {
    Time(Span),
    Session,
    Project,
}

impl ApproveArgs {
    /// The time that was named, if it was a time.
    pub(crate) fn time(&self) -> Option<Span> {
        match self.lasting {
            Some(GrantLasting::Time(time)) => Some(time),
            Some(GrantLasting::Session | GrantLasting::Project) | None => None,
        }
    }
}

fn parse_lasting(text: &str) -> Result<GrantLasting, String> {
    match text {
        "session" => Ok(GrantLasting::Session),
        "project" => Ok(GrantLasting::Project),
        text => parse_grant_time(text).map(GrantLasting::Time),
    }
}

/// A time up to the longest that a yes for some time may last.
fn parse_grant_time(text: &str) -> Result<Span, String> {
    let time = Span::parse(text).ok_or("write a time such as 15m or 2h")?;
    match time {
        time if time <= Span::seconds(0) => Err("it has to be more than nothing".to_owned()),
        time if time > SESSION_GRANT => Err("a yes lasts a day at most: 24h".to_owned()),
        time => Ok(time),
    }
}

/// One item of a card and the choice for it, as `files.write=once`.
fn parse_item(text: &str) -> Result<(Action, Choice), String> {
    let (action, choice) =
        text.split_once('=').ok_or("write ACTION=CHOICE, for example files.write=once")?;
    let action = Action::parse(action).map_err(|error| error.to_string())?;
    let choice = match choice {
        "task" => Some(Choice::Run),
        word => Choice::from_word(word),
    };
    let choices = "once, task, 15m, session, project or decline";
    choice.map(|choice| (action, choice)).ok_or_else(|| format!("a choice is {choices}"))
}

fn parse_covers(text: &str) -> Result<Covers, String> {
    Covers::from_word(text).ok_or_else(|| "write command, head or actions".to_owned())
}
