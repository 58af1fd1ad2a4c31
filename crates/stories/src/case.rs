//! A parsed case: the content of the file as types.
//!
//! The actions of a call stay text, because a story may attempt an invalid action and expect a denial.

use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::Parking;
use countersign_core::model::category::Category;
use countersign_core::model::change::Kind;
use countersign_core::model::delivery::{Evidence, Extent};
use countersign_core::model::grant::{Confirmation, Scope};
use countersign_core::model::names::{
    Action, Agent, Project, SessionName, StepName, SurfaceName, Tool, Workflow,
};
use countersign_core::model::narrowed::NarrowingSupport;
use countersign_core::model::proposal::Diff;
use countersign_core::model::request::{AnswerChoices, Attendance};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{
    Channel, Covers, Effect, Initiator, Presence, Printed, Reason, Risk, RunEnding, Surface, Undo,
};
use countersign_graph::{DocumentNode, TextSpan};
use serde_json::Value;
use std::collections::BTreeMap;

/// A story with its steps.
#[derive(Clone, Debug)]
pub struct Case {
    pub story: String,
    /// None if the caller provides the graph.
    pub graph: Option<DocumentNode>,
    /// The operator's policies for that graph, as Cedar text.
    pub(crate) policies: Option<PolicyText>,
    pub starts_at: Time,
    /// Files on the disk, by their absolute paths.
    pub(crate) files: Vec<String>,
    pub(crate) steps: Vec<CaseStep>,
    /// The line of each step, by its number.
    pub(crate) step_lines: BTreeMap<usize, usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct PolicyText {
    pub text: String,
    pub span: TextSpan,
}

#[derive(Clone, Debug)]
pub(crate) struct CaseStep {
    pub number: usize,
    pub span: TextSpan,
    pub session: Option<SessionName>,
    pub agent: Option<Agent>,
    pub project: Option<Project>,
    pub kind: StepKind,
    pub expect: Expectation,
}

/// What a step expects. A field that is `None` is not checked.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    pub result: Option<String>,
    pub because: Option<Reason>,
    pub via: Option<String>,
    pub cards: Option<Vec<Vec<String>>>,
    pub scope_granted: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    Call(Box<CallStep>),
    Finish {
        name: String,
        effect: Effect,
    },
    Answer {
        name: String,
        say: AnswerChoices,
        covers: Option<Covers>,
        note: String,
        proof: AnswerProof,
        /// None if the story itself shows what it asks.
        surface: Option<SurfaceName>,
    },
    Retry {
        name: String,
        ending: CallEnding,
    },
    AskAhead(Box<AheadStep>),
    Grant {
        name: Option<String>,
        coverage: CoverageSpec,
        scope: Scope,
        ends: Option<Span>,
        confirmation: Confirmation,
    },
    Import {
        name: Option<String>,
        coverage: CoverageSpec,
        scope: Scope,
        ends: Option<Span>,
    },
    Revoke(RevokeTarget),
    Keep(String),
    Gesture {
        name: String,
        declares: Vec<Action>,
        shows: Option<String>,
    },
    Start {
        name: Option<String>,
        workflow: Workflow,
        gesture: Option<String>,
        attendance: Attendance,
        parking: Parking,
    },
    End {
        name: String,
        how: RunEnding,
    },
    Say {
        /// The name of the request that this turn opens, if it opens one.
        name: Option<String>,
        text: String,
        speaker: Speaker,
    },
    Plan {
        name: Option<String>,
        actions: Vec<Action>,
        score: u8,
        commands: Vec<String>,
    },
    Propose(Box<ProposeStep>),
    Apply(String),
    Veto(String),
    Undo(String),
    Wait(Span),
    Write {
        path: String,
        text: String,
    },
    Remove(String),
    Trust(String),
    Restart,
    Reattach(String),
    Reconcile,
    SubAgentOf {
        session: SessionName,
        agent: Option<Agent>,
    },
    Load(DocumentNode),
    Review,
    Presence(Presence),
    Surface(Surface),
    Pause,
    Resume,
    Check {
        domain: String,
        action: String,
        confidence: f64,
        prints: Option<Printed>,
    },
    Grants(u64),
    Requests(u64),
    Notices(u64),
    Acknowledge,
    Deliver {
        name: String,
        how: Evidence,
        extent: Extent,
        surface: Option<SurfaceName>,
    },
    Ledger(Vec<Kind>),
}

#[derive(Clone, Debug)]
pub(crate) struct CallStep {
    pub name: Option<String>,
    pub actions: Vec<String>,
    pub declares: Vec<String>,
    pub args: Value,
    pub target: Vec<String>,
    pub categories: Vec<Category>,
    pub risk: Option<Risk>,
    pub command: Option<String>,
    pub cwd: Option<String>,
    pub tool: Option<Tool>,
    pub confidence: f64,
    pub channel: Channel,
    pub initiator: Initiator,
    pub gesture: Option<String>,
    pub callers: Vec<String>,
    pub parent: Option<String>,
    pub run: Option<String>,
    pub step: Option<StepName>,
    pub undo: Option<Undo>,
    pub reason: String,
    pub fallback: String,
    pub ending: CallEnding,
    pub narrowing: NarrowingSupport,
    pub parking: Parking,
}

#[derive(Clone, Debug)]
pub(crate) struct AheadStep {
    pub name: Option<String>,
    pub text: String,
    pub category: Option<Category>,
    pub scope: Scope,
    pub reason: String,
    pub fallback: String,
    pub parking: Parking,
}

#[derive(Clone, Debug)]
pub(crate) struct ProposeStep {
    pub name: Option<String>,
    pub action: Action,
    pub channel: Channel,
    pub diff: Option<Diff>,
    pub undo: Option<String>,
    pub parking: Parking,
}

/// How a permitted call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEnding {
    Finished(Effect),
    /// The call runs until a `finish` step.
    StillRunning,
}

#[derive(Clone, Debug)]
pub(crate) enum CoverageSpec {
    Command(String),
    Action(Action),
    Category(Category),
    Everything,
}

#[derive(Clone, Debug)]
pub(crate) enum RevokeTarget {
    Name(String),
    Command(String),
    Action(Action),
    Workflow(Workflow),
    All,
}
