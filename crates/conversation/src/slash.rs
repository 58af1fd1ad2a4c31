//! Slash commands: a gesture if the operator types one, a request if an agent reports one.

use crate::ProcessedTurn;
use crate::standing::{ReportedGrant, ask_operator};
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::{Change, Gesture};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::ids::GestureId;
use countersign_core::model::limits;
use countersign_core::model::names::{Action, SessionKey};
use countersign_core::model::request::{SlashAction, Subject};
use countersign_core::model::turn::TurnResult;
use countersign_core::model::words::{Choice, Risk};
use countersign_core::steps::grant_directly::find_refusal;
use serde_json::json;

/// The actions that the graph lists for a slash command; none for an unknown one.
fn declared_actions<'a>(facts: &Facts<'a>, name: &str) -> &'a [Action] {
    facts.graph.and_then(|graph| graph.slash.get(name)).map_or(&[], Vec::as_slice)
}

/// The operator typed a slash command: makes a gesture for its actions.
pub(super) fn make_gesture(facts: &Facts, session: &SessionKey, name: &str) -> ProcessedTurn {
    let declares = declared_actions(facts, name);
    if declares.is_empty() {
        return ProcessedTurn::nothing();
    }
    let gesture = Gesture {
        id: GestureId::generate(facts.ids),
        session: session.clone(),
        declares: declares.to_vec(),
        shows: None,
        ends_at: facts.now + limits::GESTURE,
        node: facts.node.clone(),
        surface: None,
    };
    let actions: Vec<_> = declares.iter().map(ToString::to_string).collect();
    let line = format!("/{name}: covers {} for {}", actions.join(", "), limits::GESTURE);
    let id = gesture.id;
    let changes = vec![Change::GestureMade { gesture: Box::new(gesture) }];
    ProcessedTurn { heard: TurnResult::Nothing, lines: vec![line], gesture: Some(id), changes }
}

/// An agent says that the operator typed a slash command. This makes no gesture: the operator is
/// asked about each of its actions instead, once.
pub(super) fn ask_about_reported(facts: &Facts, session: &SessionKey, name: &str) -> ProcessedTurn {
    let (mut lines, mut changes) = (Vec::new(), Vec::new());
    for action in declared_actions(facts, name) {
        let terms = (Scope::Once, Confirmation::Plain);
        if let Some(why) = find_refusal(facts.graph, &Coverage::Action(action.clone()), terms) {
            lines.push(format!("Not asked about {action}: {why}"));
            continue;
        }
        match ask_about_action(facts, session, name, action) {
            Some(_) if changes.len() >= facts.remaining_questions(session) => {
                lines.push(format!("Not asked about {action}: too many questions are open"));
            }
            Some(change) => {
                lines.push(format!("/{name} waits for the operator's answer about {action}"));
                changes.push(change);
            }
            None => lines.push(format!("Not asked about {action} again")),
        }
    }
    ProcessedTurn::new(TurnResult::Nothing, lines, changes)
}

fn ask_about_action(
    facts: &Facts,
    session: &SessionKey,
    name: &str,
    action: &Action,
) -> Option<Change> {
    let open = facts.state.open_session(session, facts.now)?;
    let form = |session: Option<&SessionKey>| {
        let (agent, project) = (&open.agent, &open.project);
        json!({
            "agent": agent, "session": session.map(SessionKey::name), "project": project,
            "slash": name, "action": action,
        })
    };
    let digest =
        |form| Some(Digest::hash_value("countersign/slash/v1", &form).ok()?.keyed(facts.key));
    let risk = facts.graph.and_then(|graph| graph.rule(action)).map_or(Risk::High, |r| r.risk);
    let subject = Subject::Slash(SlashAction { name: name.to_owned(), action: action.clone() });
    let question = ReportedGrant {
        subject,
        digest: digest(form(Some(session)))?,
        lasting: digest(form(None))?,
        risk,
        choice: Choice::Once,
    };
    ask_operator(facts, session, question)
}
