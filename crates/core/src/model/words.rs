//! The small enums of the vocabulary. Ordered ones list their variants by strictness or size.
//!
//! Types with data of their own (grants, requests, decisions) are in their own files.

/// Defines an enum with one word per variant. Files, ledger and output use the same word.
#[macro_export]
macro_rules! word_enum {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize,
            serde::Deserialize,
        )]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.word() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

/// The same, for the enums of this crate.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($variants:tt)+ }) => {
        $crate::model::words::word_enum! {
            $(#[$meta])*
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            pub enum $name { $($variants)+ }
        }
    };
}
pub use word_enum;
pub(crate) use words;

words! {
    /// Who sends a request to Countersign. Each may do different things.
    Principal {
        Agent = "agent",
        /// Reports the operator's turns and observations.
        Adapter = "adapter",
        /// A program that gates its own functions, bound to named actions.
        Application = "application",
        Operator = "operator",
    }
}

words! {
    /// How far agents are separated from Countersign itself.
    Assurance {
        /// Agents run as the same user: this stops accidents, but not a hostile process.
        Shared = "L0",
        /// Agents run as other users and reach only what is meant for them.
        Separated = "L1",
    }
}

words! {
    /// How much harm a call can do.
    Risk {
        ReadOnly = "read_only",
        Low = "low",
        Moderate = "moderate",
        High = "high",
        Critical = "critical",
    }
}

impl Risk {
    /// Also reads the words of the systems that Countersign replaces.
    pub fn from_input(word: &str) -> Option<Self> {
        match word {
            "standard" => Some(Self::Low),
            "elevated" => Some(Self::Moderate),
            "safe" => Some(Self::ReadOnly),
            "risky" => Some(Self::High),
            word => Self::from_word(word),
        }
    }

    /// Every word that `from_input` reads, for messages and schemas.
    pub const INPUT: [&str; 9] = [
        "read_only",
        "low",
        "moderate",
        "high",
        "critical",
        "standard",
        "elevated",
        "safe",
        "risky",
    ];
}

words! {
    /// The graph's answer for an action, in order of strictness.
    Tier {
        Autonomous = "autonomous",
        RequiresApproval = "requires_approval",
        Blocked = "blocked",
    }
}

words! {
    /// Ordered by strictness: of several outcomes the greatest one holds.
    Outcome {
        Allow = "allow",
        Notify = "notify",
        Ask = "ask",
        Deny = "deny",
    }
}

words! {
    /// The cause of an outcome.
    Reason {
        Malformed = "malformed",
        NoGraph = "no_graph",
        Paused = "paused",
        Blocked = "blocked",
        SelfProtection = "self_protection",
        ChannelRequired = "channel_required",
        DiffMissing = "diff_missing",
        UndoMissing = "undo_missing",
        Cooling = "cooling",
        DeclinedBefore = "declined_before",
        Granted = "granted",
        Gesture = "gesture",
        DryRun = "dry_run",
        FanOut = "fan_out",
        ToolChanged = "tool_changed",
        UnresolvedPath = "unresolved_path",
        PreviouslyDeclined = "previously_declined",
        Unclassified = "unclassified",
        Individual = "individual",
        ChangedBeforeRun = "changed_before_run",
        AlwaysAsk = "always_ask",
        TooRiskyToCarry = "too_risky_to_carry",
        NoGrant = "no_grant",
        Nested = "nested",
        Reduced = "reduced",
        Autonomous = "autonomous",
        ReadOnly = "read_only",
        Idle = "idle",
        Plan = "plan",
        Visible = "visible",
        Decayed = "decayed",
        Expired = "expired",
        NoOperator = "no_operator",
        TooManyAsks = "too_many_asks",
        TooManyOpen = "too_many_open",
        Bypassed = "bypassed",
        AlreadyDone = "already_done",
        Running = "running",
        Stopped = "stopped",
        Cancelled = "cancelled",
        UnknownEffect = "unknown_effect",
    }
}

words! {
    /// What an operator can choose on a card.
    Choice {
        Once = "once",
        /// *This task*: for the rest of the run.
        Run = "run",
        Quarter = "15m",
        Session = "session",
        Project = "project",
        Decline = "decline",
    }
}

words! {
    /// How far a yes to a command line for some time goes, narrowest first.
    Covers {
        /// That exact command.
        Command = "command",
        /// Any command with the same program and subcommand.
        Head = "head",
        /// The actions of the classes that cover the line.
        Actions = "actions",
    }
}

words! {
    /// Who caused a call.
    Initiator {
        Agent = "agent",
        Operator = "operator",
        Schedule = "schedule",
    }
}

words! {
    /// The path a call came by. Trusted only if its signature verified.
    Channel {
        Untrusted = "untrusted",
        Trusted = "trusted",
    }
}

words! {
    /// Whether the operator is present, as operator surfaces report it. It never counts as an answer.
    Presence {
        Active = "active",
        Idle = "idle",
        Away = "away",
        Unknown = "unknown",
    }
}

words! {
    /// Whether an operator can be asked on some surface now.
    Surface {
        Reachable = "back",
        Gone = "gone",
    }
}

words! {
    /// How a call's execution ended.
    Effect {
        Done = "done",
        Failed = "failed",
        /// Our own executor attests that the call had no effect.
        Nothing = "none",
        /// It failed for lack of permission.
        Forbidden = "forbidden",
        Unknown = "unknown",
    }
}

words! {
    /// How a request ended.
    Ending {
        Approved = "approved",
        Declined = "declined",
        Cancelled = "cancelled",
        Expired = "expired",
    }
}

words! {
    /// How a run ended.
    RunEnding {
        Completed = "completed",
        Cancelled = "cancelled",
        Idle = "idle",
        Revoked = "revoked",
        /// Not reattached after a restart.
        Abandoned = "abandoned",
    }
}

words! {
    /// Who ended a session.
    SessionEnder {
        Agent = "agent",
        Adapter = "adapter",
        Operator = "operator",
        /// Nobody: its agent was silent for too long.
        Silence = "silence",
    }
}

words! {
    /// Whether an effect can be undone.
    Undo {
        Reversible = "reversible",
        Irreversible = "irreversible",
    }
}

words! {
    /// How far the operator trusts a domain. With `low`, an agent's confidence does not help.
    TrustLevel {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
}

words! {
    /// When an action that `check` calls VISIBLE is allowed.
    VisiblePolicy {
        /// As in the earlier Consent Graph: allow and notify.
        Seed = "seed",
        /// Only if it can be undone, up to moderate risk.
        Reversible = "reversible",
        Never = "never",
    }
}

words! {
    /// The word that `check` prints.
    Printed {
        Silent = "SILENT",
        Visible = "VISIBLE",
        Forced = "FORCED",
        Blocked = "BLOCKED",
    }
}

words! {
    /// Findings in a command line or target that raise a call's risk to high.
    Detector {
        Force = "force",
        Recursive = "recursive",
        OutsideWorkspace = "outside_workspace",
        SecretPath = "secret_path",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_risk_words_of_all_five_systems_are_accepted() {
        let read: Vec<_> = Risk::INPUT.iter().map(|w| Risk::from_input(w)).collect();
        use Risk::{Critical, High, Low, Moderate, ReadOnly};
        let expected = [ReadOnly, Low, Moderate, High, Critical, Low, Moderate, ReadOnly, High];
        assert_eq!(read, expected.map(Some));
        assert_eq!(Risk::from_input("HIGH"), None);
    }
}
