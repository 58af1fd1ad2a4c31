//! Tokens that prove inside which call another one is made.
//!
//! A server gets the token with the call that it executes. A tool that calls tools through us sends
//! it back, and so proves its parent. The token is valid as long as that call is executed.

use crate::limits;
use crate::locks::lock;
use crate::random::random_handle;
use countersign_core::model::ids::CallId;
use std::collections::HashMap;
use std::sync::Mutex;

/// The member of `_meta` that carries the token.
pub(crate) const META_PARENT: &str = "countersign/parentToken";

#[derive(Default)]
pub(crate) struct ParentTokens {
    executing: Mutex<HashMap<String, CallId>>,
}

/// A token that is valid as long as this lives.
pub(crate) struct ParentToken<'t> {
    tokens: &'t ParentTokens,
    pub(crate) token: String,
}

impl ParentTokens {
    /// None if there is no randomness or too much is executed: then nesting cannot be proven.
    pub(crate) fn issue(&self, call: CallId) -> Option<ParentToken<'_>> {
        let token = random_handle()?;
        let mut executing = lock(&self.executing);
        if executing.len() >= limits::MAX_IN_FLIGHT {
            return None;
        }
        executing.insert(token.clone(), call);
        Some(ParentToken { tokens: self, token })
    }

    pub(crate) fn find(&self, token: &str) -> Option<CallId> {
        lock(&self.executing).get(token).copied()
    }
}

impl Drop for ParentToken<'_> {
    fn drop(&mut self) {
        let mut executing = lock(&self.tokens.executing);
        executing.remove(&self.token);
    }
}
