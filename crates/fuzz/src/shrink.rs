//! Making a finding small: what can be left out while the same thing still breaks is left out.

use crate::limits;

/// The smallest input found for which `breaks` still says yes.
pub fn shrink(input: &[u8], mut breaks: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut left = limits::SHRINKING;
    let mut size = best.len().next_power_of_two() / 2;
    while size > 0 {
        let mut at = 0;
        while at < best.len() {
            if left == 0 {
                return best;
            }
            left -= 1;
            let without = without(&best, at, size);
            if breaks(&without) {
                best = without;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    best
}

fn without(input: &[u8], at: usize, size: usize) -> Vec<u8> {
    let head = input.iter().take(at);
    head.chain(input.iter().skip(at + size)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let input = b"domains: {a: {b: c}}\nrequires!\n".repeat(20);
        let needs = |bytes: &[u8]| bytes.contains(&b'!') && bytes.contains(&b'{');
        assert_eq!(shrink(&input, needs).len(), 2);
    }
}
