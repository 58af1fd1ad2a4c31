//! The checks of this repository, each one command.
//!
//! What CI runs is what anyone can run: `cargo xtask ci`, or one step by its name. No cargo tool
//! is built from source for it. Nothing here is part of the product.

pub mod args;
pub mod attention;
pub mod bench;
pub mod boundaries;
pub mod browser;
pub mod built;
pub mod callgrind;
pub mod ci;
pub mod clients;
pub mod clock;
pub mod compare;
mod decision_index;
pub mod dist;
pub mod external;
pub mod failure;
pub mod fuzz;
pub mod fuzz_terminal;
pub mod generated;
pub mod hostile;
pub mod installed;
pub mod layers;
pub mod licences;
pub mod mcp;
pub mod metadata;
pub mod mutants;
pub mod options;
pub mod pictures;
pub mod process;
pub mod rust_tokens;
pub mod scenarios;
pub mod schemathesis;
pub mod sdk;
pub mod steps;
pub mod tests_step;
pub mod tidy;
