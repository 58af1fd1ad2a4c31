//! The format as a table: every step, its keys, and what each key takes.
//!
//! The reader and the JSON Schema both come out of this table, so they cannot disagree.

use countersign_core::model::delivery::Evidence;
use countersign_core::model::turn::{Heard, Speaker};
use countersign_core::model::words::{Choice, Effect, Presence, Reason, Risk, Surface};
use countersign_core::steps::sweep::Swept;

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    /// A name that the story gives or has given.
    Name,
    TextOrList,
    TextList,
    Flag,
    /// `true`, and nothing else.
    True,
    Number,
    Count,
    /// `16m`, `2h`: a number with `s`, `m`, `h` or `d`.
    Span,
    Word(Words),
    /// Any JSON value.
    Any,
    /// `{action: choice}`.
    Answers,
    /// One list of actions per request.
    Cards,
    /// `{command|action|category|everything: …}`.
    Coverage,
    /// A name, `{command|action|workflow: …}` or `all`.
    Revoked,
    /// `[domain, action, confidence]`.
    Checked,
    Graph,
    /// `{before, after}`.
    Diff,
}

/// Closed lists of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    Outcomes,
    Answers,
    Results,
    Loads,
    Reasons,
    Risks,
    Effects,
    Choices,
    Initiators,
    Trusted,
    AskedScopes,
    GrantScopes,
    ScopesGranted,
    Endings,
    Presences,
    Surfaces,
    Agent,
    Printed,
    Swept,
    Heard,
    Speakers,
    Evidence,
}

impl Words {
    pub(crate) fn list(self) -> Vec<&'static str> {
        match self {
            Self::Outcomes => vec!["allow", "notify", "ask", "deny"],
            Self::Answers => vec!["accepted", "already_answered", "late", "refused"],
            Self::Results => vec!["done", "refused"],
            Self::Loads => vec!["loaded", "refused"],
            Self::Reasons => Reason::ALL.iter().map(|reason| reason.word()).collect(),
            Self::Risks => Risk::INPUT.to_vec(),
            Self::Effects => {
                Effect::ALL.iter().map(|effect| effect.word()).chain(["hold"]).collect()
            }
            Self::Choices => Choice::ALL.iter().map(|choice| choice.word()).collect(),
            Self::Initiators => vec!["agent", "operator", "schedule"],
            Self::Trusted => vec!["trusted"],
            Self::AskedScopes => vec!["this_call", "this_session", "persistent"],
            Self::GrantScopes => vec!["once", "15m", "session", "project"],
            Self::ScopesGranted => vec!["once", "15m", "run", "session", "project"],
            Self::Endings => vec!["completed", "cancelled"],
            Self::Presences => Presence::ALL.iter().map(|presence| presence.word()).collect(),
            Self::Surfaces => Surface::ALL.iter().map(|surface| surface.word()).collect(),
            Self::Agent => vec!["agent"],
            Self::Swept => Swept::ALL.iter().map(|swept| swept.word()).collect(),
            Self::Heard => Heard::ALL.iter().map(|heard| heard.word()).collect(),
            Self::Speakers => Speaker::ALL.iter().map(|speaker| speaker.word()).collect(),
            Self::Evidence => Evidence::ALL.iter().map(|evidence| evidence.word()).collect(),
            Self::Printed => vec!["SILENT", "VISIBLE", "FORCED", "BLOCKED"],
        }
    }
}

pub(crate) struct StepSpec {
    pub key: &'static str,
    pub about: &'static str,
    pub takes: Form,
    pub keys: &'static [(&'static str, Form)],
}

/// Keys that every step may have.
pub(crate) const EVERYWHERE: &[(&str, Form)] =
    &[("session", Form::Name), ("agent", Form::Name), ("project", Form::Name)];

/// Keys of a case beside its steps.
pub(crate) const TOP: &[(&str, Form)] =
    &[("story", Form::Text), ("seed", Form::Text), ("graph", Form::Graph), ("starts", Form::Text)];

const OUTCOME: (&str, Form) = ("expect", Form::Word(Words::Outcomes));
const BECAUSE: (&str, Form) = ("because", Form::Word(Words::Reasons));
const VIA: (&str, Form) = ("via", Form::Name);
const CARDS: (&str, Form) = ("items", Form::Cards);
const RESULT: (&str, Form) = ("expect", Form::Word(Words::Results));
const AS: (&str, Form) = ("as", Form::Name);
const EFFECT: (&str, Form) = ("effect", Form::Word(Words::Effects));
const PARK: (&str, Form) = ("park", Form::Flag);
const GRANTED: (&str, Form) = ("scope_granted", Form::Word(Words::ScopesGranted));
const REASON: (&str, Form) = ("reason", Form::Text);
const FALLBACK: (&str, Form) = ("fallback", Form::Text);
const CONFIRM: (&str, Form) = ("confirm", Form::Flag);

pub(crate) const STEPS: &[StepSpec] = &[
    StepSpec {
        key: "call",
        about: "the agent attempts an action, or one call that needs several",
        takes: Form::TextOrList,
        keys: &[
            AS,
            ("args", Form::Any),
            ("target", Form::TextOrList),
            ("categories", Form::TextList),
            ("risk", Form::Word(Words::Risks)),
            ("command", Form::Text),
            ("cwd", Form::Text),
            ("tool", Form::Name),
            ("confidence", Form::Number),
            ("channel", Form::Word(Words::Trusted)),
            ("initiator", Form::Word(Words::Initiators)),
            ("gesture", Form::Name),
            ("caller", Form::TextOrList),
            ("parent", Form::Name),
            ("run", Form::Name),
            ("step", Form::Name),
            ("reversible", Form::Flag),
            ("declares", Form::TextList),
            REASON,
            FALLBACK,
            EFFECT,
            PARK,
            OUTCOME,
            BECAUSE,
            VIA,
            CARDS,
        ],
    },
    StepSpec {
        key: "finish",
        about: "ends a held call",
        takes: Form::Name,
        keys: &[EFFECT, RESULT],
    },
    StepSpec {
        key: "answer",
        about: "the operator answers the open request of a call, run start or ask-ahead",
        takes: Form::Name,
        keys: &[
            ("choose", Form::Word(Words::Choices)),
            ("items", Form::Answers),
            ("note", Form::Text),
            CONFIRM,
            ("expect", Form::Word(Words::Answers)),
            GRANTED,
        ],
    },
    StepSpec {
        key: "retry",
        about: "redeems a parked call by its operation id",
        takes: Form::Name,
        keys: &[EFFECT, OUTCOME, BECAUSE, VIA, CARDS],
    },
    StepSpec {
        key: "ask_ahead",
        about: "the agent asks before it acts",
        takes: Form::Text,
        keys: &[
            AS,
            ("category", Form::Text),
            ("scope", Form::Word(Words::AskedScopes)),
            REASON,
            FALLBACK,
            PARK,
            OUTCOME,
            BECAUSE,
            VIA,
        ],
    },
    StepSpec {
        key: "grant",
        about: "the operator grants directly",
        takes: Form::Coverage,
        keys: &[
            AS,
            ("scope", Form::Word(Words::GrantScopes)),
            ("ends", Form::Span),
            CONFIRM,
            RESULT,
            GRANTED,
        ],
    },
    StepSpec {
        key: "import",
        about: "a grant of an earlier system is brought in, for the operator to confirm",
        takes: Form::Coverage,
        keys: &[AS, ("scope", Form::Word(Words::GrantScopes)), ("ends", Form::Span), RESULT],
    },
    StepSpec {
        key: "revoke",
        about: "the operator takes grants back",
        takes: Form::Revoked,
        keys: &[RESULT],
    },
    StepSpec {
        key: "keep",
        about: "the operator looks at a grant of a project again and keeps it",
        takes: Form::Name,
        keys: &[RESULT],
    },
    StepSpec {
        key: "start",
        about: "a run of a workflow is started",
        takes: Form::Name,
        keys: &[AS, ("gesture", Form::Name), ("headless", Form::Flag), PARK, OUTCOME, BECAUSE, VIA],
    },
    StepSpec {
        key: "end",
        about: "a run ends",
        takes: Form::Name,
        keys: &[("how", Form::Word(Words::Endings)), RESULT],
    },
    StepSpec {
        key: "say",
        about: "the operator's own turn, or what an agent or adapter reports as one",
        takes: Form::Text,
        keys: &[AS, ("by", Form::Word(Words::Speakers)), ("expect", Form::Word(Words::Heard))],
    },
    StepSpec {
        key: "plan",
        about: "the agent proposes a concrete plan",
        takes: Form::TextList,
        keys: &[AS, ("score", Form::Count), ("commands", Form::TextList)],
    },
    StepSpec {
        key: "propose",
        about: "a proposal of an agent to change itself, or an edit of an earlier one",
        takes: Form::Text,
        keys: &[
            AS,
            ("channel", Form::Word(Words::Trusted)),
            ("diff", Form::Diff),
            ("undo", Form::Text),
            PARK,
            OUTCOME,
            BECAUSE,
        ],
    },
    StepSpec {
        key: "apply",
        about: "a proposal is applied",
        takes: Form::Name,
        keys: &[RESULT, BECAUSE],
    },
    StepSpec {
        key: "veto",
        about: "the operator vetoes a proposal",
        takes: Form::Name,
        keys: &[RESULT, BECAUSE],
    },
    StepSpec { key: "wait", about: "the clock moves", takes: Form::Span, keys: &[] },
    StepSpec {
        key: "restart",
        about: "the process dies and starts again on the same store",
        takes: Form::True,
        keys: &[],
    },
    StepSpec {
        key: "reattach",
        about: "the owner takes its run up again after a restart",
        takes: Form::Name,
        keys: &[RESULT],
    },
    StepSpec {
        key: "reconcile",
        about: "runs of the session that nobody took up again after a restart end",
        takes: Form::True,
        keys: &[("expect", Form::Word(Words::Swept))],
    },
    StepSpec {
        key: "load",
        about: "the graph is replaced",
        takes: Form::Graph,
        keys: &[("expect", Form::Word(Words::Loads))],
    },
    StepSpec {
        key: "review",
        about: "the operator reviews the graph",
        takes: Form::True,
        keys: &[],
    },
    StepSpec {
        key: "presence",
        about: "operator surfaces report presence",
        takes: Form::Word(Words::Presences),
        keys: &[],
    },
    StepSpec {
        key: "surface",
        about: "whether a surface is within reach",
        takes: Form::Word(Words::Surfaces),
        keys: &[],
    },
    StepSpec {
        key: "pause",
        about: "the operator pauses the step's agent",
        takes: Form::Word(Words::Agent),
        keys: &[],
    },
    StepSpec {
        key: "resume",
        about: "the operator resumes the step's agent",
        takes: Form::Word(Words::Agent),
        keys: &[],
    },
    StepSpec {
        key: "check",
        about: "the tier that the CLI prints",
        takes: Form::Checked,
        keys: &[("prints", Form::Word(Words::Printed))],
    },
    StepSpec {
        key: "grants",
        about: "how many grants are in force in the session",
        takes: Form::Count,
        keys: &[],
    },
    StepSpec {
        key: "requests",
        about: "how many requests are open in the session",
        takes: Form::Count,
        keys: &[],
    },
    StepSpec {
        key: "notices",
        about: "how many notices and alerts nobody has acknowledged, of all agents",
        takes: Form::Count,
        keys: &[],
    },
    StepSpec {
        key: "acknowledge",
        about: "a surface has done with all notices and alerts",
        takes: Form::True,
        keys: &[RESULT],
    },
    StepSpec {
        key: "deliver",
        about: "a surface says how far showing the question about a call, run start or ask-ahead got",
        takes: Form::Name,
        keys: &[("how", Form::Word(Words::Evidence)), RESULT],
    },
    StepSpec {
        key: "ledger",
        about: "these entry kinds occur in this order, and the chain verifies",
        takes: Form::TextList,
        keys: &[],
    },
    StepSpec {
        key: "gesture",
        about: "the operator clicks something that declares these actions",
        takes: Form::Name,
        keys: &[("declares", Form::TextList), ("shows", Form::Name)],
    },
    StepSpec {
        key: "undo",
        about: "an applied proposal is taken back",
        takes: Form::Name,
        keys: &[RESULT, BECAUSE],
    },
];

/// Step keys that are plain keys of another step: a step of their own only where no other stands.
pub(crate) const ALSO_PLAIN: [&str; 2] = ["gesture", "undo"];
