//! Keys of known services, by the form that each service gave them.

use crate::words::{MARK, is_word_char};
use std::ops::Range;

/// Prefixes of keys, with the minimum length of what follows.
const PREFIXES: [(&str, usize); 62] = [
    ("AGE-SECRET-KEY-1", 40),
    ("AIza", 32),
    ("AKIA", 16),
    ("ASIA", 16),
    ("GOCSPX-", 20),
    ("HRKU-", 30),
    ("NRAK-", 20),
    ("PMAK-", 30),
    ("cs_adapter_", 32),
    ("cs_agent_", 32),
    ("cs_application_", 32),
    ("cs_operator_", 32),
    ("dckr_pat_", 20),
    ("dop_v1_", 40),
    ("figd_", 30),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("gldt-", 16),
    ("glpat-", 16),
    ("glptt-", 20),
    ("glrt-", 16),
    ("glsa_", 30),
    ("gsk_", 40),
    ("hf_", 30),
    ("lin_api_", 30),
    ("npm_", 30),
    ("ntn_", 40),
    ("nvapi-", 40),
    ("phx_", 30),
    ("pplx-", 40),
    ("pul-", 40),
    ("pypi-", 32),
    ("r8_", 30),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("rubygems_", 40),
    ("shpat_", 24),
    ("shpca_", 24),
    ("shpss_", 24),
    ("sk-", 32),
    ("sk-ant-", 20),
    ("sk-or-v1-", 32),
    ("sk-proj-", 16),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("sntrys_", 40),
    ("sq0atp-", 20),
    ("sq0csp-", 30),
    ("tskey-", 20),
    ("vercel_", 24),
    ("whsec_", 24),
    ("xai-", 40),
    ("xapp-", 24),
    ("xoxa-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xoxr-", 16),
    ("xoxs-", 16),
];

/// The length of the shortest key: prefix and minimum rest.
const MIN_KEY_LENGTH: usize = 20;

pub(super) fn looks_like_key(word: &str) -> bool {
    if word.starts_with(MARK) {
        return true;
    }
    word.len() >= MIN_KEY_LENGTH
        && PREFIXES.iter().any(|(prefix, min_rest)| {
            word.strip_prefix(prefix).is_some_and(|rest| {
                rest.len() >= *min_rest
                    && (rest.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
                        || !rest.contains(['-', '_']))
            })
        })
}

/// The first words of keys that go on after a dot or a colon.
const FIRST_WORDS: [&str; 5] = ["SG", "hvb", "hvs", "hvr", "ya29"];
const MIN_AFTER_DOT: usize = 24;

/// What follows the number of a bot of Telegram, and the digits of that number.
const BOT_KEY_LENGTH: usize = 35;
const BOT_DIGITS: std::ops::RangeInclusive<usize> = 8..=10;

/// A key of several words: `SG.….…`, `hvs.…`, `123456789:…`.
pub(super) fn find_key_with_dots(text: &str, start: usize, word: &str) -> Option<Range<usize>> {
    let end = start + word.len();
    let next = text.as_bytes().get(end)?;
    let rest = text.get(end + 1..)?;
    let is_bot = *next == b':'
        && BOT_DIGITS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_dotted = *next == b'.' && FIRST_WORDS.contains(&word);
    let is_part = |c: char| is_word_char(c) || is_dotted && c == '.';
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let is_key = is_bot && length == BOT_KEY_LENGTH || is_dotted && length >= MIN_AFTER_DOT;
    is_key.then_some(start..end + 1 + length)
}

/// Web addresses to which everybody can post who has them: last part of the host, and path.
const WEBHOOKS: [(&str, &str); 3] = [
    ("slack", ".com/services/"),
    ("discord", ".com/api/webhooks/"),
    ("discordapp", ".com/api/webhooks/"),
];

/// The secret part of the address of a webhook. Its host stays.
pub(super) fn find_webhook(text: &str, start: usize, word: &str) -> Option<Range<usize>> {
    let (_, path) = WEBHOOKS.iter().find(|(host, _)| *host == word)?;
    let end = start + word.len();
    let secret = text.get(end..)?.strip_prefix(path)?;
    let length = secret.find(|c| !is_word_char(c) && c != '/').unwrap_or(secret.len());
    let begin = end + path.len();
    (length >= MIN_KEY_LENGTH).then_some(begin..begin + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_length_is_that_of_the_shortest_key() {
        let shortest = PREFIXES.iter().map(|(prefix, min_rest)| prefix.len() + min_rest).min();
        assert_eq!(shortest, Some(MIN_KEY_LENGTH));
    }
}
