//! The phrases that give a turn its meaning.
//!
//! All are lower case with straight apostrophes; a turn is normalised to that form before it is
//! compared. Only the prefix of a dry run is case-sensitive.

pub const DRY_RUN: &str = "DRY RUN:";

/// Words in front of a stop or of a change of task that do not count.
pub const COURTESY: [&str; 6] = ["please", "no", "ok", "hey", "sorry", "actually"];

/// At the head of an utterance, which ends the task if it also says `instead`.
pub const CHANGE_OF_TASK: [&str; 2] = ["let's work on", "work on"];
pub const INSTEAD: &str = "instead";

/// As a whole utterance or at its head, after courtesy words.
pub const STOP: [&str; 5] = ["stop", "wait", "cancel", "hold on", "/stop"];

/// At the head of an utterance.
pub const CORRECTION: [&str; 2] = ["that's wrong", "do it differently"];

/// As a whole utterance.
pub const CLEAR: [&str; 1] = ["clear consent state"];

/// As a whole utterance.
pub const RUN_END: [&str; 3] = ["done", "complete", "next task"];

/// Followed by commands, with commas between them.
pub const GRANT: &str = "grant standing consent for:";
pub const REVOKE: &str = "revoke consent for:";

/// As a whole utterance.
pub const REVOKE_ALL: [&str; 1] = ["revoke all consent"];

/// As a whole utterance.
pub const SHOW_ALLOWLIST: [&str; 2] = ["/allowlist", "show active allowlist"];
pub const SHOW_CONSENT: [&str; 2] = ["/grants", "what have i consented to"];

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
