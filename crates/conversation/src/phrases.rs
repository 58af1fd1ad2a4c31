//! The phrases that give a turn its meaning.
//!
//! All are lower case with straight apostrophes; a turn is normalised to that form before it is
//! compared. Only the prefix of a dry run is case-sensitive. What can only tighten is matched loosely:
//! a false stop costs a question, and a missed one may cost more. What loosens is matched exactly.
//!
//! See docs/decisions/0064-loose-and-exact-phrases.md.

pub const DRY_RUN: &str = "DRY RUN:";

/// Words around a phrase that tightens which do not count.
pub const COURTESY: [&str; 6] = ["please", "no", "ok", "hey", "sorry", "actually"];
/// The same behind a phrase, and between the parts of a report of completion.
pub const THANKS: [&str; 7] = ["please", "thanks", "thank you", "ok", "okay", "great", "now"];

/// At the head of an utterance, which ends the task if it also says `instead`.
pub const CHANGE_OF_TASK: [&str; 4] = ["let's work on", "work on", "let's switch to", "switch to"];
pub const INSTEAD: &str = "instead";
/// At the head of an utterance, which ends the task by itself.
pub const NEW_TASK: [&str; 7] = [
    "next task",
    "on to the next task",
    "let's move on",
    "let's switch to",
    "let's work on something else",
    "new task",
    "different task",
];

/// As a whole utterance or at its head, after courtesy words.
pub const STOP: [&str; 5] = ["stop", "wait", "cancel", "hold on", "/stop"];

/// At the head of an utterance, after courtesy words.
pub const CORRECTION: [&str; 6] = [
    "that's wrong",
    "thats wrong",
    "that is wrong",
    "this is wrong",
    "do it differently",
    "do this differently",
];

/// As a whole utterance, courtesy words not counted.
pub const CLEAR: [&str; 4] =
    ["clear consent state", "clear the consent state", "clear my consent state", "clear consent"];

/// As a whole utterance, or as each part of one: `tests pass, pr created, done`.
pub const RUN_END: [&str; 17] = [
    "done",
    "all done",
    "i'm done",
    "we're done",
    "it's done",
    "that's done",
    "complete",
    "completed",
    "finished",
    "task complete",
    "feature complete",
    "workflow complete",
    "tests pass",
    "all tests pass",
    "the tests pass",
    "pr created",
    "the pr is created",
];
/// Behind a subject, they report completion too: `feature x is complete`.
pub const COMPLETE: [&str; 4] = ["complete", "completed", "done", "finished"];
pub const COMPLETED_SUBJECTS: [&str; 10] =
    ["the", "feature", "task", "it", "that", "this", "everything", "all", "work", "workflow"];
/// Longer than this, it is talk about completion and no report of it.
pub const COMPLETION_WORDS: usize = 6;
/// With one of these, it is not complete.
pub const INCOMPLETE: [&str; 14] = [
    "not", "isn't", "aren't", "never", "no", "nearly", "almost", "half", "when", "if", "once",
    "until", "before", "should",
];

/// Followed by commands, with commas between them.
pub const GRANT: &str = "grant standing consent for:";

/// The first word of a revocation, after courtesy words; what it revokes follows.
pub const REVOKE: [&str; 2] = ["revoke", "/revoke"];
/// Words between `revoke` and what it revokes.
pub const REVOKE_FILLERS: [&str; 8] =
    ["my", "the", "standing", "consent", "consents", "permission", "for", "of"];
/// What is left of a revocation of everything.
pub const EVERYTHING: [&str; 3] = ["all", "everything", "every"];

/// As a whole utterance, courtesy words not counted.
pub const SHOW_ALLOWLIST: [&str; 4] =
    ["/allowlist", "show active allowlist", "show the active allowlist", "show allowlist"];
pub const SHOW_CONSENT: [&str; 3] =
    ["/grants", "what have i consented to", "what did i consent to"];

/// A yes that needs no second look, as a whole utterance.
pub const CLEAR_YES: [&str; 14] = [
    "go ahead",
    "proceed",
    "yes",
    "yep",
    "yeah",
    "sounds good",
    "looks good",
    "do it",
    "ship it",
    "make it so",
    "let's do it",
    "let's go",
    "approved",
    "confirmed",
];

/// A yes that has to be confirmed once, as a whole utterance or at its head.
pub const WEAK_YES: [&str; 5] = ["ok", "okay", "sure", "fine", "that works"];

/// A no: anywhere in an answer to a plan, at the head of an answer to a request.
pub const NO: [&str; 4] = ["no", "don't", "not yet", "never"];

/// Words that make what follows a yes a change to what was shown.
pub const CHANGES: [&str; 15] = [
    "but", "except", "without", "skip", "instead", "only", "first", "change", "unless", "rather",
    "however", "although", "also", "plus", "add",
];
