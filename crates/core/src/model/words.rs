//! The small closed words of the vocabulary: one enum each, in the order of strictness or size.
//!
//! Words with data of their own (grants, requests, reasons) live in their own files.

use serde::{Deserialize, Serialize};

/// Makes an enum whose words are the same in types, files, ledger and output.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
pub(crate) use words;

words! {
    /// Who speaks: what each can do is not what the others can.
    Principal {
        Agent = "agent",
        /// Reports what the operator said and what was observed.
        Adapter = "adapter",
        Operator = "operator",
    }
}

words! {
    /// How far agents are kept away from what decides about them.
    Assurance {
        /// They run as the same user: accidents are stopped, a hostile process is not.
        Shared = "L0",
        /// They run as other users, and reach only what is meant for them.
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
    /// The graph's standing answer for an action, in the order of strictness.
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
    /// The one cause of an outcome.
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
        PreviouslyDeclined = "previously_declined",
        Unclassified = "unclassified",
        Individual = "individual",
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
        Bypassed = "bypassed",
        AlreadyDone = "already_done",
        Running = "running",
        Stopped = "stopped",
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
    /// Whether the operator is at hand, as operator surfaces report it. Never an answer.
    Presence {
        Active = "active",
        Idle = "idle",
        Away = "away",
        Unknown = "unknown",
    }
}

words! {
    /// Whether there is a surface on which an operator could be asked now.
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
        /// Our own executor attests that nothing happened.
        Nothing = "none",
        /// An error of permission kind.
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
        /// Not taken up again after a restart.
        Abandoned = "abandoned",
    }
}

words! {
    /// Whether an effect can be taken back.
    Undo {
        Reversible = "reversible",
        Irreversible = "irreversible",
    }
}

words! {
    /// How far an operator trusts a domain; `low` keeps confidence from helping.
    TrustLevel {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
}

words! {
    /// What VISIBLE means in practice.
    VisiblePolicy {
        /// Proceed and notify.
        Seed = "seed",
        /// Only what can be undone, up to moderate risk.
        Reversible = "reversible",
        Never = "never",
    }
}

words! {
    /// What the seed's `check` prints.
    Printed {
        Silent = "SILENT",
        Visible = "VISIBLE",
        Forced = "FORCED",
        Blocked = "BLOCKED",
    }
}

words! {
    /// Signs in a command line or target that raise a call's risk to high.
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
    fn every_risk_word_of_the_five_systems_is_read() {
        let read: Vec<_> = Risk::INPUT.iter().map(|w| Risk::from_input(w)).collect();
        use Risk::{Critical, High, Low, Moderate, ReadOnly};
        let expected = [ReadOnly, Low, Moderate, High, Critical, Low, Moderate, ReadOnly, High];
        assert_eq!(read, expected.map(Some));
        assert_eq!(Risk::from_input("HIGH"), None);
    }
}
