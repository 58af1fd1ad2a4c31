//! Snapshots of rendered cards: one per kind, and one per attempt to deceive the reader.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

mod card_kinds;
mod command_words;
mod fixture;
mod headlines;
mod hostile_text;
mod questions;
mod repetitions;
mod same_cards;
mod suggestions;
mod wider_choices;
