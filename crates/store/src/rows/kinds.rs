//! The kinds of rows, and the states that each can be in.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowKind {
    Sessions,
    Grants,
    Requests,
    Calls,
    Runs,
    Gestures,
    Proposals,
    Declined,
    CarriedOver,
    Notices,
    Nodes,
}

/// What the databases know of a kind of rows, as parts of SQL.
#[derive(Clone, Copy)]
struct KindTraits {
    table: &'static str,
    states: &'static str,
    final_states: Option<&'static str>,
    active: &'static str,
}

/// Rows that are there as long as they matter.
const fn always_open(table: &'static str) -> KindTraits {
    KindTraits { table, states: "'open'", final_states: None, active: "state = 'open'" }
}

impl RowKind {
    pub(crate) const ALL: [Self; 11] = [
        Self::Sessions,
        Self::Grants,
        Self::Requests,
        Self::Calls,
        Self::Runs,
        Self::Gestures,
        Self::Proposals,
        Self::Declined,
        Self::CarriedOver,
        Self::Notices,
        Self::Nodes,
    ];

    const fn traits(self) -> KindTraits {
        match self {
            Self::Sessions => always_open("sessions"),
            Self::Gestures => always_open("gestures"),
            Self::Declined => always_open("declined"),
            Self::CarriedOver => always_open("carried_over"),
            Self::Nodes => always_open("nodes"),
            Self::Grants => KindTraits {
                table: "grants",
                states: "'live', 'reserved', 'released', 'spent', 'ended', 'revoked'",
                final_states: Some("'spent', 'revoked'"),
                active: "state <> 'spent' AND state <> 'revoked'",
            },
            Self::Requests => KindTraits {
                table: "requests",
                states: "'open', 'closed'",
                final_states: Some("'closed'"),
                active: "state = 'open'",
            },
            Self::Calls => KindTraits {
                table: "calls",
                states: "'denied', 'parked', 'approved', 'executing', 'declined', 'expired', \
                         'stopped', 'cancelled', 'done', 'failed', 'none', 'forbidden', 'unknown'",
                final_states: Some("'done', 'declined', 'expired', 'stopped', 'cancelled'"),
                active: "(state = 'parked' OR state = 'approved' OR state = 'executing')",
            },
            Self::Runs => KindTraits {
                table: "runs",
                states: "'live', 'suspended', 'ended'",
                final_states: Some("'ended'"),
                active: "state <> 'ended'",
            },
            Self::Proposals => KindTraits {
                table: "proposals",
                states: "'waiting', 'approved', 'autonomous', 'declined', 'expired', 'vetoed', \
                         'applied', 'undone'",
                final_states: Some("'undone'"),
                active: "(state = 'waiting' OR state = 'approved' OR state = 'autonomous')",
            },
            Self::Notices => KindTraits {
                table: "notices",
                states: "'open', 'acknowledged'",
                final_states: Some("'acknowledged'"),
                active: "state = 'open'",
            },
        }
    }

    pub(crate) const fn table(self) -> &'static str {
        self.traits().table
    }

    /// All states that a row can be in.
    pub(crate) const fn states(self) -> &'static str {
        self.traits().states
    }

    /// States that nothing leads out of, but for what `may_still_become` says.
    pub(crate) const fn final_states(self) -> Option<&'static str> {
        self.traits().final_states
    }

    /// A change from a final state to another: a grant that was used up, while the call that used it
    /// runs, can be revoked.
    pub(crate) fn may_still_become(self) -> Option<(&'static str, &'static str)> {
        (self == Self::Grants).then_some(("spent", "revoked"))
    }

    /// The states in which a row can still affect a decision in its session. Spelled out, because
    /// SQLite builds a temporary table for every list that it compares with.
    pub(crate) const fn active(self) -> &'static str {
        self.traits().active
    }
}
