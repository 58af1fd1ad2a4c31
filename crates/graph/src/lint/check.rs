//! The names of the checks, with a help text for the findings of each.

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LintCheck {
    /// A warning of loading the graph.
    Reading,
    SilentHigh,
    AutonomousThatAsks,
    RiskWithoutEffect,
    MarkWithoutEffect,
    ConditionsWithoutEffect,
    EmptyDomain,
    UnknownRecipients,
    NoContacts,
    BlockedInWorkflow,
    SlashWithoutEffect,
    ReducerWithoutEffect,
    ToolAlwaysDenied,
    ToolSaysTheSame,
    ToolEscapesBlock,
    EveryToolIsFree,
    EveryCommandIsFree,
    ToolWithoutPattern,
    RecipientWithoutEffect,
    NoRecipient,
    CommandRunsWorkspace,
    CommandReachesOut,
    CommandWithoutEffect,
    PlaceWithoutEffect,
    PresetWithoutEffect,
    NoDecay,
    LowThreshold,
    ConfidenceWithoutUndo,
}

impl LintCheck {
    pub const ALL: [Self; 28] = [
        Self::Reading,
        Self::SilentHigh,
        Self::AutonomousThatAsks,
        Self::RiskWithoutEffect,
        Self::MarkWithoutEffect,
        Self::ConditionsWithoutEffect,
        Self::EmptyDomain,
        Self::UnknownRecipients,
        Self::NoContacts,
        Self::BlockedInWorkflow,
        Self::SlashWithoutEffect,
        Self::ReducerWithoutEffect,
        Self::ToolAlwaysDenied,
        Self::ToolSaysTheSame,
        Self::ToolEscapesBlock,
        Self::EveryToolIsFree,
        Self::EveryCommandIsFree,
        Self::ToolWithoutPattern,
        Self::RecipientWithoutEffect,
        Self::NoRecipient,
        Self::CommandRunsWorkspace,
        Self::CommandReachesOut,
        Self::CommandWithoutEffect,
        Self::PlaceWithoutEffect,
        Self::PresetWithoutEffect,
        Self::NoDecay,
        Self::LowThreshold,
        Self::ConfidenceWithoutUndo,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::SilentHigh => "silent_high",
            Self::AutonomousThatAsks => "autonomous_that_asks",
            Self::RiskWithoutEffect => "risk_without_effect",
            Self::MarkWithoutEffect => "mark_without_effect",
            Self::ConditionsWithoutEffect => "conditions_without_effect",
            Self::EmptyDomain => "empty_domain",
            Self::UnknownRecipients => "unknown_recipients",
            Self::NoContacts => "no_contacts",
            Self::BlockedInWorkflow => "blocked_in_workflow",
            Self::SlashWithoutEffect => "slash_without_effect",
            Self::ReducerWithoutEffect => "reducer_without_effect",
            Self::ToolAlwaysDenied => "tool_always_denied",
            Self::ToolSaysTheSame => "tool_says_the_same",
            Self::ToolEscapesBlock => "tool_escapes_block",
            Self::EveryToolIsFree => "every_tool_is_free",
            Self::EveryCommandIsFree => "every_command_is_free",
            Self::ToolWithoutPattern => "tool_without_pattern",
            Self::RecipientWithoutEffect => "recipient_without_effect",
            Self::NoRecipient => "no_recipient",
            Self::CommandRunsWorkspace => "command_runs_workspace",
            Self::CommandReachesOut => "command_reaches_out",
            Self::CommandWithoutEffect => "command_without_effect",
            Self::PlaceWithoutEffect => "place_without_effect",
            Self::PresetWithoutEffect => "preset_without_effect",
            Self::NoDecay => "no_decay",
            Self::LowThreshold => "low_threshold",
            Self::ConfidenceWithoutUndo => "confidence_without_undo",
        }
    }

    pub(super) const fn help(self) -> &'static str {
        match self {
            Self::Reading => "run `graph check`",
            Self::SilentHigh => {
                "move it to `requires_approval`, or declare the risk if it is intended"
            }
            Self::AutonomousThatAsks => "move it to `requires_approval`, which has the same effect",
            Self::RiskWithoutEffect => {
                "declare the higher risk, or remove the category if it is wrong"
            }
            Self::MarkWithoutEffect => "remove the flag, or change what overrides it",
            Self::ConditionsWithoutEffect => {
                "remove it, or list actions in `requires_approval` or `trusted_channel_required`"
            }
            Self::EmptyDomain => "list its actions, or remove the domain",
            Self::UnknownRecipients => {
                "list `send_unknown` or `send_to_unknown` in the tier for unknown recipients"
            }
            Self::NoContacts => "add at least one contact to `vip_contacts`",
            Self::BlockedInWorkflow => "remove it from the workflow, or from `blocked`",
            Self::SlashWithoutEffect => "remove it from the slash command",
            Self::ReducerWithoutEffect => "remove the reducer",
            Self::ToolAlwaysDenied => {
                "map the tool to the blocked action alone, or remove that action"
            }
            Self::ToolSaysTheSame => "remove the longer pattern",
            Self::ToolEscapesBlock => {
                "add the blocked action here too, unless an exception is intended"
            }
            Self::EveryToolIsFree => "remove the pattern: a tool without a pattern asks",
            Self::EveryCommandIsFree => "map it to an action that requires approval",
            Self::ToolWithoutPattern => "add it to `tools` with the actions it is mapped to",
            Self::RecipientWithoutEffect => "remove `recipient`; only `send…` actions look at it",
            Self::NoRecipient => "point `recipient` at the argument that names the recipient",
            Self::CommandRunsWorkspace => {
                "remove the rule and approve once per task, unless the agent may run any code it writes"
            }
            Self::CommandReachesOut => "name the exact command with its host or remote",
            Self::CommandWithoutEffect => "remove the rule",
            Self::PlaceWithoutEffect => "remove the pattern",
            Self::PresetWithoutEffect => "list what it should move, or remove it",
            Self::NoDecay => {
                "write `consent_decay: {enabled: true}`, or `enabled: false` if that is intended"
            }
            Self::LowThreshold => "write at least 0.5; 0.85 is the default",
            Self::ConfidenceWithoutUndo => "write `policy: reversible`, or mark these `always_ask`",
        }
    }
}
