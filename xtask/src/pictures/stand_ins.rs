//! Replaces what differs from run to run, so that the same program gives the same picture: ids,
//! digests, instants, the user and the temporary folder.

use std::collections::BTreeMap;

/// The name of the temporary folder up to its random letters, and all of it.
const FOLDER_START: &str = "countersign-demo-";
const FOLDER: &str = "countersign-demo-5bXq2u";
const USER: &str = "uid-1000";
/// The day of all instants, and the time of the first that is shown, in seconds.
const DAY: &str = "2026-01-05";
const FIRST_INSTANT: i64 = 11 * 3600;
/// Runs differ by some seconds, and what is shown lies minutes and hours apart.
const INSTANT_STEP: i64 = 300;
const SECONDS_PER_DAY: i64 = 24 * 3600;

#[derive(Debug, Default)]
pub struct StandIns {
    /// By the first digits, which the short and the whole form of an id share.
    digits: BTreeMap<String, u64>,
    /// The first instant, in seconds of its day.
    anchor: Option<i64>,
}

impl StandIns {
    /// Replaces the words of a text, and keeps what is between them.
    pub fn replace(&mut self, text: &str) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '…' | '-' | ':');
        let mut replaced = String::new();
        let mut word = String::new();
        for next in text.chars() {
            match is_part(next) {
                true => word.push(next),
                false => {
                    replaced.push_str(&self.replace_word(&std::mem::take(&mut word)));
                    replaced.push(next);
                }
            }
        }
        replaced.push_str(&self.replace_word(&word));
        replaced
    }

    fn replace_word(&mut self, word: &str) -> String {
        if let Some(colon) = word.strip_suffix(':') {
            return format!("{}:", self.replace_word(colon));
        }
        if let Some(seconds) = read_instant(word) {
            return self.replace_instant(seconds);
        }
        if word.starts_with(FOLDER_START) {
            let is_cut = word.ends_with('…');
            let letters = word.chars().count() - usize::from(is_cut);
            let end = if is_cut { "…" } else { "" };
            return FOLDER.chars().take(letters).chain(end.chars()).collect();
        }
        if word.strip_prefix("uid-").is_some_and(|number| number.parse::<u32>().is_ok()) {
            return USER.to_owned();
        }
        match word.split_once('…') {
            Some((start, end)) if is_hex(start) && is_hex(end) => {
                format!("{}…{}", self.replace_digits(start), self.replace_digits(end))
            }
            _ => self.replace_id(word),
        }
    }

    fn replace_id(&mut self, word: &str) -> String {
        if word.len() == 64 && is_hex(word) {
            return self.replace_digits(word);
        }
        let mut rest = word.chars();
        let letter = rest.next().filter(|letter| "cgnprw".contains(*letter));
        match (letter, rest.as_str()) {
            (Some(letter), digits) if matches!(digits.len(), 6 | 32) && is_hex(digits) => {
                format!("{letter}{}", self.replace_digits(digits))
            }
            _ => word.to_owned(),
        }
    }

    /// As many digits, which follow from the order in which the first ones were seen.
    fn replace_digits(&mut self, digits: &str) -> String {
        let known = self.digits.len() as u64;
        let start: String = digits.chars().take(6).collect();
        let mut state = *self.digits.entry(start).or_insert(known);
        let next_digit = |_| {
            // A linear congruential generator with the constants of Knuth's MMIX.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from_digit((state >> 60) as u32, 16).unwrap_or('0')
        };
        digits.chars().map(next_digit).collect()
    }

    fn replace_instant(&mut self, seconds: i64) -> String {
        let since = seconds - *self.anchor.get_or_insert(seconds);
        // The shorter way around the clock, for a run at midnight.
        let half = SECONDS_PER_DAY / 2;
        let since = (since + half).rem_euclid(SECONDS_PER_DAY) - half;
        let steps = (since + INSTANT_STEP / 2).div_euclid(INSTANT_STEP);
        let shown = (FIRST_INSTANT + steps * INSTANT_STEP).rem_euclid(SECONDS_PER_DAY);
        format!("{DAY}T{:02}:{:02}:{:02}Z", shown / 3600, shown / 60 % 60, shown % 60)
    }
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
}

/// The seconds since midnight, of an instant as the program prints it.
fn read_instant(word: &str) -> Option<i64> {
    let (date, time) = word.strip_suffix('Z')?.split_once('T')?;
    if date.split('-').count() != 3 {
        return None;
    }
    let parts: Vec<i64> = time.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [hours, minutes, seconds] = parts.as_slice() else { return None };
    Some(hours * 3600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_give_the_same_text() {
        let first = "request: r6b76bd01a1ec2227907001a79e4536f4, open until 2026-11-18T02:50:23Z\n\
                     by uid-0 in /tmp/countersign-demo-7Qu1oT/workspace, at 2026-11-18T00:50:24Z\n\
                     digest: 61d642…26f79a (grant g02181f), decided, any `git push …`\n";
        let second = "request: r00aa1101a1ec2227907001a79e4536f5, open until 2026-12-01T01:59:59Z\n\
                      by uid-1001 in /tmp/countersign-demo-aaaaaa/workspace, at 2026-11-30T23:59:59Z\n\
                      digest: 000000…111111 (grant gabcdef), decided, any `git push …`\n";
        let shown = StandIns::default().replace(first);
        assert_eq!(shown, StandIns::default().replace(second));
        assert!(shown.contains("2026-01-05T11:00:00Z\nby uid-1000 in /tmp/countersign-demo-"));
        assert!(shown.contains("at 2026-01-05T09:00:00Z\n"), "{shown}");
        assert!(shown.ends_with(", decided, any `git push …`\n"), "{shown}");
    }

    #[test]
    fn a_folder_that_was_cut_keeps_its_length() {
        let shown = StandIns::default().replace("/tmp/countersign-demo-Z… · x");
        assert_eq!(shown, "/tmp/countersign-demo-5… · x");
    }

    #[test]
    fn an_id_keeps_its_form_and_its_short_form_starts_alike() {
        let mut stand_ins = StandIns::default();
        let whole = stand_ins.replace("c6b76bd01a1ec2227907001a79e4536f4");
        let short = stand_ins.replace("c6b76bd");
        assert!(whole.starts_with(&short), "{whole} {short}");
        assert_ne!(short, stand_ins.replace("c000000"));
        assert_eq!(whole.len(), 33);
    }
}
