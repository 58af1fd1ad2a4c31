//! Makes the decision of a check with the engine, as for any call, on an empty store.
//!
//! It assumes a reachable surface and names no recipient, and nothing is stored. Policies test
//! arguments, so they are evaluated only with a target.

use super::CheckArgs;
use crate::{RulesContext, folder_project};
use countersign_console::Failure;
use countersign_core::model::call::CallDraft;
use countersign_core::model::decision::Decision;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::{Action, Agent, NameError, SessionKey, SessionName};
use countersign_setup::GraphFile;
use std::sync::Arc;

pub(super) fn decide_check(
    file: &GraphFile,
    action: &Action,
    confidence: f64,
    args: &CheckArgs,
    context: &RulesContext,
) -> Result<(Decision, Arc<Graph>), Failure> {
    let mut loaded = file.loaded.clone();
    if args.targets.is_empty() {
        loaded.policies = None;
    }
    let engine = context.open_engine(args.daemon.path.as_deref(), file, loaded)?;
    let mut draft = draft(action, confidence)
        .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
    draft.target.clone_from(&args.targets);
    let folder = folder_project(args.workspace.as_deref())?;
    let graph = engine.graph_for(&folder)?;
    draft.project = Some(folder);
    let graph = graph.unwrap_or_else(|| Arc::new(file.loaded.graph.clone()));
    Ok((engine.decide_hypothetical(&draft)?, graph))
}

/// A call with an action and a confidence, and nothing else.
fn draft(action: &Action, confidence: f64) -> Result<CallDraft, NameError> {
    let (agent, session) = (Agent::parse("check")?, SessionName::parse("check")?);
    let session = SessionKey::new(&agent, &session);
    let mut draft = CallDraft::plain(agent, session, action.clone());
    draft.claims.confidence = confidence;
    Ok(draft)
}
