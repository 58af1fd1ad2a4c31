//! A graph in force, a session with a hundred live grants, and calls to decide.

use crate::graph::{CATEGORY, GeneratedKind};
use crate::{Size, WorldResult};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::call::{Call, CallDraft, Parking};
use countersign_core::model::category::Category;
use countersign_core::model::change::Change;
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::names::{Action, Agent, Project, SessionKey};
use countersign_core::model::session_place::SessionFolders;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Assurance, Reason, Surface, Tier};
use countersign_core::state::State;
use countersign_core::steps::resolve::resolve_call;
use countersign_core::steps::settle::create_direct_grant;
use countersign_graph::{Format, load_graph};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The instant of every decision here: 2026-01-05T09:00:00Z.
const NOW: Time = Time::from_micros(1_767_603_600_000_000);
/// Different calls of each path, so that no lookup meets the same key twice in a row.
const CALLS: usize = 512;
/// Of the hundred grants, those that name actions; as many name calls, commands and categories.
const GRANTS_OF_A_KIND: usize = 25;

/// The ways that are measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Path {
    Autonomous,
    GrantedByAction,
    GrantedByCategory,
    Ask,
}

pub struct World {
    size: Size,
    graph: Graph,
    state: State,
    ids: IdGenerator,
    agent: Agent,
    session: SessionKey,
    project: Project,
}

impl World {
    pub fn new(size: Size) -> WorldResult<World> {
        let loaded = load_graph("generated.json", size.json().as_bytes(), Format::Json)?;
        let mut world = World {
            size,
            graph: loaded.graph,
            state: State::empty(),
            ids: IdGenerator::new(NOW, 7),
            agent: Agent::parse("assistant")?,
            session: SessionKey::parse("assistant session-of-monday")?,
            project: Project::parse("minutes")?,
        };
        let (session, agent) = (world.session.clone(), world.agent.clone());
        let project = Some(world.project.clone());
        let folders = SessionFolders::default();
        world.state.apply(NOW, &Change::SessionOpened { session, agent, project, folders });
        for coverage in world.coverages()? {
            world.grant(coverage);
        }
        Ok(world)
    }

    pub fn facts(&self) -> Facts<'_> {
        Facts {
            now: NOW,
            ids: &self.ids,
            graph: Some(&self.graph),
            state: &self.state,
            surface: Surface::Reachable,
            assurance: Assurance::Separated,
            questions: countersign_core::model::open_questions::OpenQuestions::none(
                countersign_core::model::open_questions::QuestionLimits::default(),
            ),
            protected: &[],
            ruled: &countersign_core::model::rule_results::NO_RULE_RESULTS,
            key: None,
            node: countersign_core::model::names::NodeName::local(),
            place: None,
        }
    }

    /// The bare tiers, as a program without consent would keep them.
    pub fn tiers(&self) -> HashMap<String, Tier> {
        self.graph.rules.iter().map(|(action, rule)| (action.to_string(), rule.tier)).collect()
    }

    /// Calls that are all decided this way; it is an error if one is not.
    pub fn calls(&self, path: Path) -> WorldResult<Vec<Call>> {
        let actions = self.actions(path)?;
        let mut calls = Vec::with_capacity(CALLS);
        for (number, action) in actions.iter().cycle().take(CALLS).enumerate() {
            let call = resolve_call(&self.facts(), self.draft(action.clone(), number))?;
            let decision = decide(&self.facts(), &call);
            if decision.reason != path.reason() {
                return Err(format!("{action} is decided as {}", decision.reason).into());
            }
            calls.push(call);
        }
        Ok(calls)
    }

    /// Calls of every path in turn.
    pub fn mixed(&self) -> WorldResult<Vec<Call>> {
        let mut calls = Vec::new();
        for path in Path::ALL {
            calls.extend(self.calls(path)?.into_iter().step_by(Path::ALL.len()));
        }
        Ok(calls)
    }

    /// A call whose arguments are those of a mail: 400 bytes of JSON, give or take a few.
    pub fn draft(&self, action: Action, number: usize) -> CallDraft {
        let mut draft = CallDraft::plain(self.agent.clone(), self.session.clone(), action);
        draft.args = arguments(number);
        draft.target = vec!["ana@example.org".to_owned()];
        draft.claims.confidence = 0.5;
        draft.parking = Parking::Allowed;
        draft
    }

    /// Spread over the whole graph, so that a large one is met as a large one.
    fn actions(&self, path: Path) -> WorldResult<Vec<Action>> {
        let all = self.size.actions(path.kind())?;
        let apart = (all.len() / GRANTS_OF_A_KIND).max(2);
        let granted = |number: &usize| number.is_multiple_of(apart);
        let wanted = |number: &usize| match path {
            Path::Autonomous | Path::GrantedByCategory => true,
            Path::GrantedByAction => granted(number),
            Path::Ask => !granted(number),
        };
        let numbered = all.iter().enumerate().filter(|(number, _)| wanted(number));
        let chosen: Vec<&Action> = numbered.map(|(_, action)| action).collect();
        let step = (chosen.len() / CALLS).max(1);
        Ok(chosen.into_iter().step_by(step).cloned().collect())
    }

    fn coverages(&self) -> WorldResult<Vec<Coverage>> {
        let actions = self.actions(Path::GrantedByAction)?;
        let mut coverages = Vec::new();
        for number in 0..GRANTS_OF_A_KIND {
            let action = actions.get(number % actions.len()).ok_or("the graph is too small")?;
            let words = ["git", "push", "origin", &format!("branch-{number}")];
            let name = if number == 0 { CATEGORY.into() } else { format!("tool:{number}") };
            coverages.extend([
                Coverage::Action(action.clone()),
                Coverage::Digest {
                    digest: Digest::hash_bytes("decide-probe", &number.to_be_bytes()),
                    action: action.clone(),
                },
                Coverage::Command {
                    argv: words.map(str::to_owned).to_vec(),
                    cwd: None,
                    action: None,
                },
                Coverage::Category(Category::parse(&name)?),
            ]);
        }
        Ok(coverages)
    }

    fn grant(&mut self, coverage: Coverage) {
        let project = Some(&self.project);
        let holder = Holder { session: &self.session, agent: &self.agent, project };
        let terms = (Scope::Session, None, Confirmation::Plain);
        let (grant, _) = create_direct_grant(&self.facts(), &holder, coverage, terms);
        self.state.apply(NOW, &Change::GrantMinted { grant: Box::new(grant) });
    }
}

impl Path {
    pub const ALL: [Self; 4] =
        [Self::Autonomous, Self::GrantedByAction, Self::GrantedByCategory, Self::Ask];

    fn kind(self) -> GeneratedKind {
        match self {
            Self::Autonomous => GeneratedKind::Autonomous,
            Self::GrantedByAction | Self::Ask => GeneratedKind::Asked,
            Self::GrantedByCategory => GeneratedKind::Categorised,
        }
    }

    fn reason(self) -> Reason {
        match self {
            Self::Autonomous => Reason::Autonomous,
            Self::GrantedByAction | Self::GrantedByCategory => Reason::Granted,
            Self::Ask => Reason::NoGrant,
        }
    }
}

/// Arguments of a usual size: a mail with two recipients.
pub fn arguments(number: usize) -> Value {
    json!({
        "to": ["ana@example.org", "bo@example.org"],
        "subject": format!("Minutes of Monday, part {number}"),
        "body": "The minutes are attached. Corrections by Friday, please, to both of us. \
                 Item four was moved to the next meeting, as Bo asked; nothing else did.",
        "attachments": [{ "name": "minutes.pdf", "bytes": 48_213 }],
        "importance": 0.5,
    })
}
