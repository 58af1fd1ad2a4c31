//! The names of the checks, with a help text for the findings of each.

use countersign_core::word_enum;

word_enum! {
    /// What a finding is about.
    pub enum LintCheck {
        /// A warning of loading the graph.
        Reading = "reading",
        SilentHigh = "silent_high",
        AutonomousThatAsks = "autonomous_that_asks",
        RiskWithoutEffect = "risk_without_effect",
        MarkWithoutEffect = "mark_without_effect",
        ConditionsWithoutEffect = "conditions_without_effect",
        EmptyDomain = "empty_domain",
        UnknownRecipients = "unknown_recipients",
        NoContacts = "no_contacts",
        BlockedInWorkflow = "blocked_in_workflow",
        SlashWithoutEffect = "slash_without_effect",
        ReducerWithoutEffect = "reducer_without_effect",
        ToolAlwaysDenied = "tool_always_denied",
        ToolSaysTheSame = "tool_says_the_same",
        ToolEscapesBlock = "tool_escapes_block",
        EveryToolIsFree = "every_tool_is_free",
        EveryCommandIsFree = "every_command_is_free",
        ToolWithoutPattern = "tool_without_pattern",
        RecipientWithoutEffect = "recipient_without_effect",
        NoRecipient = "no_recipient",
        CommandRunsWorkspace = "command_runs_workspace",
        CommandReachesOut = "command_reaches_out",
        CommandWithoutEffect = "command_without_effect",
        PlaceWithoutEffect = "place_without_effect",
        PresetWithoutEffect = "preset_without_effect",
        NoDecay = "no_decay",
        LowThreshold = "low_threshold",
        ConfidenceWithoutUndo = "confidence_without_undo",
    }
}

impl LintCheck {
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
