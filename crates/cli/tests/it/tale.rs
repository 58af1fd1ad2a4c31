//! A record as an engine leaves it: one short tale, the same on every machine.

use crate::desk::Desk;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::category::Category;
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::grant::{Confirmation, Coverage, Grant, Scope};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Action, Agent, Project, SessionKey, Tool};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, AskAhead};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Choice, Effect, Surface};
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{
    AnswerTarget, CheckResult, Clock, DirectGrant, DirectGrantResult, Engine, Entropy, Permit,
    SessionOwner, Sqlite, UselessGrantPolicy,
};
use countersign_graph::Format;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// What is in force while it is told.
pub const GRAPH: &str = "\
domains:
  email: {autonomous: [read], requires_approval: [send, delete], blocked: [wipe]}
tools:
  mail_read: {actions: [email.read]}
  mail_send: {actions: [email.send]}
";

pub struct Tale {
    pub engine: Engine<Sqlite>,
    now: Arc<AtomicI64>,
}

/// Moved by hand.
struct Moved(Arc<AtomicI64>);

impl Clock for Moved {
    fn now(&self) -> Time {
        Time::from_micros(self.0.load(Ordering::SeqCst))
    }
}

struct Counting(AtomicU64);

impl Entropy for Counting {
    fn bits(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

impl Tale {
    /// An engine on the folder `data` of a desk. It holds the folder until it is dropped.
    pub fn on(desk: &Desk) -> Self {
        let now = Arc::new(AtomicI64::new(Time::parse("2026-01-05T09:00:00Z").unwrap().micros()));
        let store = Sqlite::open(&desk.path("data")).unwrap();
        let (clock, entropy) = (Moved(Arc::clone(&now)), Counting(AtomicU64::new(1)));
        let engine = Engine::new(store, Box::new(clock), Box::new(entropy));
        engine.set_surface(Surface::Reachable).unwrap();
        let graph =
            countersign_graph::load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap();
        engine.load_graph(graph).unwrap();
        engine.open(|_| Ok(())).unwrap();
        let project = Project::parse("blog").unwrap();
        engine.open_session(&owner(), Some(&project)).unwrap();
        Self { engine, now }
    }

    pub fn after(&self, seconds: i64) {
        let span = Time::from_micros(0) + Span::seconds(seconds);
        self.now.fetch_add(span.micros(), Ordering::SeqCst);
    }

    pub fn check(&self, action: &str, tool: Option<&str>) -> CheckResult {
        self.after(1);
        let mut draft = CallDraft::plain(agent(), session(), Action::parse(action).unwrap());
        draft.tool = tool.map(|tool| Tool::parse(tool).unwrap());
        self.engine.check(&draft).unwrap()
    }

    /// Asks to send mail with these arguments.
    pub fn sends(&self, args: Value) -> CallId {
        self.after(1);
        let mut draft = CallDraft::plain(agent(), session(), Action::parse("email.send").unwrap());
        draft.args = args;
        let checked = self.engine.check(&draft).unwrap();
        let CheckResult::Pending { call: operation, .. } = checked else { panic!("{checked:?}") };
        operation
    }

    pub fn asks(&self, action: &str, tool: Option<&str>) -> CallId {
        let checked = self.check(action, tool);
        let CheckResult::Pending { call: operation, .. } = checked else { panic!("{checked:?}") };
        operation
    }

    pub fn answer(&self, target: AnswerTarget, choice: Choice, note: &str) {
        self.after(1);
        let say = AnswerChoices::One(choice);
        let answer = Answer {
            say,
            note: note.to_owned(),
            proof: AnswerProof::KeyPress,
            lasts: None,
            covers: None,
            from: AnswerFrom::Embedder,
        };
        self.engine.answer(target, &answer).unwrap();
    }

    pub fn done(&self, permit: Permit) {
        self.after(1);
        self.engine.complete(&permit.complete(Effect::Done)).unwrap();
    }

    pub fn ahead(&self, category: &str) -> AnswerTarget {
        self.after(1);
        let draft = AheadDraft {
            session: session(),
            agent: agent(),
            project: None,
            ahead: AskAhead {
                text: "write the \u{202e}docs".to_owned(),
                category: Some(Category::parse(category).unwrap()),
                scope: Scope::Session,
                reason: "they are \u{1b}[31mstale".to_owned(),
                fallback: "leave them".to_owned(),
            },
            parking: Parking::Allowed,
        };
        AnswerTarget::Request(self.engine.ask_ahead(&draft).unwrap().1.unwrap())
    }

    /// Grants directly, whatever the graph says of it.
    pub fn grant(&self, coverage: Coverage, scope: Scope) -> Grant {
        let wanted = DirectGrant {
            session: session(),
            coverage,
            scope,
            ends_at: None,
            confirmation: Confirmation::Plain,
            if_useless: UselessGrantPolicy::Mint,
        };
        match self.engine.grant_directly(&wanted).unwrap() {
            DirectGrantResult::Granted { grant, .. } => *grant,
            other => panic!("{other:?}"),
        }
    }

    /// Reads, sends after a yes, asks ahead, has that revoked, and is declined something.
    pub fn whole(desk: &Desk) -> Self {
        let tale = Self::on(desk);
        let read = tale.check("email.read", Some("mail_read"));
        let CheckResult::Allowed { permit, .. } = read else { panic!("{read:?}") };
        tale.done(permit);
        let call = tale.asks("email.send", Some("mail_send"));
        tale.answer(AnswerTarget::Call(call), Choice::Once, "");
        tale.after(1);
        let sent = tale.engine.retry(call, &owner()).unwrap();
        let CheckResult::Allowed { permit, .. } = sent else { panic!("{sent:?}") };
        tale.done(permit);
        tale.answer(tale.ahead("filesystem_write"), Choice::Session, "only the docs");
        tale.after(1);
        tale.engine.revoke(&session(), &Revoke::All).unwrap();
        let call = tale.asks("email.delete", Some("mail_delete"));
        tale.answer(AnswerTarget::Call(call), Choice::Decline, "not\u{1b}[2J today");
        tale
    }
}

pub fn owner() -> SessionOwner {
    SessionOwner::from_key(session())
}

/// A desk with the record of the whole tale, which no process holds open.
pub fn recorded_desk() -> Desk {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    drop(Tale::whole(&desk));
    desk
}

pub fn session() -> SessionKey {
    SessionKey::parse("coder s1").unwrap()
}

pub fn agent() -> Agent {
    Agent::parse("coder").unwrap()
}

/// Without hashes, which change with every byte of what is hashed.
pub fn masked(text: &str) -> String {
    let mut masked = String::new();
    let mut run = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() || ('a'..='f').contains(&c) {
            run.push(c);
            continue;
        }
        // A digest is keyed by its store, in full and in short.
        let short = run.len() == 6 && (c == '…' || masked.ends_with('…'));
        masked.push_str(if run.len() == 64 || short { "HASH" } else { &run });
        run.clear();
        masked.push(c);
    }
    masked.pop();
    masked
}
