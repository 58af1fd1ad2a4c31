//! Shrinks a finding: removes bytes while the same failure still occurs.

use crate::limits;

/// Returns the smallest input found for which `fails` is still true.
pub fn shrink_input(input: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut attempts_left = limits::MAX_SHRINK_ATTEMPTS;
    let mut size = best.len().next_power_of_two() / 2;
    while size > 0 {
        let mut at = 0;
        while at < best.len() {
            if attempts_left == 0 {
                return best;
            }
            attempts_left -= 1;
            let smaller = remove_range(&best, at, size);
            if fails(&smaller) {
                best = smaller;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    best
}

fn remove_range(input: &[u8], at: usize, size: usize) -> Vec<u8> {
    let head = input.iter().take(at);
    head.chain(input.iter().skip(at + size)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_do_not_matter_are_removed() {
        let input = b"domains: {a: {b: c}}\nrequires!\n".repeat(20);
        let needs = |bytes: &[u8]| bytes.contains(&b'!') && bytes.contains(&b'{');
        assert_eq!(shrink_input(&input, needs).len(), 2);
    }
}
