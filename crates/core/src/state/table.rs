//! A map that tracks which rows changed, so that a store writes only those.
//!
//! Each row has its own allocation: a table with one row needs little more memory than the row, and
//! a copy of a table shares the rows until one of them changes.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Table<K, V> {
    rows: BTreeMap<K, Arc<V>>,
    /// Keys that were inserted, removed or borrowed mutably, with duplicates.
    touched: Vec<K>,
}

impl<K: Ord, V> Table<K, V> {
    pub const fn empty() -> Self {
        Self { rows: BTreeMap::new(), touched: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.rows.contains_key(key)
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.rows.get(key).map(|row| &**row)
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.rows.keys()
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.rows.values().map(|row| &**row)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.rows.iter().map(|(key, row)| (key, &**row))
    }
}

impl<K: Ord + Clone, V: Clone> Table<K, V> {
    pub fn insert(&mut self, key: K, value: V) {
        self.touched.push(key.clone());
        self.rows.insert(key, Arc::new(value));
    }

    /// Inserts a row that the store already holds, without marking it as touched.
    pub fn restore(&mut self, key: K, value: V) {
        self.rows.insert(key, Arc::new(value));
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        let removed = self.rows.remove(key)?;
        self.touched.push(key.clone());
        Some(Arc::unwrap_or_clone(removed))
    }

    /// Removes a row that stays in the store, without marking it as touched.
    pub fn forget(&mut self, key: &K) {
        self.rows.remove(key);
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let found = self.rows.get_mut(key)?;
        self.touched.push(key.clone());
        Some(Arc::make_mut(found))
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.touched.extend(self.rows.keys().cloned());
        self.rows.values_mut().map(Arc::make_mut)
    }

    /// Changes the rows that fit, and marks only them as touched.
    pub fn change(&mut self, fits: impl Fn(&V) -> bool, change: impl Fn(&mut V)) {
        for (key, value) in self.rows.iter_mut().filter(|(_, value)| fits(value)) {
            self.touched.push(key.clone());
            change(Arc::make_mut(value));
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

    /// Takes the keys that were touched since the last call, each once.
    pub(crate) fn take_touched(&mut self) -> Vec<K> {
        sorted_unique(std::mem::take(&mut self.touched))
    }
}

pub(crate) fn sorted_unique<K: Ord>(mut keys: Vec<K>) -> Vec<K> {
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Compares the rows only, not what was touched.
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
    fn restoring_a_row_does_not_touch_it() {
        assert!(table().take_touched().is_empty());
    }

    #[test]
    fn every_way_to_change_a_row_touches_it_once() {
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
    fn looking_up_a_missing_row_touches_nothing() {
        let mut table = table();
        table.get_mut(&7);
        table.remove(&7);
        assert!(table.take_touched().is_empty());
    }

    #[test]
    fn changing_a_copy_leaves_the_original_unchanged() {
        let mut copy = table();
        let first = copy.clone();
        *copy.get_mut(&1).unwrap() = 11;
        copy.change(|value| *value == 30, |value| *value += 1);
        copy.values_mut().for_each(|value| *value += 1);
        assert_eq!(first, table());
        assert_eq!(copy.values().copied().collect::<Vec<_>>(), [12, 21, 32, 41]);
    }

    #[test]
    fn tables_with_the_same_rows_are_equal() {
        let mut other = table();
        other.get_mut(&1);
        assert_eq!(other, table());
    }
}
