//! What the seeds describe and this program does not play, by name.

pub struct Skipped {
    pub seed: &'static str,
    pub sentence: &'static str,
    pub why: &'static str,
}

const OUTAGE: &str = "needs a server that goes away; the gateway's own tests have one";
const CLIENT: &str = "is a client's own naming of tools";
const HOOK: &str = "needs a hook";
const CHANNEL: &str = "needs the signed channel";
const HOURS: &str = "needs hours";

const fn skip(seed: &'static str, sentence: &'static str, why: &'static str) -> Skipped {
    Skipped { seed, sentence, why }
}

pub const LIST: &[Skipped] = &[
    skip(
        "000",
        "an operation that failed for a while is repeated, with a health check between",
        OUTAGE,
    ),
    skip("000", "fifteen minutes for a workflow are over", HOURS),
    skip("000", "a yes for the session ends after a day", HOURS),
    skip("000", "a run without a call for a day ends", HOURS),
    skip("000", "a run that nobody takes up within ten minutes of a restart ends", HOURS),
    skip("001", "a signed request for self-modification is queued, executed or rejected", CHANNEL),
    skip("001", "a signed request that comes twice counts once", CHANNEL),
    skip("001", "a behavioural change that came by the channel is proposed and applied", CHANNEL),
    skip("001", "an approved change is applied after its cooling time", HOURS),
    skip("001", "a change can no longer be undone after seven days", HOURS),
    skip("001", "a review is announced seven days ahead", HOURS),
    skip("002", "a bridged program asks with the same tool under its prefix", CLIENT),
    skip("002", "an unused yes for one call ends after ten minutes", HOURS),
    skip(
        "003",
        "a critical question that nobody answers is over after a quarter of an hour",
        HOURS,
    ),
    skip("004", "a harness reports turns, calls and errors by itself", HOOK),
    skip("004", "a fresh context of a harness asks what to carry over", HOOK),
];
