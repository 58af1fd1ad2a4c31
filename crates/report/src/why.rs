//! `countersign why`: explains a decision from the ledger. No daemon is needed.
//!
//! Every fact comes from recorded entries: the decision with its reason, and what followed from it.
//! Nothing is decided again.

mod find;
mod history;
mod render;
mod search;

use crate::record::{RecordOption, ReportContext};
use clap::{ArgGroup, Args};
use countersign_console::{Exit, Failure, Page, out};
use countersign_core::model::call::Call;
use countersign_core::model::decision::Decision;
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_engine::StoreReader;
use history::{DecisionHistory, SubjectSummary};
use std::sync::Arc;

/// The decision that is explained.
#[derive(Clone, Copy, Debug)]
pub enum DecisionQuery<'a> {
    /// About an object with this id, or with an id that begins or ends like this.
    Id(&'a str),
    LastAsked,
    /// The last one that passed without asking.
    LastSkipped,
}

#[derive(Args)]
#[command(
    about = "Show why a call was allowed, asked or denied",
    before_help = "\
Examples:
  countersign why r3e22a1           a call or a request
  countersign why --last-asked      the last call that needed an answer
  countersign why --last-skipped    the last call that passed without asking
  countersign why --last-skipped --json | jq .reason

It shows what was recorded with the decision: the reason, the rule or grant behind it, what would
have changed it, the graph in force, and the answer. It does not decide again."
)]
#[command(group(ArgGroup::new("what").required(true).args(["id", "last_asked", "last_skipped"])))]
pub struct WhyArgs {
    /// The id of a call, request, run or proposal, or its beginning or end
    pub(crate) id: Option<String>,
    /// The last call that needed an answer
    #[arg(long)]
    pub(crate) last_asked: bool,
    /// The last call that passed without asking
    #[arg(long)]
    pub(crate) last_skipped: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub fn why(args: &WhyArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let record = args.record.open_reader(&context.record)?;
    let query = match &args.id {
        Some(id) => DecisionQuery::Id(id),
        None if args.last_asked => DecisionQuery::LastAsked,
        None => DecisionQuery::LastSkipped,
    };
    if args.json {
        out::show_json(&render::explanation_json(&load_history(&*record, query)?))?;
    } else {
        out::show(&explain_decision(&*record, query)?)?;
    }
    Ok(Exit::Allowed)
}

pub fn explain_decision(
    record: &dyn StoreReader,
    query: DecisionQuery<'_>,
) -> Result<Page, Failure> {
    Ok(render::explanation_page(&load_history(record, query)?))
}

fn load_history(
    record: &dyn StoreReader,
    query: DecisionQuery<'_>,
) -> Result<DecisionHistory, Failure> {
    DecisionHistory::load(record, &find::find_decision(record, query)?)
}

/// What a review needs to know about a decision.
pub(crate) struct ReviewedDecision {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) agent: Agent,
    pub(crate) session: SessionName,
    pub(crate) call: Option<Arc<Call>>,
    pub(crate) decision: Decision,
    pub(crate) seq: u64,
}

impl ReviewedDecision {
    pub(crate) fn is_of_session(&self, session: &SessionKey) -> bool {
        *session == SessionKey::new(&self.agent, &self.session)
    }
}

/// The decision about an object, to be reviewed.
pub(crate) fn load_reviewed(
    record: &dyn StoreReader,
    query: DecisionQuery<'_>,
) -> Result<ReviewedDecision, Failure> {
    let history = load_history(record, query)?;
    let explained = history.explained().map(|one| (one.seq, one.decision.clone()));
    let Some((seq, decision)) = explained else {
        return Err(Failure::new("the record has no decision about this", find::LIST));
    };
    let SubjectSummary { session, agent, call, text } = history.summary;
    let id = history.subject.id_text();
    Ok(ReviewedDecision { id, text, agent, session, call, decision, seq })
}
