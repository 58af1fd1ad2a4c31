//! The resolved graph: the meaning of the operator's file.
//!
//! The crate `graph` parses files into this type. Nothing here parses, and agents have no way to
//! change it. A rule is found by the full name of the action, in one lookup.

mod domains;
mod layer;
mod presets;

pub use domains::{Conditions, Demand, Destinations, Domain, Domains};
pub use layer::{AppliedLayer, LayerRef, LayerStanding};
pub use presets::{ChosenPreset, Preset, TierMove};

use crate::encoding::digest::Digest;
use crate::model::category::Category;
use crate::model::names::{Action, NameError, StepName, Tool, Workflow};
use crate::model::time::Date;
use crate::model::words::{Risk, Tier, Undo, VisiblePolicy};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The hash of the source file, which every decision records.
    pub hash: Digest,
    pub decay: Decay,
    /// `consent_decay.review_interval_days`, 30 by default. Project grants are due for review after
    /// this many days, even if decay is off.
    pub review_days: u32,
    pub last_reviewed: LastReview,
    pub visible: VisibilityRule,
    pub unclassified: Unclassified,
    pub domains: Domains,
    pub rules: HashMap<Action, Rule>,
    /// Names and their ids. Only the ids are compared.
    pub contacts: BTreeMap<String, Vec<String>>,
    pub reducers: Vec<Reducer>,
    pub tools: Vec<ToolMapping>,
    pub workflows: BTreeMap<Workflow, WorkflowRule>,
    pub slash: BTreeMap<String, Vec<Action>>,
    pub commands: CommandRules,
    /// Patterns of secret and guarded places beside the built-in ones, as written in the file. The
    /// crate `graph` compiles them and has checked that they compile.
    pub secrets: Vec<String>,
    pub guarded: Vec<String>,
    pub presets: BTreeMap<String, Preset>,
    /// None if the tier lists hold as they are.
    pub preset: Option<ChosenPreset>,
    /// The rules of a repository that this graph contains besides the operator's.
    pub layer: Option<Box<AppliedLayer>>,
}

/// Rules about command lines, as written in the file. The crate `commands` parses them; the crate
/// `graph` has checked that they parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRules {
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    /// Rules that say as which action a command is decided, in the order of the file.
    pub classes: Vec<(Action, Vec<String>)>,
    /// Variables that a line may set in front of a command.
    pub env: Vec<String>,
}

impl CommandRules {
    /// No rules: every command line is decided by its action.
    pub const NONE: Self =
        Self { allow: Vec::new(), deny: Vec::new(), classes: Vec::new(), env: Vec::new() };
}

/// The graph's rule for one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub tier: Tier,
    /// Includes the floors of the rule's own categories; if the graph states a risk, only critical ones.
    pub risk: Risk,
    pub categories: Vec<Category>,
    /// None if the graph does not say; a decision takes that for irreversible.
    pub undo: Option<Undo>,
    pub asking: AskingRule,
    pub when_idle: WhenIdle,
    pub channel: ChannelRule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskingRule {
    ByTier,
    /// `always_ask`: only an answer to the call itself allows it.
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenIdle {
    Ask,
    /// `when_idle`: allowed while the operator is idle, if the risk is low and it can be undone.
    Pass,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelRule {
    Any,
    /// `trusted_channel_required`.
    TrustedOnly,
}

/// When a graph or domain was last reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastReview {
    Never,
    On(Date),
    /// A date that cannot be parsed counts as never.
    Unreadable(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    Off,
    AfterDays(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisibilityRule {
    pub threshold: f64,
    pub policy: VisiblePolicy,
}

impl VisibilityRule {
    pub const DEFAULT: Self = Self { threshold: 0.85, policy: VisiblePolicy::Reversible };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclassified {
    Ask,
    Deny,
}

/// While `caller` runs, a nested `action` has at most the risk `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reducer {
    /// An action or a tool on the stack of running calls.
    pub caller: String,
    pub action: Action,
    pub to: Risk,
}

/// How one tool, or every tool with a name prefix, maps to actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolMapping {
    pub pattern: ToolPattern,
    pub actions: Vec<Action>,
    /// Actions that a call of the tool may trigger.
    pub declares: Vec<Action>,
    pub categories: Vec<Category>,
    /// JSON pointers into the arguments; several if agents name one argument differently.
    pub target: Vec<String>,
    pub command: Option<String>,
    /// JSON pointers to the folder in which the command line runs.
    pub folder: Vec<String>,
    pub recipient: Option<String>,
    pub amount: Option<String>,
    pub undo: Option<Undo>,
    pub repeat: Repeat,
    pub health: Option<String>,
    /// What it stands for if one argument is empty.
    pub if_empty: Option<EmptyArgument>,
}

/// The actions of a tool that does less if an argument is missing or empty: typing nothing into a
/// running program only looks at its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmptyArgument {
    /// A JSON pointer into the arguments.
    pub argument: String,
    pub actions: Vec<Action>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolPattern {
    Exact(String),
    Prefix(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    NeedsAPerson,
    /// `idempotent`: the operator declares that repeating it is harmless.
    Idempotent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowRule {
    pub actions: Vec<Action>,
    pub steps: Vec<StepRule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRule {
    pub name: StepName,
    pub actions: Vec<Action>,
    pub consent: StepConsent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepConsent {
    OfTheRun,
    /// `individual`: asked one by one; the run's grant does not cover it.
    Individual,
}

impl Rule {
    /// Whether a decision takes the action for reversible.
    pub fn assumed_undo(&self) -> Undo {
        self.undo.unwrap_or(Undo::Irreversible)
    }

    /// The risk of an action that no list names.
    pub const UNCLASSIFIED_RISK: Risk = Risk::High;

    /// The risk of an action whose rule names none.
    pub const fn default_risk(tier: Tier) -> Risk {
        match tier {
            Tier::Autonomous => Risk::Low,
            Tier::RequiresApproval => Risk::Moderate,
            Tier::Blocked => Risk::High,
        }
    }
}

impl ToolMapping {
    /// The actions that the tool stands for with these arguments.
    pub fn find_actions(&self, args: &Value) -> &[Action] {
        match &self.if_empty {
            Some(empty) if empty.matches(args) => &empty.actions,
            Some(_) | None => &self.actions,
        }
    }
}

impl EmptyArgument {
    /// Whether the argument is missing or empty, and no other one could hold what it lacks: only
    /// numbers, switches and ids stand beside it.
    fn matches(&self, args: &Value) -> bool {
        let is_empty = |value: &Value| match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
        };
        let is_harmless = |(name, value): (&String, &Value)| match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
            Value::String(text) => text.is_empty() || name.to_ascii_lowercase().ends_with("id"),
            Value::Array(_) | Value::Object(_) => false,
        };
        args.pointer(&self.argument).is_none_or(is_empty)
            && args.as_object().is_some_and(|fields| fields.iter().all(is_harmless))
    }
}

impl ToolPattern {
    pub fn matches(&self, tool: &str) -> bool {
        match self {
            Self::Exact(name) => name == tool,
            Self::Prefix(prefix) => tool.starts_with(prefix.as_str()),
        }
    }

    /// Longer patterns are more specific; of two equally long ones the exact name is.
    fn specificity(&self) -> (usize, u8) {
        match self {
            Self::Exact(name) => (name.len(), 1),
            Self::Prefix(prefix) => (prefix.len(), 0),
        }
    }
}

/// A tool that no pattern matches is an action of its own: `mcp.SERVER.TOOL` or `tool.NAME`.
pub fn unmapped_tool_action(tool: &Tool) -> Result<Action, NameError> {
    match tool.as_str().strip_prefix("mcp__") {
        Some(rest) => Action::parse(&format!("mcp.{}", rest.replacen("__", ".", 1))),
        None => Action::parse(&format!("tool.{tool}")),
    }
}

impl Graph {
    pub fn rule(&self, action: &Action) -> Option<&Rule> {
        self.rules.get(action)
    }

    /// The mapping of a tool: the longest pattern wins.
    pub fn tool(&self, tool: &str) -> Option<&ToolMapping> {
        self.tools
            .iter()
            .filter(|mapping| mapping.pattern.matches(tool))
            .max_by_key(|mapping| mapping.pattern.specificity())
    }

    /// The actions of a tool with these arguments.
    pub fn actions_for_tool(&self, tool: &Tool, args: &Value) -> Result<Vec<Action>, NameError> {
        match self.tool(tool.as_str()) {
            Some(mapping) => Ok(mapping.find_actions(args).to_vec()),
            None => Ok(vec![unmapped_tool_action(tool)?]),
        }
    }

    pub fn is_contact(&self, id: &str) -> bool {
        self.contacts.values().flatten().any(|known| known == id)
    }

    pub fn visible(&self, domain: Option<&Domain>) -> VisibilityRule {
        domain.map_or(self.visible, |domain| domain.visible)
    }

    /// The review date of a domain: its own, or else the graph's.
    pub fn reviewed<'a>(&'a self, domain: Option<&'a Domain>) -> &'a LastReview {
        domain.and_then(|d| d.last_reviewed.as_ref()).unwrap_or(&self.last_reviewed)
    }

    pub fn is_decayed(&self, domain: Option<&Domain>, today: Date) -> bool {
        match self.decay {
            Decay::Off => false,
            Decay::AfterDays(days) => match self.reviewed(domain) {
                LastReview::Never | LastReview::Unreadable(_) => true,
                LastReview::On(date) => *date > today || today.days_since(*date) >= i64::from(days),
            },
        }
    }

    /// A copy of the graph in which everything was reviewed on this day.
    pub fn reviewed_on(&self, today: Date) -> Self {
        let mut graph = self.clone();
        graph.last_reviewed = LastReview::On(today);
        for domain in graph.domains.values_mut() {
            domain.last_reviewed = domain.last_reviewed.as_ref().map(|_| LastReview::On(today));
        }
        graph
    }
}

impl WorkflowRule {
    /// Whether any individual step lists the action, or the named step is individual.
    pub fn is_individual(&self, action: &Action, step: Option<&StepName>) -> bool {
        self.steps.iter().any(|rule| {
            rule.consent == StepConsent::Individual
                && (rule.actions.contains(action) || Some(&rule.name) == step)
        })
    }

    pub fn has_step(&self, step: &StepName) -> bool {
        self.steps.iter().any(|rule| rule.name == *step)
    }
}
