//! Every limit of the core, each with its reason.
//!
//! Look here first when something ended too early.

use crate::model::time::Span;

/// Lifetime of an unused once-grant: long enough to retry after an answer, short enough that nobody
/// forgets it.
pub const ONCE_UNUSED: Span = Span::minutes(10);
/// Lifetime of a grant for the choice *15 min*.
pub const A_QUARTER: Span = Span::minutes(15);
/// Lifetime of a session grant, however long the session stays open.
pub const SESSION_GRANT: Span = Span::hours(24);
/// A session ends if its agent submits nothing for this long.
pub const SESSION_IDLE: Span = Span::hours(24);
/// A session's last activity is recorded this often at most: writing it for every call would cost
/// each call another row.
pub const SESSION_ACTIVITY_STEP: Span = Span::minutes(15);
/// What held an agent back in a session that it ended holds for this long in those that it opens.
pub const SESSION_CARRIES_OVER: Span = Span::hours(24);
/// A declined digest is denied without a prompt for this long.
pub const DECLINE_STICKS: Span = Span::minutes(30);
/// A request can be answered for this long. A late yes must not surprise the operator.
pub const REQUEST_OPEN: Span = Span::hours(2);
/// A critical request is about one moment, so it closes sooner.
pub const CRITICAL_REQUEST_OPEN: Span = Span::minutes(15);
/// Lifetime of a gesture: a click covers what follows from it at once, not the next hour.
pub const GESTURE: Span = Span::seconds(60);
/// A run ends if none of its calls was allowed for this long.
pub const RUN_IDLE: Span = Span::hours(24);
/// The same for a headless run, to which nobody would come back.
pub const RUN_IDLE_HEADLESS: Span = Span::hours(6);
/// After a restart of its node, the owner of a run can take it up again for this long.
pub const RUN_REATTACH: Span = Span::minutes(10);
/// Lifetime of a run grant, whatever the run does.
pub const RUN_GRANT: Span = Span::hours(24);
/// A project grant is due for review after this many days if the graph names no interval.
pub const PROJECT_REVIEW_DAYS: i64 = 30;
/// The operator is notified this many days before a review is due: a week has a quiet hour in it.
pub const REVIEW_NOTICE_DAYS: i64 = 7;
/// A run ends if none of its calls was allowed for this many turns.
pub const RUN_IDLE_TURNS: u32 = 10;
/// Consent for a task has to be confirmed again after each stretch of this many turns of its run.
pub const RUN_CONFIRM_TURNS: u32 = 50;
/// How many grants of one kind the reply to *what have I consented to* lists: it is read in a chat.
pub const CONSENT_LISTED: usize = 50;
/// A plan can be confirmed up to this many turns later. Only the next turn accepts it at once.
pub const PLAN_TURNS: u32 = 3;
/// A plan with this score needs only one clear yes. The highest score is 4.
pub const PLAN_SCORE: u8 = 3;
/// A plan with a lower score cannot be accepted.
pub const PLAN_SCORE_WEAK: u8 = 2;
/// A proposal expires if nobody answers it for this long.
pub const PROPOSAL_OPEN: Span = Span::days(7);
/// The request about an imported grant stays open as long as a proposal.
pub const IMPORT_OPEN: Span = Span::days(7);
/// Maximum number of open questions of one session, unless the settings say otherwise: more than an
/// operator answers one by one, and few enough that other sessions of the agent can still ask.
pub const QUESTIONS_PER_SESSION: usize = 10;
/// Maximum number of open questions of one agent: what six sessions may have.
pub const QUESTIONS_PER_AGENT: usize = 60;
/// Maximum number of open questions of all agents: with more, an operator finds none of them.
pub const QUESTIONS_IN_ALL: usize = 200;
/// Maximum number of identical calls that a request lists. The others are counted: they wait for the
/// same answer, and an agent can send as many as it likes.
pub const CALLS_PER_REQUEST: usize = 16;
/// Maximum number of distinct questions from inside one running call. The next one is denied.
pub const QUESTIONS_INSIDE_A_CALL: usize = 2;

/// The delay before each automatic repeat of a call that failed for a transient cause. It also sets
/// the number of repeats.
pub const REPEAT_WAITS: [Span; 5] = [
    Span::seconds(10),
    Span::seconds(20),
    Span::seconds(45),
    Span::seconds(90),
    Span::seconds(120),
];
/// Repeats stop this long after the first failure: nobody waits for the call any more.
pub const REPEAT_AGE: Span = Span::minutes(30);
/// Duration of a lease. A health check and a decision take seconds; a slower node has died.
pub const REPEAT_LEASE: Span = Span::seconds(60);

/// Maximum number of open notices about one agent. One collective notice counts the rest.
pub const NOTICES: usize = 32;
/// Maximum length of a notice's text, in bytes: it is read at a glance.
pub const NOTICE_BYTES: usize = 512;

/// Maximum length of a task's title, in characters: it stands in a line beside other things.
pub const MAX_TITLE_CHARS: usize = 60;
/// Maximum length of each text that an agent adds to a call (reason, fallback), in bytes.
pub const CLAIM_BYTES: usize = 4096;
/// Maximum number of failures that a session remembers. An agent makes them, and a session's row is
/// written whole; once the list is full, consent for tasks and plans carries nothing new.
pub const FAILURES_PER_SESSION: usize = 1000;
/// Maximum number of files that a session remembers as seen. A session's row is written whole, and few
/// projects have more of them; beyond, a file that changed asks each time that nobody says yes to it.
pub const SEEN_RUN_FILES: usize = 512;
/// Maximum number of changed files on one card: with more, nobody reads what changed.
pub const CHANGED_RUN_FILES: usize = 16;
/// The coarsest step of a file system's times: FAT counts in two seconds. A file that changed less than
/// this before a session was opened may have changed after it.
pub const FILE_TIME_STEP: Span = Span::seconds(2);
/// Maximum number of actions that one call names or declares.
pub const ACTIONS_PER_CALL: usize = 64;
/// Maximum number of parents of a call that a decision looks at.
pub const PARENT_CHAIN: usize = 32;
/// Maximum number of declined ask-aheads that a session remembers, for the cards of later ones. The
/// oldest is forgotten first.
pub const DECLINED_QUESTIONS: usize = 32;
/// Maximum number of sub-agents below each other: each decision looks at all of the sessions above.
pub const SUB_AGENT_DEPTH: usize = 8;
/// Maximum number of open sessions of one session's sub-agents: its row names them, and is written
/// whole.
pub const SUB_AGENT_SESSIONS: usize = 256;
/// Maximum number of surfaces that a request remembers to have shown the whole call: a request's row
/// is written whole. The one that showed it longest ago is forgotten first, and has to show it again:
/// its answer is refused with that sentence.
pub const SURFACES_PER_REQUEST: usize = 64;
