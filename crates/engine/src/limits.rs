//! Every bound of the engine, each with its reason.

use countersign_core::model::time::Span;

/// Time between reading and writing, after which the engine decides again: the machine was asleep,
/// and what the decision rests on may have ended.
pub const MAX_DECISION_AGE: Span = Span::seconds(10);
/// Automatic repeats leased in one round: the next round takes the rest.
pub const REPEATS_PER_ROUND: usize = 64;
/// How long the result of a call is kept: an agent that waited for a person may come back the next
/// morning.
pub const KEPT_RESULT_LIFETIME: Span = Span::days(1);
/// Bytes of a result that is kept in the store: most are texts. A longer one is kept in memory only.
pub const KEPT_RESULT_BYTES: usize = 1 << 20;
/// How many open sessions one `resume` looks at, the latest active ones first.
pub const MAX_RESUMED_SESSIONS: usize = 256;
/// Revocations that wait for a failing store: with more, the engine decides nothing until a restart.
pub const MAX_PENDING_REVOCATIONS: usize = 1024;
/// Combinations of the graph with rules of repositories that are kept: more repositories than anybody
/// works in at once. Beyond it they are combined again.
pub const MAX_KEPT_LAYERS: usize = 64;
/// Ledger entries searched for one page of an agent's records: one request must not read all.
pub const RECORD_SEARCH_ENTRIES: u64 = 4096;
/// Ledger entries read at once for that: it bounds the memory of one request.
pub const RECORD_BATCH_ENTRIES: usize = 512;
/// Records in one page: a reply stays below the size that clients accept.
pub const RECORDS_PER_PAGE: usize = 50;
/// Grants read at once when all are looked through: it bounds memory, not the result.
pub const GRANTS_PER_PAGE: usize = 1_000;
/// Ledger entries read at once when the whole ledger is: it bounds memory, not the result.
pub const ENTRIES_PER_PAGE: usize = 1_000;
/// Sealed parts erased in one commit: other commits wait for it.
pub const ERASED_PER_COMMIT: usize = 256;
/// Closed requests of an agent read for one of its cards, which counts what a wider choice would have
/// spared: older ones say little about what comes next, and somebody waits for the card.
pub const CLOSED_BEHIND_A_CARD: usize = 200;
/// Closed requests of an agent that suggestions are made from: some weeks of work, read in a fraction
/// of a second.
pub const CLOSED_PER_AGENT: usize = 500;
/// Calls with secrets kept in memory for the cards of open questions: as many as questions may be open.
pub const LIVE_CALLS: usize = 256;
/// Bytes of their arguments together: beyond that the oldest cards show marks instead.
pub const LIVE_CALL_BYTES: usize = 32 << 20;
/// How long such a call is kept: no question about a call is open for longer.
pub const LIVE_CALL_SPAN: countersign_core::model::time::Span =
    countersign_core::model::time::Span::minutes(120);
/// Texts of files that decide what lines execute, kept in memory to show what changed: some dozens of
/// workspaces.
pub const SEEN_TEXTS: usize = 1_024;
/// Bytes of these texts together: beyond that the oldest are forgotten, and a card shows the whole file.
pub const SEEN_TEXT_BYTES: usize = 16 << 20;
/// Lines that differ in such a file on a card: nobody reads more there.
pub const DIFFERENCE_LINES: usize = 80;
/// Bytes of these lines.
pub const DIFFERENCE_BYTES: usize = 8 << 10;
/// Lines that are compared one by one, which takes the square of their number. Of longer changes all
/// old lines stand before all new ones.
pub const COMPARED_LINES: usize = 400;
/// Agents that suggestions are made for in one list. Name a session to see those of another.
pub const AGENTS_LOOKED_THROUGH: usize = 32;
