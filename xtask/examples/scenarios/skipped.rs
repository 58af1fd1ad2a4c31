//! What the earlier systems describe and this program does not play, by name.

use super::scenario::{ASKING_AHEAD, CONSENT_GRAPH, CONVERSATION, GATED_FUNCTIONS, SAFETY_CLASSES};

pub struct Skipped {
    pub group: &'static str,
    pub sentence: &'static str,
    pub why: &'static str,
}

const OUTAGE: &str = "needs a server that goes away; the gateway's own tests have one";
const CLIENT: &str = "is a client's own naming of tools";
const HOOK: &str = "needs a hook";
const CHANNEL: &str = "needs the signed channel";
const HOURS: &str = "needs hours";

const fn skip(group: &'static str, sentence: &'static str, why: &'static str) -> Skipped {
    Skipped { group, sentence, why }
}

pub const LIST: &[Skipped] = &[
    skip(
        GATED_FUNCTIONS,
        "an operation that failed for a while is repeated, with a health check between",
        OUTAGE,
    ),
    skip(GATED_FUNCTIONS, "fifteen minutes for a workflow are over", HOURS),
    skip(GATED_FUNCTIONS, "a yes for the session ends after a day", HOURS),
    skip(GATED_FUNCTIONS, "a run without a call for a day ends", HOURS),
    skip(GATED_FUNCTIONS, "a run that nobody takes up within ten minutes of a restart ends", HOURS),
    skip(
        CONSENT_GRAPH,
        "a signed request for self-modification is queued, executed or rejected",
        CHANNEL,
    ),
    skip(CONSENT_GRAPH, "a signed request that comes twice counts once", CHANNEL),
    skip(
        CONSENT_GRAPH,
        "a behavioural change that came by the channel is proposed and applied",
        CHANNEL,
    ),
    skip(CONSENT_GRAPH, "an approved change is applied after its cooling time", HOURS),
    skip(CONSENT_GRAPH, "a change can no longer be undone after seven days", HOURS),
    skip(CONSENT_GRAPH, "a review is announced seven days ahead", HOURS),
    skip(ASKING_AHEAD, "a bridged program asks with the same tool under its prefix", CLIENT),
    skip(ASKING_AHEAD, "an unused yes for one call ends after ten minutes", HOURS),
    skip(
        SAFETY_CLASSES,
        "a critical question that nobody answers is over after a quarter of an hour",
        HOURS,
    ),
    skip(CONVERSATION, "a harness reports turns, calls and errors by itself", HOOK),
    skip(CONVERSATION, "a fresh context of a harness asks what to carry over", HOOK),
];
