//! Chance that can be repeated: everything random follows from one seed.
//!
//! SplitMix64 by Steele, Lea and Flood: small, and good enough to choose test cases with.

#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to one below `bound`; 0 if there is nothing below it.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.bits() % bound).unwrap_or(0)
    }

    pub fn percent(&mut self, often: usize) -> bool {
        self.below(100) < often
    }

    /// One of them; none if there is none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// Each of them with this chance, in their order.
    pub fn some<T: Clone>(&mut self, often: usize, from: &[T]) -> Vec<T> {
        from.iter().filter(|_| self.percent(often)).cloned().collect()
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_chance() {
        let draw = |seed| {
            let mut chance = Chance::new(seed);
            [chance.below(1000), chance.below(1000), chance.below(1000)]
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
