//! The case format as a table: the steps, their keys, and the form of each key's value.
//!
//! The parser and the JSON Schema both use this table, so they cannot disagree.

mod form;

pub(crate) use form::{Form, WordList};

pub(crate) struct StepSpec {
    pub key: &'static str,
    pub description: &'static str,
    pub form: Form,
    pub keys: &'static [(&'static str, Form)],
}

/// Keys that every step may have.
pub(crate) const COMMON_STEP_KEYS: &[(&str, Form)] =
    &[("session", Form::Name), ("agent", Form::Name), ("project", Form::Name)];

/// Keys of a case other than `steps`.
pub(crate) const CASE_KEYS: &[(&str, Form)] = &[
    ("story", Form::Text),
    // A tag that nothing reads; stories of others have it.
    ("seed", Form::Text),
    ("graph", Form::Graph),
    ("policies", Form::Text),
    ("starts", Form::Text),
];

const OUTCOME: (&str, Form) = ("expect", Form::Word(WordList::Outcomes));
const BECAUSE: (&str, Form) = ("because", Form::Word(WordList::Reasons));
const VIA: (&str, Form) = ("via", Form::Name);
const CARDS: (&str, Form) = ("items", Form::Cards);
const RESULT: (&str, Form) = ("expect", Form::Word(WordList::StepResults));
const AS: (&str, Form) = ("as", Form::Name);
const EFFECT: (&str, Form) = ("effect", Form::Word(WordList::Effects));
const PARK: (&str, Form) = ("park", Form::Flag);
const SCOPE_GRANTED: (&str, Form) = ("scope_granted", Form::Word(WordList::GrantedScopes));
const REASON: (&str, Form) = ("reason", Form::Text);
const FALLBACK: (&str, Form) = ("fallback", Form::Text);
const CONFIRM: (&str, Form) = ("confirm", Form::Flag);

pub(crate) const STEPS: &[StepSpec] = &[
    StepSpec {
        key: "call",
        description: "the agent makes a call with one or more actions",
        form: Form::TextOrList,
        keys: &[
            AS,
            ("args", Form::Any),
            ("target", Form::TextOrList),
            ("categories", Form::TextList),
            ("risk", Form::Word(WordList::Risks)),
            ("command", Form::Text),
            ("cwd", Form::Text),
            ("tool", Form::Name),
            ("confidence", Form::Number),
            ("channel", Form::Word(WordList::Channels)),
            ("initiator", Form::Word(WordList::Initiators)),
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
        description: "ends a call that is still running",
        form: Form::Name,
        keys: &[EFFECT, RESULT],
    },
    StepSpec {
        key: "answer",
        description: "the operator answers the open request of a call, run start or ask-ahead",
        form: Form::Name,
        keys: &[
            ("choose", Form::Word(WordList::Choices)),
            ("covers", Form::Word(WordList::Covers)),
            ("items", Form::Answers),
            ("note", Form::Text),
            CONFIRM,
            ("on", Form::Text),
            ("expect", Form::Word(WordList::AnswerResults)),
            SCOPE_GRANTED,
        ],
    },
    StepSpec {
        key: "retry",
        description: "the agent retries a parked call",
        form: Form::Name,
        keys: &[EFFECT, OUTCOME, BECAUSE, VIA, CARDS],
    },
    StepSpec {
        key: "ask_ahead",
        description: "the agent asks before it acts",
        form: Form::Text,
        keys: &[
            AS,
            ("category", Form::Text),
            ("scope", Form::Word(WordList::AheadScopes)),
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
        description: "the operator mints a grant without a request",
        form: Form::Coverage,
        keys: &[
            AS,
            ("scope", Form::Word(WordList::GrantScopes)),
            ("ends", Form::Span),
            CONFIRM,
            RESULT,
            SCOPE_GRANTED,
        ],
    },
    StepSpec {
        key: "import",
        description: "imports a grant of an earlier system, which the operator has to confirm",
        form: Form::Coverage,
        keys: &[AS, ("scope", Form::Word(WordList::GrantScopes)), ("ends", Form::Span), RESULT],
    },
    StepSpec {
        key: "revoke",
        description: "the operator revokes grants",
        form: Form::RevokeTarget,
        keys: &[RESULT],
    },
    StepSpec {
        key: "keep",
        description: "the operator reviews a project grant and keeps it",
        form: Form::Name,
        keys: &[RESULT],
    },
    StepSpec {
        key: "start",
        description: "the agent starts a run of a workflow",
        form: Form::Name,
        keys: &[AS, ("gesture", Form::Name), ("headless", Form::Flag), PARK, OUTCOME, BECAUSE, VIA],
    },
    StepSpec {
        key: "end",
        description: "ends a run",
        form: Form::Name,
        keys: &[("how", Form::Word(WordList::RunEndings)), RESULT],
    },
    StepSpec {
        key: "say",
        description: "a turn of the operator, or one that an agent or adapter reports",
        form: Form::Text,
        keys: &[
            AS,
            ("by", Form::Word(WordList::Speakers)),
            ("expect", Form::Word(WordList::SayResults)),
        ],
    },
    StepSpec {
        key: "plan",
        description: "the agent proposes a concrete plan",
        form: Form::TextList,
        keys: &[AS, ("score", Form::Count), ("commands", Form::TextList)],
    },
    StepSpec {
        key: "propose",
        description: "the agent proposes to change itself, or edits an earlier proposal",
        form: Form::Text,
        keys: &[
            AS,
            ("channel", Form::Word(WordList::Channels)),
            ("diff", Form::Diff),
            ("undo", Form::Text),
            PARK,
            OUTCOME,
            BECAUSE,
        ],
    },
    StepSpec {
        key: "apply",
        description: "the agent applies a proposal",
        form: Form::Name,
        keys: &[RESULT, BECAUSE],
    },
    StepSpec {
        key: "veto",
        description: "the operator vetoes a proposal",
        form: Form::Name,
        keys: &[RESULT, BECAUSE],
    },
    StepSpec { key: "wait", description: "the clock advances", form: Form::Span, keys: &[] },
    StepSpec {
        key: "restart",
        description: "the process ends and restarts on the same store",
        form: Form::OnlyTrue,
        keys: &[],
    },
    StepSpec {
        key: "reattach",
        description: "the owner reattaches its run after a restart",
        form: Form::Name,
        keys: &[RESULT],
    },
    StepSpec {
        key: "reconcile",
        description: "ends the session's runs that were not reattached after a restart",
        form: Form::OnlyTrue,
        keys: &[("expect", Form::Word(WordList::ReconcileResults))],
    },
    StepSpec {
        key: "load",
        description: "replaces the graph",
        form: Form::Graph,
        keys: &[("expect", Form::Word(WordList::LoadResults))],
    },
    StepSpec {
        key: "review",
        description: "the operator reviews the graph",
        form: Form::OnlyTrue,
        keys: &[],
    },
    StepSpec {
        key: "presence",
        description: "sets the operator's presence",
        form: Form::Word(WordList::Presences),
        keys: &[],
    },
    StepSpec {
        key: "surface",
        description: "sets whether a surface is reachable",
        form: Form::Word(WordList::Surfaces),
        keys: &[],
    },
    StepSpec {
        key: "pause",
        description: "the operator pauses the step's agent",
        form: Form::Word(WordList::PauseTargets),
        keys: &[],
    },
    StepSpec {
        key: "resume",
        description: "the operator resumes the step's agent",
        form: Form::Word(WordList::PauseTargets),
        keys: &[],
    },
    StepSpec {
        key: "check",
        description: "checks the tier that the CLI prints",
        form: Form::TierQuery,
        keys: &[("prints", Form::Word(WordList::PrintedTiers))],
    },
    StepSpec {
        key: "grants",
        description: "checks the number of grants in force in the session",
        form: Form::Count,
        keys: &[],
    },
    StepSpec {
        key: "requests",
        description: "checks the number of open requests in the session",
        form: Form::Count,
        keys: &[],
    },
    StepSpec {
        key: "notices",
        description: "checks the number of unacknowledged notices and alerts of all agents",
        form: Form::Count,
        keys: &[],
    },
    StepSpec {
        key: "acknowledge",
        description: "a surface acknowledges all notices and alerts",
        form: Form::OnlyTrue,
        keys: &[RESULT],
    },
    StepSpec {
        key: "deliver",
        description: "a surface reports how far it got in showing the request of a call, run start or ask-ahead",
        form: Form::Name,
        keys: &[
            ("how", Form::Word(WordList::Evidence)),
            ("shown", Form::Word(WordList::Extents)),
            ("on", Form::Text),
            RESULT,
        ],
    },
    StepSpec {
        key: "ledger",
        description: "checks that these entry kinds occur in this order and that the hash chain verifies",
        form: Form::TextList,
        keys: &[],
    },
    StepSpec {
        key: "gesture",
        description: "the operator clicks something that declares these actions",
        form: Form::Name,
        keys: &[("declares", Form::TextList), ("shows", Form::Name)],
    },
    StepSpec {
        key: "undo",
        description: "undoes an applied proposal",
        form: Form::Name,
        keys: &[RESULT, BECAUSE],
    },
];

/// Step keys that are also plain keys of other steps. They name the step only if no other step key
/// is present.
pub(crate) const STEP_KEYS_USED_INSIDE_OTHERS: [&str; 2] = ["gesture", "undo"];
