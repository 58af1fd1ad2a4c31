//! The decision behind a check, made by the engine as for any call, over an empty store.
//!
//! A reachable surface is assumed, no recipient is named, and nothing is kept. Policies are about
//! arguments, so that they are asked only where a target is named.

use crate::args::CheckArgs;
use crate::clock::{NothingKept, SystemClock};
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::settings::Settings;
use countersign_core::model::call::CallDraft;
use countersign_core::model::decision::Decision;
use countersign_core::model::names::{Action, Agent, NameError, Project, SessionName};
use countersign_core::model::words::Surface;
use countersign_engine::{Engine, Memory};
use std::path::Path;

pub(super) fn decided(
    file: &GraphFile,
    action: &Action,
    args: &CheckArgs,
    settings: &Settings,
) -> Result<Decision, Failure> {
    let graph = file.loaded.graph.clone();
    let policies = file.loaded.policies.clone().filter(|_| !args.targets.is_empty());
    let engine = Engine::new(Memory::empty(), Box::new(SystemClock), Box::new(NothingKept))
        .look_at(Box::new(settings.disk()))
        .at_home(settings.home.clone());
    engine.load_with(graph, policies)?;
    engine.serve(|_| Ok(()))?;
    engine.set_surface(Surface::Reachable)?;
    let mut draft = draft(action, args.confidence)
        .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
    if !args.targets.is_empty() {
        draft.target.clone_from(&args.targets);
        draft.project = Some(workspace(args.workspace.as_deref())?);
    }
    Ok(engine.suppose(&draft)?)
}

/// The folder that relative paths begin in, as a project.
fn workspace(given: Option<&Path>) -> Result<Project, Failure> {
    let help = "name the folder with `--workspace DIR`";
    let given = given.unwrap_or(Path::new("."));
    let folder =
        std::path::absolute(given).map_err(|error| Failure::file(("find", given), &error, help))?;
    let text = folder.to_str().unwrap_or_default();
    Project::parse(text).map_err(|error| Failure::new(error.to_string(), help))
}

/// A call with nothing in it but its action: untrusted channel, no target, no claims.
fn draft(action: &Action, confidence: f64) -> Result<CallDraft, NameError> {
    let (agent, session) = (Agent::parse("check")?, SessionName::parse("check")?);
    let mut draft = CallDraft::plain(agent, session, action.clone());
    draft.claims.confidence = confidence;
    Ok(draft)
}
