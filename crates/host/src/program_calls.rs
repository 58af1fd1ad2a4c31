//! Calls of coding agents' programs, by the names that the programs give them.
//!
//! A program asks about one call more than once: its hook before the tool runs, its permission hook,
//! the MCP gateway, its hook afterwards. The names are the program's own, so they only find the call
//! that was decided; what may be done with it depends on the record. Kept in memory: after a restart
//! a call is not recognized, and is decided anew.

use crate::limits;
use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json;
use countersign_core::model::ids::{CallId, GestureId, RunId};
use countersign_core::model::names::{Agent, Project, SessionKey, Tool};
use countersign_core::model::narrowed::NarrowingKind;
use countersign_core::model::request::AnswerChoices;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A call as its program names it.
#[derive(Clone, Copy, Debug)]
pub struct NamedCall<'a> {
    pub id: Option<&'a str>,
    pub tool: &'a Tool,
    pub args: &'a Value,
}

/// The latest calls of all programs, and the task of each session.
#[derive(Debug, Default)]
pub struct ProgramCalls {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    /// The newest last.
    calls: VecDeque<ProgramCallEntry>,
    sessions: BTreeMap<SessionKey, SessionContext>,
    /// Sessions whose conversation was cleared, with their projects. The newest last.
    cleared: VecDeque<(SessionKey, Option<Project>)>,
    /// The processes of programs, each with the latest session in it. The newest last.
    processes: VecDeque<(ProgramProcess, SessionKey)>,
}

/// A process of this machine, by its number and its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramProcess {
    pub id: u64,
    pub started: u64,
}

/// What the calls of a session belong to, though the program does not say it with each call.
#[derive(Clone, Debug, Default)]
struct SessionContext {
    task: Option<RunId>,
    gesture: Option<GestureId>,
    works_in: Option<Project>,
    /// The kinds of narrower forms that were announced.
    narrowed: Vec<NarrowingKind>,
}

#[derive(Debug)]
struct ProgramCallEntry {
    session: SessionKey,
    id: Option<String>,
    content: Digest,
    call: CallId,
    executor: Executor,
    /// What a yes in the program's own prompt gives, as the prompt says; none if it shows no question
    /// about the call.
    shown_yes: Option<AnswerChoices>,
    sightings: Sightings,
}

/// How often the program has asked about a call. A second question is about one call only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sightings {
    One,
    Two,
}

/// Who carries a call out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Executor {
    Program,
    /// The gateway has taken it over, which it can do once.
    Gateway,
}

impl ProgramCalls {
    /// Remembers a call that was decided.
    pub fn add(&self, session: &SessionKey, named: NamedCall<'_>, call: CallId) {
        let mut entries = self.lock();
        if entries.calls.len() >= limits::MAX_PROGRAM_CALLS {
            entries.calls.pop_front();
        }
        entries.calls.push_back(ProgramCallEntry {
            session: session.clone(),
            id: named.id.map(str::to_owned),
            content: hash_content(named.tool, named.args),
            call,
            executor: Executor::Program,
            shown_yes: None,
            sightings: Sightings::One,
        });
    }

    /// The latest call of a session with this tool and these arguments about which the program has
    /// asked once. It is found once: each of several equal calls is asked about for itself.
    pub fn find_again(&self, session: &SessionKey, named: NamedCall<'_>) -> Option<CallId> {
        let content = hash_content(named.tool, named.args);
        let mut entries = self.lock();
        let found = entries.calls.iter_mut().rev().find(|entry| {
            entry.session == *session
                && entry.content == content
                && entry.may_be(named.id)
                && entry.sightings == Sightings::One
        })?;
        found.sightings = Sightings::Two;
        Some(found.call)
    }

    /// Remembers what the program's prompt says that a yes gives. What it said first stays.
    pub fn set_shown_yes(&self, call: CallId, yes: &AnswerChoices) {
        let mut entries = self.lock();
        let found = entries.calls.iter_mut().rev().find(|entry| entry.call == call);
        if let Some(entry) = found {
            entry.shown_yes.get_or_insert_with(|| yes.clone());
        }
    }

    /// What a yes in the program's own prompt gives, if the prompt shows the question about a call.
    pub fn find_shown_yes(&self, call: CallId) -> Option<AnswerChoices> {
        let entries = self.lock();
        let found = entries.calls.iter().rev().find(|entry| entry.call == call)?;
        found.shown_yes.clone()
    }

    /// The latest call of a session with this id, tool and arguments. Where one side has no id, tool
    /// and arguments identify the call.
    pub fn find(&self, session: &SessionKey, named: NamedCall<'_>) -> Option<CallId> {
        let content = hash_content(named.tool, named.args);
        let entries = self.lock();
        let mut latest = entries.calls.iter().rev();
        let found = latest.find(|entry| {
            entry.session == *session && entry.content == content && entry.may_be(named.id)
        });
        found.map(|entry| entry.call)
    }

    /// The call of a session with this id, whatever its arguments: a hook may have changed them.
    pub fn find_by_id(&self, session: &SessionKey, id: &str) -> Option<CallId> {
        let entries = self.lock();
        let mut latest = entries.calls.iter().rev();
        let found =
            latest.find(|entry| entry.session == *session && entry.id.as_deref() == Some(id));
        found.map(|entry| entry.call)
    }

    /// The call with this id, tool and arguments, of any session, for the gateway to carry out. It
    /// finds each call once.
    pub fn take_over(&self, id: &str, tool: &Tool, args: &Value) -> Option<(SessionKey, CallId)> {
        let content = hash_content(tool, args);
        let mut entries = self.lock();
        let found = entries.calls.iter_mut().rev().find(|entry| {
            entry.content == content
                && entry.id.as_deref() == Some(id)
                && entry.executor == Executor::Program
        })?;
        found.executor = Executor::Gateway;
        Some((found.session.clone(), found.call))
    }

    /// Whether the gateway carries a call out. Then the gateway reports how it ended.
    pub fn is_taken_over(&self, call: CallId) -> bool {
        let entries = self.lock();
        let mut latest = entries.calls.iter().rev();
        latest.any(|entry| entry.call == call && entry.executor == Executor::Gateway)
    }

    /// Whether the program has asked about a call twice: before the tool, and in its permission hook,
    /// which runs because the program is about to ask its user.
    pub fn is_asked_twice(&self, session: &SessionKey, id: &str) -> bool {
        let entries = self.lock();
        let mut latest = entries.calls.iter().rev();
        latest.any(|entry| {
            entry.session == *session
                && entry.id.as_deref() == Some(id)
                && entry.sightings == Sightings::Two
        })
    }

    /// Remembers a session whose conversation was cleared.
    pub fn add_cleared(&self, session: SessionKey, project: Option<Project>) {
        let mut entries = self.lock();
        if entries.cleared.len() >= limits::MAX_CLEARED_SESSIONS {
            entries.cleared.pop_front();
        }
        entries.cleared.push_back((session, project));
    }

    /// The session of an agent that was cleared last in a project. It is found once.
    pub fn take_cleared(&self, agent: &Agent, project: Option<&Project>) -> Option<SessionKey> {
        let mut entries = self.lock();
        let found = entries
            .cleared
            .iter()
            .rposition(|(session, of)| session.to_agent() == *agent && of.as_ref() == project)?;
        entries.cleared.remove(found).map(|(session, _)| session)
    }

    /// Remembers in which process the program of a session runs.
    pub fn set_process(&self, session: &SessionKey, process: ProgramProcess) {
        let mut entries = self.lock();
        entries.processes.retain(|(known, _)| *known != process);
        if entries.processes.len() >= limits::MAX_PROGRAM_SESSIONS {
            entries.processes.pop_front();
        }
        entries.processes.push_back((process, session.clone()));
    }

    /// The session of the nearest program among the processes above one.
    pub fn find_session_above(&self, above: &[ProgramProcess]) -> Option<SessionKey> {
        let entries = self.lock();
        let session_in =
            |process: &ProgramProcess| entries.processes.iter().find(|(known, _)| known == process);
        above.iter().find_map(session_in).map(|(_, session)| session.clone())
    }

    /// Remembers the project that the program works in. True if it was another one before. A folder
    /// inside of the one before is no other project.
    pub fn moves_to(&self, session: &SessionKey, project: Project) -> bool {
        let mut is_moved = false;
        self.change_context(session, |context| match &context.works_in {
            Some(before) if is_inside(&project, before) => {}
            before => {
                is_moved = before.is_some();
                context.works_in = Some(project);
            }
        });
        is_moved
    }

    /// Whether no call of the session was narrowed in this way before.
    pub fn is_first_narrowing(&self, session: &SessionKey, kind: NarrowingKind) -> bool {
        let mut is_first = false;
        self.change_context(session, |context| {
            is_first = !context.narrowed.contains(&kind);
            context.narrowed.extend(is_first.then_some(kind));
        });
        is_first
    }

    /// The run that stands for what a session works on.
    pub fn task(&self, session: &SessionKey) -> Option<RunId> {
        self.lock().sessions.get(session)?.task
    }

    pub fn set_task(&self, session: &SessionKey, run: RunId) {
        self.change_context(session, |context| context.task = Some(run));
    }

    /// The user's latest slash command in a session. It ends by itself.
    pub fn gesture(&self, session: &SessionKey) -> Option<GestureId> {
        self.lock().sessions.get(session)?.gesture
    }

    pub fn set_gesture(&self, session: &SessionKey, gesture: GestureId) {
        self.change_context(session, |context| context.gesture = Some(gesture));
    }

    fn change_context(&self, session: &SessionKey, change: impl FnOnce(&mut SessionContext)) {
        let mut entries = self.lock();
        let is_full = entries.sessions.len() >= limits::MAX_PROGRAM_SESSIONS;
        if is_full && !entries.sessions.contains_key(session) {
            entries.sessions.pop_first();
        }
        change(entries.sessions.entry(session.clone()).or_default());
    }

    /// Nothing here decides anything, so what a panicking thread left behind can be used.
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgramCallEntry {
    fn may_be(&self, id: Option<&str>) -> bool {
        match (self.id.as_deref(), id) {
            (Some(own), Some(other)) => own == other,
            (None, _) | (_, None) => true,
        }
    }
}

fn is_inside(project: &Project, other: &Project) -> bool {
    let rest = project.as_str().strip_prefix(other.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn hash_content(tool: &Tool, args: &Value) -> Digest {
    // Written differently, a call is the same: `1.0` and `1`, and keys in another order.
    let args = json::canonical(&json::normal(args.clone())).unwrap_or_else(|_| args.to_string());
    let text = format!("{} {args}", tool.as_str());
    Digest::hash_bytes("countersign/program-call/v1", text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::names::SessionName;
    use serde_json::json;

    fn session(name: &str) -> SessionKey {
        let agent = Agent::parse("claude").unwrap();
        SessionKey::new(&agent, &SessionName::parse(name).unwrap())
    }

    fn call(last: char) -> CallId {
        CallId::parse(&format!("c00100501{}b8d62863870018000000000", last)).unwrap()
    }

    #[test]
    fn a_call_is_found_by_its_content_in_its_own_session_only() {
        let (calls, tool, args) =
            (ProgramCalls::default(), Tool::parse("Bash").unwrap(), json!({"command": "ls"}));
        let named = |id| NamedCall { id, tool: &tool, args: &args };
        calls.add(&session("a"), named(Some("t1")), call('1'));
        calls.add(&session("a"), named(Some("t2")), call('2'));
        assert_eq!(calls.find(&session("a"), named(None)), Some(call('2')));
        assert_eq!(calls.find(&session("a"), named(Some("t1"))), Some(call('1')));
        assert_eq!(calls.find(&session("b"), named(None)), None);
        let other = json!({"command": "rm -r ."});
        let changed = NamedCall { id: Some("t1"), tool: &tool, args: &other };
        assert_eq!(calls.find(&session("a"), changed), None);
        assert_eq!(calls.find_by_id(&session("a"), "t1"), Some(call('1')));
    }

    #[test]
    fn each_of_two_equal_calls_is_asked_about_again_once() {
        let (calls, tool, args) =
            (ProgramCalls::default(), Tool::parse("Bash").unwrap(), json!({"command": "ls"}));
        let named = |id| NamedCall { id, tool: &tool, args: &args };
        calls.add(&session("a"), named(Some("t1")), call('1'));
        calls.add(&session("a"), named(Some("t2")), call('2'));
        assert_eq!(calls.find_again(&session("a"), named(None)), Some(call('2')));
        assert_eq!(calls.find_again(&session("a"), named(None)), Some(call('1')));
        assert_eq!(calls.find_again(&session("a"), named(None)), None);
    }

    #[test]
    fn the_gateway_takes_a_call_over_once() {
        let (calls, tool, args) =
            (ProgramCalls::default(), Tool::parse("mcp__mail__send").unwrap(), json!({"to": "a"}));
        calls.add(&session("a"), NamedCall { id: Some("t1"), tool: &tool, args: &args }, call('1'));
        assert_eq!(calls.take_over("t1", &tool, &json!({"to": "b"})), None);
        assert_eq!(calls.take_over("t2", &tool, &args), None);
        assert!(!calls.is_taken_over(call('1')));
        assert_eq!(calls.take_over("t1", &tool, &args), Some((session("a"), call('1'))));
        assert_eq!(calls.take_over("t1", &tool, &args), None);
        assert!(calls.is_taken_over(call('1')));
    }

    #[test]
    fn old_calls_are_forgotten() {
        let (calls, tool) = (ProgramCalls::default(), Tool::parse("Bash").unwrap());
        for number in 0..=limits::MAX_PROGRAM_CALLS {
            let args = json!({"command": number});
            calls.add(&session("a"), NamedCall { id: None, tool: &tool, args: &args }, call('1'));
        }
        let first = json!({"command": 0});
        let named = NamedCall { id: None, tool: &tool, args: &first };
        assert_eq!(calls.find(&session("a"), named), None);
    }

    #[test]
    fn a_sub_agent_is_found_below_the_latest_session_of_the_nearest_program() {
        let calls = ProgramCalls::default();
        let process = |id| ProgramProcess { id, started: 10 * id };
        calls.set_process(&session("a"), process(1));
        calls.set_process(&session("b"), process(5));
        calls.set_process(&session("cleared"), process(5));
        calls.set_process(&session("c"), process(5));
        let above = [process(6), process(5), process(1)];
        assert_eq!(calls.find_session_above(&above), Some(session("c")));
        assert_eq!(calls.find_session_above(&[process(2), process(1)]), Some(session("a")));
        let reused = ProgramProcess { id: 5, started: 51 };
        assert_eq!(calls.find_session_above(&[reused]), None);
    }

    #[test]
    fn a_cleared_session_is_found_once_in_its_own_project() {
        let calls = ProgramCalls::default();
        let [web, app] = ["/web", "/app"].map(|name| Project::parse(name).unwrap());
        let agent = Agent::parse("claude").unwrap();
        calls.add_cleared(session("a"), Some(web.clone()));
        calls.add_cleared(session("b"), Some(app.clone()));
        calls.add_cleared(session("c"), Some(web.clone()));
        assert_eq!(calls.take_cleared(&Agent::parse("codex").unwrap(), Some(&web)), None);
        assert_eq!(calls.take_cleared(&agent, Some(&web)), Some(session("c")));
        assert_eq!(calls.take_cleared(&agent, Some(&web)), Some(session("a")));
        assert_eq!(calls.take_cleared(&agent, Some(&web)), None);
        assert_eq!(calls.take_cleared(&agent, None), None);
    }

    #[test]
    fn only_another_project_than_before_is_a_move() {
        let calls = ProgramCalls::default();
        let [web, app] = ["/web", "/app"].map(|name| Project::parse(name).unwrap());
        assert!(!calls.moves_to(&session("a"), web.clone()));
        assert!(!calls.moves_to(&session("a"), web.clone()));
        assert!(!calls.moves_to(&session("a"), Project::parse("/web/src").unwrap()));
        assert!(!calls.moves_to(&session("b"), app.clone()));
        assert!(calls.moves_to(&session("a"), app));
        assert!(calls.moves_to(&session("a"), web));
    }
}
