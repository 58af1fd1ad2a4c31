//! Finds secrets in texts, command lines and JSON values, and replaces each with a mark.
//!
//! Secrets are found by name (`password`, `--token`, `Authorization`) and by shape (keys of known
//! services, private keys, passwords in URLs, payment card numbers, IBANs). Commands, paths and hosts
//! are never redacted. Which fields of a call or a grant can hold a secret is core's to say.

mod cloud_keys;
mod codes;
mod marks;
mod numbers;
mod redactor;
mod services;
mod shapes;
mod words;

pub use marks::{HiddenForm, Mark, find_marks};
pub use redactor::{Redactor, holds_mark, holds_secret};
