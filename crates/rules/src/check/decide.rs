//! Makes the decision of a check with the engine, as for any call, on an empty store.
//!
//! It assumes a reachable surface and names no recipient, and nothing is stored. Policies test
//! arguments, so they are evaluated only with a target.

use super::CheckArgs;
use crate::RulesContext;
use crate::ZeroEntropy;
use countersign_console::Failure;
use countersign_core::model::call::CallDraft;
use countersign_core::model::decision::Decision;
use countersign_core::model::names::{Action, Agent, NameError, Project, SessionKey, SessionName};
use countersign_core::model::words::Surface;
use countersign_engine::{Engine, Memory};
use countersign_setup::GraphFile;
use std::path::Path;

pub(super) fn decide_check(
    file: &GraphFile,
    action: &Action,
    confidence: f64,
    args: &CheckArgs,
    context: &RulesContext,
) -> Result<Decision, Failure> {
    let mut loaded = file.loaded.clone();
    if args.targets.is_empty() {
        loaded.policies = None;
    }
    let engine = Engine::new(Memory::empty(), (context.clock)(), Box::new(ZeroEntropy))
        .with_file_system(Box::new(context.file_system()))
        .with_home(context.home.clone());
    engine.load_graph(loaded)?;
    engine.open(|_| Ok(()))?;
    engine.set_surface(Surface::Reachable)?;
    let mut draft = draft(action, confidence)
        .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
    if !args.targets.is_empty() {
        draft.target.clone_from(&args.targets);
        draft.project = Some(workspace(args.workspace.as_deref())?);
    }
    Ok(engine.decide_hypothetical(&draft)?)
}

/// The folder that relative paths start from, as a project.
fn workspace(option: Option<&Path>) -> Result<Project, Failure> {
    let help = "name the folder with `--workspace DIR`";
    let folder = option.unwrap_or(Path::new("."));
    let absolute =
        std::path::absolute(folder).map_err(|error| Failure::file("find", folder, &error, help))?;
    let text = absolute.to_str().unwrap_or_default();
    Project::parse(text).map_err(|error| Failure::new(error.to_string(), help))
}

/// A call with an action and a confidence, and nothing else.
fn draft(action: &Action, confidence: f64) -> Result<CallDraft, NameError> {
    let (agent, session) = (Agent::parse("check")?, SessionName::parse("check")?);
    let session = SessionKey::new(&agent, &session);
    let mut draft = CallDraft::plain(agent, session, action.clone());
    draft.claims.confidence = confidence;
    Ok(draft)
}
