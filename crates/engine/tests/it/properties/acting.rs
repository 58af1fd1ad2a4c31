//! How each deed is done in a world.

use super::graphs::{WORKFLOWS, action, category};
use super::steps::{Deed, What};
use super::worlds::{Effected, World, agent, owner, project, session};
use countersign_conversation::Turn;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::grant::{Coverage, Scope};
use countersign_core::model::ids::{CallId, RunId};
use countersign_core::model::names::Workflow;
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::proposal::{Diff, ProposalDraft};
use countersign_core::model::request::{
    Answer, AnswerChoices, AnswerFrom, AskAhead, Attendance, Request,
};
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Channel, Choice, Effect};
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{
    AnswerTarget, CallUpdate, CheckResult, ConversationMove, DirectGrant, Permit, SessionOwner,
    TurnReporter, UselessGrantPolicy,
};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

impl World {
    pub fn act(&mut self, deed: &Deed) {
        match deed {
            Deed::Call(at) => drop(self.check(&self.draft(*at))),
            Deed::CallInside(at) => self.call_inside(*at),
            Deed::Retry(at) => drop(pick(&self.known, *at).map(|call| self.retry(call))),
            Deed::Finish(at, effect) => self.finish_one(*at, *effect),
            Deed::Ahead { session, category, scope } => self.ahead(*session, *category, *scope),
            Deed::Start { session, workflow } => drop(self.start(*session, *workflow)),
            Deed::Plan { session, actions, score } => self.plan(*session, actions, *score),
            Deed::Propose { session, action } => {
                drop(self.engine.propose(&proposal(*session, *action)).unwrap());
            }
            Deed::AgentSays(at, text) => self.say(*at, (Speaker::Agent, text)),
            Deed::CallAndYes(at, choice) => self.call_and_yes(*at, *choice),
            Deed::PlanAndYes { session, actions } => {
                self.plan(*session, actions, 4);
                self.say(*session, (Speaker::Operator, "yes"));
            }
            Deed::StartAndYes { session, workflow } => self.start_and_yes(*session, *workflow),
            Deed::Answer { at, choice, proof, items } => {
                if let Some(request) = pick(&self.open_requests(), *at) {
                    self.answer(&request, &said(&request, (*choice, *proof), *items));
                }
            }
            Deed::Grant { session: at, what, scope, confirmation } => {
                self.engine.open_session(&owner(*at), project(*at).as_ref()).unwrap();
                let wanted = DirectGrant {
                    session: session(*at),
                    coverage: coverage(what),
                    scope: *scope,
                    ends_at: None,
                    confirmation: *confirmation,
                    if_useless: UselessGrantPolicy::Mint,
                };
                // Another deed may end the session meanwhile; then nothing is granted.
                drop(self.engine.grant_directly(&wanted).unwrap());
            }
            Deed::Revoke(at, what) => {
                drop(self.engine.revoke(&session(*at), &revoked(what)).unwrap());
            }
            Deed::Click { session, actions, shows } => {
                let shown = self.known.last().copied().filter(|_| *shows);
                self.click(*session, actions, shown);
            }
            Deed::Says(at, text) => self.say(*at, (Speaker::Operator, text)),
            Deed::Presence(presence) => self.engine.set_presence(*presence).unwrap(),
            Deed::Surface(surface) => self.set_surface(*surface),
            Deed::Pause => self.engine.pause_agent(&agent(0)).unwrap(),
            Deed::Resume => drop(self.engine.resume_agent(&agent(0)).unwrap()),
            Deed::Review => {
                self.engine.review_graph().unwrap();
                self.mark();
            }
            Deed::EndRun(at, how) => {
                if let Some((run, owner)) = self.pick_run(*at) {
                    self.engine.end_run(run, &owner, *how).unwrap();
                }
            }
            Deed::EndSession(at, by) => {
                self.engine.end_session(&session(*at), *by).unwrap();
            }
            Deed::TopicChanged(at) => self.record_move(*at, ConversationMove::Topic),
            Deed::ContextChanged(at) => self.record_move(*at, ConversationMove::Context),
            Deed::Wait(span) => {
                let later = self.engine.display_time() + *span;
                self.clock.store(later.micros(), Ordering::SeqCst);
            }
            Deed::Sweep => self.engine.sweep().unwrap(),
            Deed::Restart => self.engine.restart().unwrap(),
            Deed::Reattach(at) => self.reattach(*at),
            Deed::Reconcile(at) => assert!(self.engine.reconcile_runs(&session(*at)).is_ok()),
        }
    }

    /// What became of a call, unless it may execute: then its permit is kept.
    pub fn check(&mut self, draft: &CallDraft) -> Option<CheckResult> {
        let checked = self.engine.check(draft).unwrap();
        self.known.extend(checked.call());
        self.keep(checked)
    }

    pub fn retry(&mut self, call: CallId) -> Option<CheckResult> {
        let state = self.state();
        let own = &state.calls.get(&call).unwrap().call;
        let owner = SessionOwner::from_key(own.session.clone());
        let checked = self.engine.retry(call, &owner).unwrap();
        self.keep(checked)
    }

    fn keep(&mut self, checked: CheckResult) -> Option<CheckResult> {
        let CheckResult::Allowed { permit, decision, .. } = checked else { return Some(checked) };
        self.effects.push(Effected::Began { call: permit.call(), decision });
        self.permits.push(permit);
        None
    }

    fn call_inside(&mut self, at: usize) {
        let mut draft = self.draft(at);
        let own =
            |call: &CallId| self.state().calls.get(call).unwrap().call.session == draft.session;
        draft.observed.parent = self.permits.iter().rev().map(Permit::call).find(own);
        self.check(&draft);
    }

    fn finish_one(&mut self, at: usize, effect: Effect) {
        if !self.permits.is_empty() {
            let permit = self.permits.remove(at % self.permits.len());
            self.finish(permit, effect);
        }
    }

    pub fn finish(&mut self, permit: Permit, effect: Effect) {
        let call = permit.call();
        // After a restart nobody waits for the report any more.
        let update = self.engine.complete(&permit.complete(effect)).unwrap();
        if update == CallUpdate::Recorded {
            self.effects.push(Effected::Ended { call, effect });
        }
    }

    fn call_and_yes(&mut self, at: usize, choice: Choice) {
        let draft = self.draft(at);
        if let Some(CheckResult::Pending { call: operation, .. }) = self.check(&draft) {
            let cards = self.open_requests();
            for card in cards.iter().filter(|request| request.lists_call(operation)) {
                self.answer(card, &said(card, (choice, AnswerProof::TypedText), Items::All));
            }
            self.retry(operation);
        }
    }

    pub fn answer(&self, request: &Request, answer: &Answer) {
        self.engine.answer(AnswerTarget::Request(request.id), answer).unwrap();
    }

    fn ahead(&self, at: usize, named: Option<usize>, scope: Scope) {
        let ahead = AskAhead {
            text: "more".to_owned(),
            category: named.map(category),
            scope,
            reason: String::new(),
            fallback: String::new(),
        };
        let (session, agent, project) = (session(at), agent(at), None);
        let draft = AheadDraft { session, agent, project, ahead, parking: Parking::Allowed };
        self.engine.ask_ahead(&draft).unwrap();
    }

    pub fn start(&mut self, at: usize, workflow: usize) -> RunId {
        let draft = StartDraft {
            session: session(at),
            agent: agent(at),
            project: None,
            workflow: Workflow::parse(WORKFLOWS[workflow % 3]).unwrap(),
            attendance: Attendance::Attended,
            gesture: None,
            parking: Parking::Allowed,
            title: None,
        };
        let (run, _) = self.engine.start_run(&draft).unwrap();
        self.runs.push(run);
        run
    }

    pub fn start_and_yes(&mut self, at: usize, workflow: usize) {
        let run = self.start(at, workflow);
        let yes = one(Choice::Once, AnswerProof::KeyPress);
        self.engine.answer(AnswerTarget::Start(run), &yes).unwrap();
    }

    pub fn plan(&self, at: usize, actions: &[usize], score: u8) {
        let plan = PlanDraft {
            actions: actions.iter().map(|at| action(*at)).collect(),
            commands: vec![vec!["make".to_owned(), "check".to_owned()]],
            score,
            turn: 0,
            state: PlanState::Proposed,
        };
        self.engine.propose_plan(&owner(at), &plan).unwrap();
    }

    pub fn click(&mut self, at: usize, actions: &[usize], shown: Option<CallId>) {
        let declares: Vec<_> = actions.iter().map(|at| action(*at)).collect();
        let made = self.engine.record_gesture(&session(at), &declares, shown, None).unwrap();
        self.gestures.push((at, made));
    }

    pub fn say(&mut self, at: usize, (speaker, text): (Speaker, &str)) {
        let (text, from) = (text.to_owned(), AnswerFrom::Embedder);
        let turn = Turn { session: session(at), speaker, text, from };
        let said = self.engine.process_turn(&turn, TurnReporter::Operator).unwrap().unwrap();
        self.gestures.extend(said.gesture.map(|gesture| (at, gesture)));
    }

    fn reattach(&self, at: usize) {
        if let Some((run, owner)) = self.pick_run(at) {
            self.engine.reattach_run(run, &owner).unwrap();
        }
    }

    /// A run that has started, and its owner.
    fn pick_run(&self, at: usize) -> Option<(RunId, SessionOwner)> {
        let run = self.state().runs.get(&pick(&self.runs, at)?)?.clone();
        Some((run.id, SessionOwner::from_key(run.session)))
    }

    fn record_move(&self, at: usize, moved: ConversationMove) {
        self.engine.record_move(&owner(at), None, moved).unwrap();
    }
}

pub(super) fn proposal(at: usize, what: usize) -> ProposalDraft {
    ProposalDraft {
        session: session(at),
        agent: agent(at),
        project: None,
        action: action(what),
        channel: Channel::Untrusted,
        diff: Some(Diff { before: "a".to_owned(), after: "b".to_owned() }),
        undo: Some("put it back".to_owned()),
        edits: None,
        parking: Parking::Allowed,
    }
}

pub(super) fn coverage(what: &What) -> Coverage {
    match what {
        What::Action(at) => Coverage::Action(action(*at)),
        What::Category(at) => Coverage::Category(category(*at)),
        What::Command(line) => {
            let argv = line.split(' ').map(str::to_owned).collect();
            Coverage::Command { argv, cwd: None, action: None }
        }
        What::Workflow | What::All => Coverage::Everything,
    }
}

fn revoked(what: &What) -> Revoke {
    match what {
        What::Action(at) => Revoke::Action(action(*at)),
        What::Category(at) => Revoke::Category(category(*at)),
        What::Command(line) => Revoke::Command(line.split(' ').map(str::to_owned).collect()),
        What::Workflow => Revoke::Workflow(Workflow::parse(WORKFLOWS[0]).unwrap()),
        What::All => Revoke::All,
    }
}

pub(super) fn one(choice: Choice, proof: AnswerProof) -> Answer {
    Answer {
        say: AnswerChoices::One(choice),
        note: String::new(),
        proof,
        lasts: None,
        covers: None,
        from: AnswerFrom::Embedder,
    }
}

/// Which of a card's open items are answered together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Items {
    All,
    First,
    Last,
}

/// The same choice for these items of a card; once, where that choice is not offered.
pub(super) fn said(
    request: &Request,
    (choice, proof): (Choice, AnswerProof),
    items: Items,
) -> Answer {
    let mut actions: Vec<_> = request.open_items().filter_map(|i| i.action.clone()).collect();
    match items {
        Items::All => {}
        Items::First => actions.truncate(1),
        Items::Last => drop(actions.drain(..actions.len().saturating_sub(1))),
    }
    let offered = request.open_items().all(|item| item.choices.contains(&choice));
    let choice = if offered { choice } else { Choice::Once };
    let items: BTreeMap<_, _> = actions.into_iter().map(|action| (action, choice)).collect();
    match items.is_empty() {
        true => one(choice, proof),
        false => Answer { say: AnswerChoices::Items(items), ..one(choice, proof) },
    }
}

pub(super) fn pick<T: Clone>(from: &[T], at: usize) -> Option<T> {
    (!from.is_empty()).then(|| from[at % from.len()].clone())
}
