//! Tokens that prove inside which call another one is made.
//!
//! A server gets the token with the call that it executes. A tool that calls tools through us, on
//! whichever node, sends it back, and so proves its parent. The token is valid as long as that call is
//! executed.

use crate::seal::{Seal, SealedFor};
use countersign_core::model::ids::CallId;

/// The member of `_meta` that carries the token.
pub(crate) const META_PARENT: &str = "countersign/parentToken";

pub(crate) fn issue_parent_token(seal: &Seal, call: CallId) -> String {
    let call = call.to_string();
    format!("{call}.{}", seal.sign(SealedFor::Parent, &call))
}

/// The call that a token names. Whether that call is still executed is in the record.
pub(crate) fn read_parent_token(seal: &Seal, token: &str) -> Option<CallId> {
    let (call, signed) = token.split_once('.')?;
    let is_ours = seal.verify(SealedFor::Parent, call, signed);
    CallId::parse(call).filter(|_| is_ours)
}
