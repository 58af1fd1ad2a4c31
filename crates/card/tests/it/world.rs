//! A decided call and its card.

use countersign_card::{Card, View, card};
use countersign_commands::analyse;
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::change::Change;
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::grant::Scope;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::Fresh;
use countersign_core::model::imported::Imported;
use countersign_core::model::names::{Action, Agent, Project, SessionName, Tool, Workflow};
use countersign_core::model::proposal::{Diff, ProposalDraft};
use countersign_core::model::request::{Ahead, Attendance, Request};
use countersign_core::model::ruled::NOTHING;
use countersign_core::model::time::Time;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Channel, Risk, Surface};
use countersign_core::state::State;
use countersign_core::steps::ask_ahead::ask_ahead;
use countersign_core::steps::conversation::{Turn, say};
use countersign_core::steps::import::import_grants;
use countersign_core::steps::propose::propose;
use countersign_core::steps::record::{opening, record};
use countersign_core::steps::resolve::resolve_call;
use countersign_core::steps::settle::Holder;
use countersign_core::steps::start_run::start_run;
use countersign_graph::Format;
use serde_json::Value;
use std::sync::Arc;

const GRAPH: &str = "
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {categories: [shell_exec]}}}
  files:
    autonomous: []
    requires_approval: [write, delete]
    blocked: []
    actions:
      write: {categories: [filesystem_write], reversible: true}
      delete: {categories: [filesystem_delete]}
  email: {autonomous: [], requires_approval: [send], blocked: [], actions: {send: {categories: [send_email]}}}
  bank: {autonomous: [], requires_approval: [pay], blocked: [], actions: {pay: {categories: [purchase]}}}
  web: {autonomous: [], requires_approval: [fetch], blocked: [], actions: {fetch: {categories: [http_fetch]}}}
  vault: {autonomous: [], requires_approval: [read], blocked: [], actions: {read: {categories: [account_or_security_change]}}}
  self_modification:
    autonomous: []
    requires_approval: [propose_behavioral_change]
    blocked: []
    trusted_channel_required: [propose_behavioral_change]
    require_diff: true
workflows:
  release: {actions: [shell.run, email.send]}
slash: {announce: [email.send]}
tools:
  Bash: {actions: [shell.run], command: /command}
  Edit: {actions: [files.write], target: /file_path}
  rm: {actions: [files.delete], target: /paths}
  mail: {actions: [email.send], target: /to}
  pay: {actions: [bank.pay], target: /payee, amount: /amount}
  fetch: {actions: [web.fetch], target: /url}
  vault: {actions: [vault.read], target: /name}
";

fn graph() -> Graph {
    countersign_graph::load_graph("graph.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap().graph
}

/// A call of a tool, as an agent makes it.
pub fn draft(tool: &str, args: Value) -> CallDraft {
    let graph = graph();
    let mapping = graph.tool(tool);
    let action = mapping.map_or(Action::parse("mcp.unknown").unwrap(), |m| m.actions[0].clone());
    let agent = Agent::parse("coder").unwrap();
    let mut draft = CallDraft::plain(agent, SessionName::parse("s1").unwrap(), action);
    draft.project = Some(Project::parse("shop").unwrap());
    draft.tool = Some(Tool::parse(tool).unwrap());
    if let Some(pointer) = mapping.and_then(|mapping| mapping.command.as_ref()) {
        let line = args.pointer(pointer).and_then(Value::as_str).unwrap();
        draft.command = Some(analyse(line, Some("/srv/shop")));
    }
    draft.args = args;
    draft
}

/// The card that the call opens.
pub fn shown(draft: CallDraft) -> Card {
    opened(|facts| {
        let mut call = resolve_call(facts, draft.clone()).unwrap();
        call.redact(None);
        let decision = decide(facts, &call);
        record(facts, &Arc::new(call), &decision)
    })
}

/// The card of an old grant that is brought in.
pub fn imported(imported: &Imported) -> Card {
    let (session, agent) = (SessionName::parse("s1").unwrap(), Agent::parse("coder").unwrap());
    let holder = Holder { session: &session, agent: &agent, project: None };
    opened(|facts| import_grants(facts, &holder, &[(imported.clone(), Risk::Moderate)]).1)
}

/// The card of what an agent says that the operator typed.
pub fn reported(text: &str) -> Card {
    opened(|facts| {
        let session = SessionName::parse("s1").unwrap();
        let turn = Turn { session: session.clone(), speaker: Speaker::Agent, text: text.into() };
        let mut changes = opening(facts, &session, &Agent::parse("coder").unwrap(), None);
        let mut state = facts.state.clone();
        changes.iter().for_each(|change| state.apply(facts.now, change));
        let facts = Facts { state: &state, ..*facts };
        changes.extend(say(&facts, &turn, |line| analyse(line, None)).changes);
        changes
    })
}

/// The card of a question that is asked before anything is done.
pub fn asked_ahead(text: &str) -> Card {
    let draft = AheadDraft {
        session: SessionName::parse("s1").unwrap(),
        agent: Agent::parse("coder").unwrap(),
        project: None,
        ahead: Ahead {
            text: text.to_owned(),
            category: None,
            scope: Scope::Session,
            reason: "fewer questions".to_owned(),
            fallback: "I ask each time".to_owned(),
        },
        parking: Parking::Allowed,
    };
    opened(|facts| ask_ahead(facts, &draft).changes)
}

/// The card of a workflow that wants to begin.
pub fn started(workflow: &str) -> Card {
    let draft = StartDraft {
        session: SessionName::parse("s1").unwrap(),
        agent: Agent::parse("coder").unwrap(),
        project: None,
        workflow: Workflow::parse(workflow).unwrap(),
        attendance: Attendance::Attended,
        gesture: None,
        parking: Parking::Allowed,
    };
    opened(|facts| start_run(facts, &draft).changes)
}

/// The card of a change that an agent wants to make to itself.
pub fn proposed(before: &str, after: &str) -> Card {
    let draft = ProposalDraft {
        session: SessionName::parse("s1").unwrap(),
        agent: Agent::parse("coder").unwrap(),
        project: None,
        action: Action::parse("self_modification.propose_behavioral_change").unwrap(),
        channel: Channel::Trusted,
        diff: Some(Diff { before: before.to_owned(), after: after.to_owned() }),
        undo: Some("put the old rule back".to_owned()),
        edits: None,
        parking: Parking::Allowed,
    };
    opened(|facts| propose(facts, &draft).changes)
}

/// The card of the question that these changes open.
fn opened(changes: impl Fn(&Facts) -> Vec<Change>) -> Card {
    let graph = graph();
    let mut state = State::empty();
    let now = Time::parse("2026-01-05T09:00:00Z").unwrap();
    let fresh = Fresh::new(now, 7);
    let changes = {
        let facts = Facts {
            now,
            fresh: &fresh,
            graph: Some(&graph),
            state: &state,
            surface: Surface::Reachable,
            protected: &[],
            ruled: &NOTHING,
            key: None,
            node: countersign_core::model::names::NodeName::local(),
        };
        changes(&facts)
    };
    changes.iter().for_each(|change| state.apply(now, change));
    let opened = changes.iter().find_map(|change| match change {
        Change::RequestOpened { request } => Some(request.id),
        _ => None,
    });
    let request: &Request = state.requests.get(&opened.expect("it asks")).unwrap();
    card(View { graph: Some(&graph), state: &state }, request)
}

/// The card as lines.
pub fn lines(draft: CallDraft) -> String {
    countersign_card::lines(&shown(draft)).join("\n")
}
