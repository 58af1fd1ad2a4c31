//! A map that remembers what changed in it, so that a store writes that and nothing else.

use std::collections::BTreeMap;
use std::ops::Deref;

#[derive(Clone, Debug)]
pub struct Table<K, V> {
    rows: BTreeMap<K, V>,
    /// Keys that were put in, taken out or handed out for change; some of them twice.
    touched: Vec<K>,
}

impl<K: Ord + Clone, V> Table<K, V> {
    pub const fn empty() -> Self {
        Self { rows: BTreeMap::new(), touched: Vec::new() }
    }

    pub fn insert(&mut self, key: K, value: V) {
        self.touched.push(key.clone());
        self.rows.insert(key, value);
    }

    /// Puts in what is stored already.
    pub fn restore(&mut self, key: K, value: V) {
        self.rows.insert(key, value);
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        let removed = self.rows.remove(key)?;
        self.touched.push(key.clone());
        Some(removed)
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let found = self.rows.get_mut(key)?;
        self.touched.push(key.clone());
        Some(found)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.touched.extend(self.rows.keys().cloned());
        self.rows.values_mut()
    }

    /// Changes the rows that fit, and counts only them as changed.
    pub fn change(&mut self, fits: impl Fn(&V) -> bool, change: impl Fn(&mut V)) {
        for (key, value) in self.rows.iter_mut().filter(|(_, value)| fits(value)) {
            self.touched.push(key.clone());
            change(value);
        }
    }

    pub fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        let dropped = self.rows.iter().filter(|(_, value)| !keep(value));
        self.touched.extend(dropped.map(|(key, _)| key.clone()));
        self.rows.retain(|_, value| keep(value));
    }

    pub fn clear(&mut self) {
        self.retain(|_| false);
    }

    /// The keys that were touched since this was last asked, each of them once.
    pub(crate) fn take_touched(&mut self) -> Vec<K> {
        once(std::mem::take(&mut self.touched))
    }
}

pub(crate) fn once<K: Ord>(mut keys: Vec<K>) -> Vec<K> {
    keys.sort_unstable();
    keys.dedup();
    keys
}

impl<K, V> Deref for Table<K, V> {
    type Target = BTreeMap<K, V>;

    fn deref(&self) -> &Self::Target {
        &self.rows
    }
}

/// What it holds counts, not how it came to hold it.
impl<K: PartialEq, V: PartialEq> PartialEq for Table<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<u8, u8> {
        let mut table = Table::empty();
        (1..=4).for_each(|key| table.restore(key, key * 10));
        table
    }

    #[test]
    fn what_is_stored_already_is_not_touched() {
        assert!(table().take_touched().is_empty());
    }

    #[test]
    fn each_way_to_change_a_row_is_noticed_once() {
        let mut table = table();
        table.insert(9, 1);
        table.get_mut(&9);
        table.get_mut(&1);
        table.remove(&2);
        table.change(|value| *value == 30, |value| *value += 1);
        assert_eq!(table.take_touched(), [1, 2, 3, 9]);
        assert!(table.take_touched().is_empty());
        table.retain(|value| *value < 40);
        assert_eq!(table.take_touched(), [4]);
        table.clear();
        assert_eq!(table.take_touched(), [1, 3, 9]);
    }

    #[test]
    fn looking_for_what_is_not_there_touches_nothing() {
        let mut table = table();
        table.get_mut(&7);
        table.remove(&7);
        assert!(table.take_touched().is_empty());
    }

    #[test]
    fn two_tables_are_equal_by_what_they_hold() {
        let mut other = table();
        other.get_mut(&1);
        assert_eq!(other, table());
    }
}
