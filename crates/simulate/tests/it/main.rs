//! What an operator is shown about dangerous command lines, decided on the coding graph.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up should fall over")]

mod dangerous_cards;
