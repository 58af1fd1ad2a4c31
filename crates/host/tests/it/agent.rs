//! What holds for an agent whichever protocol it speaks.

use countersign_api::{AheadStatus, RunStatus, StartStatus};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::Parking;
use countersign_core::model::draft::{AheadDraft, StartDraft};
use countersign_core::model::grant::Scope;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::{Action, Agent, SessionName, Tool, Workflow};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, AskAhead, Attendance};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Principal, Reason, Surface};
use countersign_engine::{
    AgentReport, AnswerTarget, CheckResult, Clock, Engine, Entropy, Memory, SessionOwner,
};
use countersign_graph::Format;
use countersign_host::{AgentError, Host, describe_check};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

const NOW: Duration = Duration::ZERO;

const GRAPH: &str = "
domains:
  work: {autonomous: [do], requires_approval: [ask], blocked: []}
  shell: {autonomous: [], requires_approval: [run], blocked: []}
workflows:
  tidy-up: {actions: [work.ask]}
  look: {actions: []}
tools:
  Do: {actions: [work.do]}
  Bash: {actions: [shell.run], command: /command}
";

/// One second later at each look.
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> Time {
        Time::from_micros(self.0.fetch_add(1_000_000, Ordering::SeqCst))
    }
}

struct Counted(AtomicU64);

impl Entropy for Counted {
    fn bits(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

fn open_host(attendance: Attendance, graph: Option<&str>) -> Arc<Host> {
    let start = Time::parse("2026-01-05T09:00:00Z").unwrap().micros();
    let clock = Box::new(Ticking(AtomicI64::new(start)));
    let store: Box<dyn countersign_engine::Store> = Box::new(Memory::empty());
    let engine = Engine::new(store, clock, Box::new(Counted(AtomicU64::new(1))));
    engine.open(|_| Ok(())).unwrap();
    if let Some(text) = graph {
        let loaded =
            countersign_graph::load_graph("graph.yaml", text.as_bytes(), Format::Yaml).unwrap();
        engine.load_graph(loaded).unwrap();
    }
    if attendance == Attendance::Attended {
        engine.set_surface(Surface::Reachable).unwrap();
    }
    Host::new(engine, attendance)
}

fn attended() -> Arc<Host> {
    open_host(Attendance::Attended, Some(GRAPH))
}

fn owner(agent: &str) -> SessionOwner {
    SessionOwner::new(&SessionName::parse("s1").unwrap(), Agent::parse(agent).unwrap())
}

fn action(name: &str) -> Action {
    Action::parse(name).unwrap()
}

fn question(owner: &SessionOwner) -> AheadDraft {
    AheadDraft {
        session: owner.session.clone(),
        agent: owner.agent.clone(),
        project: None,
        ahead: AskAhead {
            text: "Overwrite it".to_owned(),
            category: None,
            scope: Scope::Session,
            reason: "the schema changed".to_owned(),
            fallback: "skip it".to_owned(),
        },
        parking: Parking::Allowed,
    }
}

fn start(owner: &SessionOwner, workflow: &str) -> StartDraft {
    StartDraft {
        session: owner.session.clone(),
        agent: owner.agent.clone(),
        project: None,
        workflow: Workflow::parse(workflow).unwrap(),
        attendance: Attendance::Attended,
        gesture: None,
        parking: Parking::Allowed,
        title: None,
    }
}

async fn answer(host: &Host, request: RequestId, choice: Choice) {
    let answer = Answer {
        say: AnswerChoices::One(choice),
        note: "as you like".to_owned(),
        proof: AnswerProof::TypedText,
        lasts: None,
        covers: None,
        from: AnswerFrom::Embedder,
    };
    let answer = move |engine: &countersign_host::HostEngine| {
        engine.answer(AnswerTarget::Request(request), &answer)
    };
    host.run(answer).await.unwrap();
}

#[test]
fn a_tool_is_decided_as_the_actions_of_the_graph_or_as_its_own_name() {
    let actions = |host: &Host, tool: &str| {
        let tool = Some(Tool::parse(tool).unwrap());
        host.draft_call(&owner("coder"), Vec::new(), tool, json!({})).unwrap().actions
    };
    let (host, without_rules) = (attended(), open_host(Attendance::Attended, None));
    assert_eq!(actions(&host, "Do"), [action("work.do")]);
    assert_eq!(actions(&host, "mcp__mail__send"), [action("mcp.mail.send")]);
    assert_eq!(actions(&without_rules, "Do"), [action("tool.Do")]);
    let named = vec![action("work.ask")];
    let tool = Some(Tool::parse("Do").unwrap());
    let draft = host.draft_call(&owner("coder"), named.clone(), tool, json!({})).unwrap();
    assert_eq!(draft.actions, named, "named actions count");
    let nothing = host.draft_call(&owner("coder"), Vec::new(), None, json!({}));
    assert!(matches!(nothing, Err(AgentError::NoAction)));
}

#[test]
fn an_agents_command_line_without_a_tool_is_decided_as_what_runs_command_lines_too() {
    let host = attended();
    for (sender, tool, expected) in [
        (Principal::Agent, None, vec![action("work.do"), action("shell.run")]),
        (Principal::Adapter, None, vec![action("work.do")]),
        (Principal::Agent, Some("Do"), vec![action("work.do")]),
    ] {
        let tool = tool.map(|name| Tool::parse(name).unwrap());
        let named = vec![action("work.do")];
        let mut draft = host.draft_call(&owner("coder"), named, tool, json!({})).unwrap();
        host.add_command_line(&mut draft, "rm -r x", sender).unwrap();
        assert_eq!(draft.actions, expected, "{sender:?} {:?}", draft.tool);
        assert!(draft.command.is_some());
    }
}

#[tokio::test]
async fn a_headless_host_parks_nothing_whatever_the_caller_allows() {
    let host = open_host(Attendance::Headless, Some(GRAPH));
    let own = owner("coder");
    let call = host.draft_call(&own, vec![action("work.ask")], None, json!({})).unwrap();
    let checked = host.check_and_wait(call.clone(), NOW, describe_check).await.unwrap();
    assert_eq!(checked.reason, Reason::NoOperator);
    let checked = host.check_action(call).await.unwrap();
    assert_eq!((checked.tier, checked.decision.reason), ("FORCED", Reason::NoOperator));
    let asked = host.ask_ahead(question(&own), NOW).await.unwrap();
    assert_eq!((asked.status, asked.reason), (AheadStatus::Denied, Reason::NoOperator));
    assert_eq!(asked.operator_note, "no interactive operator available");
    let started = host.start_run(start(&own, "tidy-up"), NOW).await.unwrap();
    assert_eq!((started.status, started.reason), (StartStatus::Denied, Reason::NoOperator));
}

#[tokio::test]
async fn a_declined_question_and_start_are_declined_again_with_the_note_and_ask_nobody() {
    let (host, own) = (attended(), owner("coder"));
    let asked = host.ask_ahead(question(&own), NOW).await.unwrap();
    assert_eq!(asked.status, AheadStatus::Pending);
    answer(&host, asked.request_id.unwrap(), Choice::Decline).await;
    let again = host.ask_ahead(question(&own), NOW).await.unwrap();
    assert_eq!((again.status, again.request_id), (AheadStatus::Declined, None));
    assert_eq!(again.operator_note, "as you like");
    let started = host.start_run(start(&own, "tidy-up"), NOW).await.unwrap();
    answer(&host, started.request_id.unwrap(), Choice::Decline).await;
    let again = host.start_run(start(&own, "tidy-up"), NOW).await.unwrap();
    assert_eq!((again.status, again.request_id), (StartStatus::Declined, None));
    assert_eq!(
        (again.error.as_deref(), again.note.as_str()),
        (Some("consent denied"), "as you like")
    );
}

#[tokio::test]
async fn a_yes_is_waited_for_and_answers_the_same_question_again() {
    let (host, own) = (attended(), owner("coder"));
    let asked = host.ask_ahead(question(&own), NOW).await.unwrap();
    let id = asked.request_id.unwrap();
    let waiting = host.wait_for_question(id, &own, Duration::from_secs(30));
    let (found, ()) = tokio::join!(waiting, answer(&host, id, Choice::Session));
    let found = found.unwrap();
    assert_eq!((found.status, found.granted), (AheadStatus::Approved, true));
    let again = host.ask_ahead(question(&own), NOW).await.unwrap();
    assert_eq!((again.status, again.grant_id), (AheadStatus::Approved, found.grant_id));
}

#[tokio::test]
async fn what_belongs_to_another_agent_is_unknown() {
    let (host, own, other) = (attended(), owner("coder"), owner("other"));
    let question = host.ask_ahead(question(&own), NOW).await.unwrap().request_id.unwrap();
    let run = host.start_run(start(&own, "tidy-up"), NOW).await.unwrap().run_id;
    let draft = host.draft_call(&own, vec![action("work.do")], None, json!({})).unwrap();
    let CheckResult::Allowed { permit, .. } =
        host.check_and_wait(draft, NOW, |checked| checked).await.unwrap()
    else {
        panic!("the rules allow it")
    };
    let call = permit.call();
    let found = host.wait_for_question(question, &other, NOW).await;
    assert!(matches!(found, Err(AgentError::Unknown("request"))), "{found:?}");
    let withdrawn = host.withdraw_question(question, other.clone()).await;
    assert!(matches!(withdrawn, Err(AgentError::Unknown("request"))), "{withdrawn:?}");
    let found = host.wait_for_start(run, &other, NOW).await;
    assert!(matches!(found, Err(AgentError::Unknown("run"))), "{found:?}");
    let ended = host.end_run(run, &other).await;
    assert!(matches!(ended, Err(AgentError::Unknown("run"))), "{ended:?}");
    let reported = host.report_outcome(call, other, AgentReport::Done).await;
    assert!(matches!(reported, Err(AgentError::Unknown("operation"))), "{reported:?}");
    host.report_outcome(call, own.clone(), AgentReport::Done).await.unwrap();
    let late = host.report_outcome(call, own, AgentReport::Failed).await;
    assert!(matches!(late, Err(AgentError::CallOver(_))), "{late:?}");
}

#[tokio::test]
async fn a_run_that_is_over_says_so_when_it_is_ended_again() {
    let (host, own) = (attended(), owner("coder"));
    let started = host.start_run(start(&own, "look"), NOW).await.unwrap();
    assert_eq!((started.status, started.reason), (StartStatus::Started, Reason::Bypassed));
    let ended = host.end_run(started.run_id, &own).await.unwrap();
    assert_eq!(ended.state, RunStatus::Ended);
    let again = host.end_run(started.run_id, &own).await;
    let Err(AgentError::Run { state: RunStatus::Ended, sentence }) = again else {
        panic!("{again:?}")
    };
    assert!(sentence.contains("has ended"), "{sentence}");
}
