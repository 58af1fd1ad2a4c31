//! The rules of a repository beside the graph: found, read and put in force for one step.
//!
//! The file is read again for every step, so a change holds at once. What was read before is kept, by
//! the hash of its content. The operator's own version of the graph is never changed.
//!
//! See docs/decisions/0137-a-repositorys-rules-are-a-layer.md.

use crate::active_rules::ActiveRules;
use crate::attempt_session::find_session;
use crate::layer_versions::LayerTrust;
use crate::{Engine, EngineError, ReadScope, RowKey, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::{Change, LayerSighting};
use countersign_core::model::graph::{AppliedLayer, Graph, LayerStanding};
use countersign_core::model::names::{Agent, Project, SessionKey};
use countersign_core::model::session_place::SessionFolders;
use countersign_core::model::time::Time;
use countersign_core::state::State;
use countersign_core::steps::notice::layer_alert;
use countersign_graph::layer::{Layer, apply_layer, hash_layer, parse_layer};
use countersign_graph::policies::{self, PolicyFile};
use countersign_observe::{LayerFile, find_session_place, read_layer_file};
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Sets who says which versions of a repository's rules the operator has accepted. Without it, none.
    pub fn with_layer_trust(mut self, trust: LayerTrust) -> Self {
        self.layer_trust = trust;
        self
    }

    /// The graph that decides in a folder: the operator's, with the rules of the folder's repository.
    pub fn graph_for(&self, folder: &Project) -> Result<Option<Arc<Graph>>, EngineError> {
        let place = find_session_place(self.file_system.as_ref(), folder, self.home.as_deref());
        let root = find_root(Some(&place.project), &place.folders);
        let rules = self.active_rules()?.map(|rules| self.add_layer(&rules, root));
        Ok(rules.map(|rules| Arc::clone(&rules.graph)))
    }

    /// The rules for a step in the sessions of its scope.
    pub(crate) fn rules_for_step(
        &self,
        scope: &ReadScope,
        state: &State,
        now: Time,
    ) -> Result<Option<Arc<ActiveRules>>, EngineError> {
        let Some(rules) = self.active_rules()? else { return Ok(None) };
        let root = match find_step_session(scope, state) {
            None => None,
            Some(session) => match (state.open_session(session, now), &scope.opener) {
                (Some(open), _) => find_root(open.project.as_ref(), &open.folders),
                (None, Some(opener)) => opener
                    .place
                    .as_ref()
                    .and_then(|place| find_root(Some(&place.project), &place.folders)),
                (None, None) => None,
            },
        };
        Ok(Some(self.add_layer(&rules, root)))
    }

    /// The same for a folder in which a session works or will work.
    pub(crate) fn rules_in(
        &self,
        folder: Option<&str>,
    ) -> Result<Option<Arc<ActiveRules>>, EngineError> {
        let Some(rules) = self.active_rules()? else { return Ok(None) };
        let folder = folder.and_then(|folder| Project::parse(folder).ok());
        let place = folder.as_ref().map(|folder| {
            find_session_place(self.file_system.as_ref(), folder, self.home.as_deref())
        });
        let root = place.as_ref().and_then(|place| find_root(Some(&place.project), &place.folders));
        Ok(Some(self.add_layer(&rules, root)))
    }

    fn add_layer(&self, rules: &Arc<ActiveRules>, root: Option<&str>) -> Arc<ActiveRules> {
        let Some(root) = root else { return Arc::clone(rules) };
        match read_layer_file(self.file_system.as_ref(), root, &self.protected) {
            LayerFile::Absent => Arc::clone(rules),
            LayerFile::Unreadable { path, why } => refuse_unreadable(rules, &path, &why),
            LayerFile::Found { path, bytes } => self.add_layer_file(rules, &path, &bytes),
        }
    }

    fn add_layer_file(
        &self,
        rules: &Arc<ActiveRules>,
        path: &str,
        bytes: &[u8],
    ) -> Arc<ActiveRules> {
        let hash = hash_layer(bytes);
        let find = |standing| rules.layered.find(&(path.to_owned(), hash, standing));
        if let Some(known) = find(LayerStanding::Narrowing) {
            return known;
        }
        let is_trusted = (self.layer_trust)(path, &hash);
        let granted = if is_trusted { LayerStanding::Trusted } else { LayerStanding::Ignored };
        if let Some(known) = find(granted) {
            return known;
        }
        let (standing, layered) = match parse_layer(path, bytes) {
            Err(problems) => {
                let graph = rules.graph.with_ignored_layer(hash, &problems.to_string());
                (LayerStanding::Ignored, rules.with_graph(graph))
            }
            Ok(layer) => match layer.untrusted_parts(path) {
                None => (
                    LayerStanding::Narrowing,
                    combine(rules, &layer, path, LayerStanding::Narrowing),
                ),
                Some(_) if is_trusted => (granted, combine(rules, &layer, path, granted)),
                Some(parts) => {
                    let graph = rules.graph.with_ignored_layer(hash, &parts.to_string());
                    (granted, rules.with_graph(graph))
                }
            },
        };
        let layered = Arc::new(layered);
        rules.layered.keep((path.to_owned(), hash, standing), &layered);
        layered
    }

    /// Records the layer that decided, if the session of the decision has not met it yet, and alerts
    /// the operator if it does not count.
    pub(crate) fn see_layer(facts: &Facts, rules: Option<&ActiveRules>, changes: &mut Vec<Change>) {
        let is_decision = |change: &&Change| matches!(change, Change::CallDecided { .. });
        let Some(rules) = rules.filter(|_| changes.iter().any(|change| is_decision(&change)))
        else {
            return;
        };
        let opened = changes.iter().position(|c| matches!(c, Change::SessionOpened { .. }));
        let owner = match opened.and_then(|at| changes.get(at)) {
            Some(Change::SessionOpened { session, agent, .. }) => {
                Some((session.clone(), agent.clone()))
            }
            _ => changes.iter().find_map(|change| find_decided_session(facts, change)),
        };
        let Some((session, agent)) = owner else { return };
        let known = facts.state.open_session(&session, facts.now).and_then(|open| open.layer);
        let layer = rules.graph.layer.as_deref();
        if layer.map(|layer| layer.of) == known {
            return;
        }
        let seen = layer.map(|layer| Box::new(describe_sighting(layer, rules)));
        let alert = layer.filter(|layer| !layer.why.is_empty()).map(|layer| {
            let why = describe_refusal(layer);
            layer_alert(facts, (session.clone(), agent), layer.of.hash, &why)
        });
        let at = opened.map_or(0, |at| at.saturating_add(1));
        changes.splice(at..at, std::iter::once(Change::LayerSeen { session, layer: seen }));
        changes.extend(alert);
    }
}

/// What the operator is told about rules that are not in force.
fn describe_refusal(layer: &AppliedLayer) -> String {
    match layer.of.standing {
        LayerStanding::Unreadable => format!(
            "the rules of a repository cannot be read, so everything asks there: {}",
            layer.why
        ),
        LayerStanding::Ignored | LayerStanding::Narrowing | LayerStanding::Trusted => format!(
            "the rules of a repository are not in force, your own graph decides alone: {}; read the \
             file, then run `countersign graph trust` there",
            layer.why
        ),
    }
}

fn describe_sighting(layer: &AppliedLayer, rules: &ActiveRules) -> LayerSighting {
    LayerSighting { of: layer.of, why: layer.why.clone(), text: rules.layer_text.clone() }
}

fn find_decided_session(facts: &Facts, change: &Change) -> Option<(SessionKey, Agent)> {
    let Change::CallDecided { attempt, .. } = change else { return None };
    let session = find_session(facts.state, attempt)?;
    let agent = facts.state.open_session(&session, facts.now)?.agent.clone();
    Some((session, agent))
}

/// The session that a step is about: the first that its scope names, or that of a row.
fn find_step_session<'a>(scope: &'a ReadScope, state: &'a State) -> Option<&'a SessionKey> {
    let of_row = |row: &RowKey| match row {
        RowKey::Call(id) => state.calls.get(id).map(|record| &record.call.session),
        RowKey::Request(id) => state.requests.get(id).map(|request| &request.session),
        RowKey::Run(id) => state.runs.get(id).map(|run| &run.session),
        RowKey::Proposal(id) => state.proposals.get(id).map(|proposal| &proposal.session),
        RowKey::Grant(_) | RowKey::Notice(_) => None,
    };
    scope.sessions.first().or_else(|| scope.rows.iter().find_map(of_row))
}

/// The root of the worktree in which a session works, or its folder outside of a repository.
fn find_root<'a>(project: Option<&'a Project>, folders: &'a SessionFolders) -> Option<&'a str> {
    folders.root.as_deref().or_else(|| project.map(Project::as_str))
}

/// The rules with those of a layer. What cannot be combined asks.
fn combine(rules: &ActiveRules, layer: &Layer, path: &str, standing: LayerStanding) -> ActiveRules {
    let merged = apply_layer(&rules.graph, layer, standing);
    let compiled = compile_policies(rules, &merged)
        .and_then(|policies| ActiveRules::compile(merged, policies, rules.source.clone()));
    match compiled {
        Ok(mut compiled) => {
            compiled.layer_text = Some(layer.text.clone());
            compiled
        }
        Err(error) => {
            rules.with_graph(rules.graph.with_unreadable_layer(&format!("{path}: {error}")))
        }
    }
}

fn refuse_unreadable(rules: &ActiveRules, path: &str, why: &str) -> Arc<ActiveRules> {
    let graph = rules.graph.with_unreadable_layer(&format!("{path}: {why}"));
    Arc::new(rules.with_graph(graph))
}

/// The policies stand beside the tier lists, so they are compiled again with those that hold.
fn compile_policies(
    rules: &ActiveRules,
    merged: &Graph,
) -> Result<Option<Arc<policies::CompiledPolicies>>, EngineError> {
    if rules.policies.is_none() {
        return Ok(None);
    }
    let files = rules.source.iter().flat_map(|source| &source.rules);
    let files: Vec<PolicyFile> = files
        .map(|(name, text)| PolicyFile {
            name: name.clone(),
            display_path: name.clone(),
            bytes: text.clone().into_bytes(),
        })
        .collect();
    let wrong = "your policies cannot be combined with the rules of this repository";
    let compiled = policies::compile(merged, &files);
    compiled.map(|found| Some(Arc::new(found))).map_err(|_| EngineError::Setup(wrong.to_owned()))
}
