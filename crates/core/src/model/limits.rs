//! Every bound of the core, each with its reason.
//!
//! A limit that is not here does not exist: look here first when something ended too early.

use crate::model::time::Span;

/// An unused once-grant: long enough to retry after an answer, short enough that nobody forgets it.
pub const ONCE_UNUSED: Span = Span::minutes(10);
/// The choice *15 min*.
pub const A_QUARTER: Span = Span::minutes(15);
/// A session grant never outlives a day, however long the session is held open.
pub const SESSION_GRANT: Span = Span::hours(24);
/// A declined digest is declined again without a prompt for this long.
pub const DECLINE_STICKS: Span = Span::minutes(30);
/// A request stays answerable this long; a late yes must not surprise its operator.
pub const REQUEST_OPEN: Span = Span::hours(2);
/// A critical request is about one moment, so it closes sooner.
pub const CRITICAL_REQUEST_OPEN: Span = Span::minutes(15);
/// A click covers what follows from it at once, not the next hour.
pub const GESTURE: Span = Span::seconds(60);
/// A run in which nothing was allowed for this long is over.
pub const RUN_IDLE: Span = Span::hours(24);
/// A headless run has nobody who would come back to it.
pub const RUN_IDLE_HEADLESS: Span = Span::hours(6);
/// A run grant ends a day after it was given, whatever the run does.
pub const RUN_GRANT: Span = Span::hours(24);
/// A project grant is due for review after this many days where the graph names no interval.
pub const PROJECT_REVIEW_DAYS: i64 = 30;
/// A run in which nothing was allowed for this many turns is over.
pub const RUN_IDLE_TURNS: u32 = 10;
/// After this many turns of one run its consent is confirmed once more, and again after as many.
pub const RUN_CONFIRM_TURNS: u32 = 50;
/// A plan is accepted on the next turn, or confirmed up to this many turns later.
pub const PLAN_TURNS: u32 = 3;
/// A plan this concrete needs one clear yes; the best is 4.
pub const PLAN_SCORE: u8 = 3;
/// A plan below this is no plan.
pub const PLAN_SCORE_WEAK: u8 = 2;
/// A proposal that nobody answers for this long is void.
pub const PROPOSAL_OPEN: Span = Span::days(7);
/// What was brought in from elsewhere waits this long for the operator, like a proposal.
pub const IMPORT_OPEN: Span = Span::days(7);
/// Steps of one plan.
pub const PLAN_STEPS: usize = 64;
/// Distinct questions from inside one running call; the next one is denied.
pub const QUESTIONS_INSIDE_A_CALL: usize = 2;

/// How long a call that failed for a passing cause waits before each attempt: as many attempts.
pub const REPEAT_WAITS: [Span; 5] = [
    Span::seconds(10),
    Span::seconds(20),
    Span::seconds(45),
    Span::seconds(90),
    Span::seconds(120),
];
/// A call that was put off for this long is no longer what anybody waits for.
pub const REPEAT_AGE: Span = Span::minutes(30);
/// Asking for an upstream's health and deciding takes seconds; who needs longer has died.
pub const REPEAT_LEASE: Span = Span::seconds(60);

/// Open notices about one agent; what comes beyond is counted under one that stands for the rest.
pub const NOTICES: usize = 32;
/// What a notice says, in bytes: it is read at a glance.
pub const NOTICE_BYTES: usize = 512;

/// What an agent may say about a call (reason, fallback), in bytes.
pub const CLAIM_BYTES: usize = 4096;
/// Actions named or declared by one call.
pub const ACTIONS_PER_CALL: usize = 64;
/// Calls above a call that the stack of callers is read from.
pub const PARENT_CHAIN: usize = 32;
