//! Builds cards for tests: decides a call or another step and renders the request it opens.

use countersign_card::{Card, CardContext, build_card};
use countersign_commands::analyse;
use countersign_conversation::{Turn, say};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::category::Category;
use countersign_core::model::change::Change;
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::Scope;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::{IdGenerator, RequestId};
use countersign_core::model::imported::ImportedGrant;
use countersign_core::model::names::{Action, Agent, Project, SessionKey, Tool, Workflow};
use countersign_core::model::place::{CommandHead, Findings, HeadOptions};
use countersign_core::model::proposal::{Diff, ProposalDraft};
use countersign_core::model::request::{
    Answer, AnswerChoices, AnswerFrom, AskAhead, Attendance, Request,
};
use countersign_core::model::rule_results::{NO_RULE_RESULTS, RuleResults};
use countersign_core::model::session_place::SessionFolders;
use countersign_core::model::time::Time;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Assurance, Channel, Choice, Risk, Surface};
use countersign_core::state::State;
use countersign_core::steps::record::{opening, record};
use countersign_core::steps::resolve::resolve_call;
use countersign_core::steps::settle::settle;
use countersign_graph::Format;
use countersign_operations::ask_ahead::ask_ahead;
use countersign_operations::import::import_grants;
use countersign_operations::propose::propose;
use countersign_operations::start_run::start_run;
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
  buy: {actions: [bank.pay], target: /payee}
  fetch: {actions: [web.fetch], target: /url}
  vault: {actions: [vault.read], target: /name}
";

pub fn load_graph() -> Graph {
    countersign_graph::load_graph("graph.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap().graph
}

/// Drafts a tool call of the agent `coder`.
pub fn draft_call(tool: &str, args: Value) -> CallDraft {
    let graph = load_graph();
    let mapping = graph.tool(tool);
    let action = mapping.map_or(Action::parse("mcp.unknown").unwrap(), |m| m.actions[0].clone());
    let agent = Agent::parse("coder").unwrap();
    let mut draft = CallDraft::plain(agent, SessionKey::parse("coder s1").unwrap(), action);
    draft.project = Some(Project::parse("shop").unwrap());
    draft.tool = Some(Tool::parse(tool).unwrap());
    if let Some(pointer) = mapping.and_then(|mapping| mapping.command.as_ref()) {
        let line = args.pointer(pointer).and_then(Value::as_str).unwrap();
        draft.command = Some(analyse(line, Some("/srv/shop")));
    }
    draft.args = args;
    draft
}

/// The card of the request that a call opens.
pub fn card_for_call(draft: CallDraft) -> Card {
    show_call(&load_graph(), &draft, build_card)
}

/// The card of an imported grant.
pub fn card_for_import(imported: &ImportedGrant) -> Card {
    let (session, agent) = (SessionKey::parse("coder s1").unwrap(), Agent::parse("coder").unwrap());
    let holder = Holder { session: &session, agent: &agent, project: None };
    card_for_changes(|facts| import_grants(facts, &holder, &[(imported.clone(), Risk::Moderate)]).1)
}

/// The card for a slash command that an agent reports.
pub fn card_for_reported_slash(text: &str) -> Card {
    card_for_changes(|facts| {
        let session = SessionKey::parse("coder s1").unwrap();
        let from = AnswerFrom::Conversation;
        let speaker = Speaker::Agent;
        let turn = Turn { session: session.clone(), speaker, text: text.into(), from };
        let mut changes =
            opening(facts, &session, &Agent::parse("coder").unwrap(), (None, SessionFolders::NONE));
        let mut state = facts.state.clone();
        changes.iter().for_each(|change| state.apply(facts.now, change));
        let facts = Facts { state: &state, ..*facts };
        changes.extend(say(&facts, &turn, |line| analyse(line, None)).changes);
        changes
    })
}

/// The card of an ask-ahead.
pub fn card_for_ahead(text: &str) -> Card {
    card_for_category(text, None)
}

/// The card of a question about one category.
pub fn card_for_category(text: &str, category: Option<&str>) -> Card {
    let category = category.map(|name| Category::parse(name).unwrap());
    let draft = AheadDraft {
        session: SessionKey::parse("coder s1").unwrap(),
        agent: Agent::parse("coder").unwrap(),
        project: None,
        ahead: AskAhead {
            text: text.to_owned(),
            category,
            scope: Scope::Session,
            reason: "fewer questions".to_owned(),
            fallback: "I ask each time".to_owned(),
        },
        parking: Parking::Allowed,
    };
    card_for_changes(|facts| ask_ahead(facts, &draft).changes)
}

/// The card of a workflow start.
pub fn card_for_start(workflow: &str) -> Card {
    let draft = StartDraft {
        session: SessionKey::parse("coder s1").unwrap(),
        agent: Agent::parse("coder").unwrap(),
        project: None,
        workflow: Workflow::parse(workflow).unwrap(),
        attendance: Attendance::Attended,
        gesture: None,
        parking: Parking::Allowed,
        title: None,
    };
    card_for_changes(|facts| start_run(facts, &draft).changes)
}

/// The card of a proposal by which an agent would change itself.
pub fn card_for_proposal(before: &str, after: &str) -> Card {
    let draft = ProposalDraft {
        session: SessionKey::parse("coder s1").unwrap(),
        agent: Agent::parse("coder").unwrap(),
        project: None,
        action: Action::parse("self_modification.propose_behavioral_change").unwrap(),
        channel: Channel::Trusted,
        diff: Some(Diff { before: before.to_owned(), after: after.to_owned() }),
        undo: Some("put the old rule back".to_owned()),
        edits: None,
        parking: Parking::Allowed,
    };
    card_for_changes(|facts| propose(facts, &draft).changes)
}

/// Applies the changes and builds the card of the request that they open.
fn card_for_changes(changes: impl Fn(&Facts) -> Vec<Change>) -> Card {
    show_request(&load_graph(), changes, build_card)
}

fn fixed_time() -> Time {
    Time::parse("2026-01-05T09:00:00Z").unwrap()
}

/// The facts at one moment, of which a test looks at the state and at what the rules found.
fn facts<'a>(
    graph: &'a Graph,
    state: &'a State,
    ids: &'a IdGenerator,
    ruled: &'a RuleResults,
) -> Facts<'a> {
    Facts {
        now: fixed_time(),
        ids,
        graph: Some(graph),
        state,
        surface: Surface::Reachable,
        assurance: Assurance::Separated,
        questions: countersign_core::model::open_questions::OpenQuestions::none(
            countersign_core::model::open_questions::QuestionLimits::default(),
        ),
        protected: &[],
        ruled,
        key: None,
        node: countersign_core::model::names::NodeName::local(),
        place: None,
    }
}

/// Applies the changes and shows the request that they open in some way.
fn show_request<T>(
    graph: &Graph,
    changes: impl Fn(&Facts) -> Vec<Change>,
    show: impl Fn(CardContext<'_>, &Request) -> T,
) -> T {
    let mut state = State::empty();
    let ids = IdGenerator::new(fixed_time(), 7);
    let changes = changes(&facts(graph, &state, &ids, &NO_RULE_RESULTS));
    let opened = apply_changes(&mut state, &changes);
    let request: &Request = state.requests.get(&opened).unwrap();
    show(CardContext { graph: Some(graph), state: &state, now: fixed_time() }, request)
}

/// Applies changes and returns the request that they open.
fn apply_changes(state: &mut State, changes: &[Change]) -> RequestId {
    changes.iter().for_each(|change| state.apply(fixed_time(), change));
    let opened = changes.iter().find_map(|change| match change {
        Change::RequestOpened { request } => Some(request.id),
        _ => None,
    });
    opened.expect("the changes open a request")
}

/// The state after each of these calls was answered.
pub fn state_after(graph: &Graph, calls: &[(CallDraft, RuleResults, Choice)]) -> State {
    let (mut state, ids) = (State::empty(), IdGenerator::new(fixed_time(), 7));
    for (draft, ruled, choice) in calls {
        let before = facts(graph, &state, &ids, ruled);
        let mut call = resolve_call(&before, draft.clone()).unwrap();
        call.redact(None, None);
        let changes = record(&before, &Arc::new(call.clone()), &decide(&before, &call));
        let request = apply_changes(&mut state, &changes);
        let request = state.requests.get(&request).unwrap().clone();
        let answer = Answer { say: AnswerChoices::One(*choice), ..approve_once() };
        let settled = settle(&facts(graph, &state, &ids, &NO_RULE_RESULTS), &[&request], &answer);
        settled.changes.iter().for_each(|change| state.apply(fixed_time(), change));
    }
    state
}

/// The card of a call in a state.
pub fn card_in(graph: &Graph, mut state: State, (draft, ruled): (CallDraft, RuleResults)) -> Card {
    let ids = IdGenerator::new(fixed_time(), 8);
    let before = facts(graph, &state, &ids, &ruled);
    let call = resolve_call(&before, draft).unwrap();
    let changes = record(&before, &Arc::new(call.clone()), &decide(&before, &call));
    let opened = apply_changes(&mut state, &changes);
    let request = state.requests.get(&opened).unwrap();
    build_card(CardContext { graph: Some(graph), state: &state, now: fixed_time() }, request)
}

/// The card of the last call, after each of the others was approved once.
pub fn card_after(graph: &Graph, calls: &[(CallDraft, RuleResults)]) -> Card {
    let (mut state, ids) = (State::empty(), IdGenerator::new(fixed_time(), 7));
    let mut last = None;
    for (draft, ruled) in calls {
        if let Some(request) = last.and_then(|id| state.requests.get(&id)).cloned() {
            let answer = approve_once();
            let settled =
                settle(&facts(graph, &state, &ids, &NO_RULE_RESULTS), &[&request], &answer);
            settled.changes.iter().for_each(|change| state.apply(fixed_time(), change));
        }
        let facts = facts(graph, &state, &ids, ruled);
        let mut call = resolve_call(&facts, draft.clone()).unwrap();
        call.redact(None, None);
        let decision = decide(&facts, &call);
        let changes = record(&facts, &Arc::new(call), &decision);
        last = Some(apply_changes(&mut state, &changes));
    }
    let request = state.requests.get(&last.unwrap()).unwrap();
    build_card(CardContext { graph: Some(graph), state: &state, now: fixed_time() }, request)
}

fn approve_once() -> Answer {
    Answer {
        say: AnswerChoices::One(Choice::Once),
        note: String::new(),
        proof: AnswerProof::KeyPress,
        lasts: None,
        covers: None,
        from: AnswerFrom::Embedder,
    }
}

/// Decides a call and shows the request that it opens in some way.
pub fn show_call<T>(
    graph: &Graph,
    draft: &CallDraft,
    show: impl Fn(CardContext<'_>, &Request) -> T,
) -> T {
    let changes = |facts: &Facts| {
        let mut call = resolve_call(facts, draft.clone()).unwrap();
        call.redact(None, None);
        let decision = decide(facts, &call);
        record(facts, &Arc::new(call), &decision)
    };
    show_request(graph, changes, show)
}

/// The rendered lines of a call's card.
pub fn lines_for_call(draft: CallDraft) -> String {
    countersign_card::render_lines(&card_for_call(draft)).join("\n")
}

/// A finding whose command has this head, where the command acts.
pub fn with_head(words: &str, finding: Findings) -> Findings {
    let head = CommandHead {
        words: words.split(' ').map(str::to_owned).collect(),
        class: None,
        options: HeadOptions::Known,
        within: finding.within.clone(),
    };
    Findings { heads: vec![head], ..finding }
}
