//! The id of a legacy session: any node on the record can go on with the session, because the id says
//! how the client introduced itself.
//!
//! See docs/decisions/0101-tokens-of-every-node.md.

use crate::client_identity::ClientIdentity;
use crate::limits;
use crate::random::random_handle;
use crate::wire::{find, set_member};
use countersign_host::{Seal, SealedFor};

/// What of `initialize` counts later.
const KEPT: [&str; 3] = ["protocolVersion", "capabilities", "clientInfo"];

/// None if there is no randomness. An introduction that is too long for a header is left out: then the
/// session lives on this node alone.
pub(super) fn issue_session_id(
    seal: &Seal,
    client: &ClientIdentity,
    server: Option<&str>,
    params: &str,
) -> Option<String> {
    let kept = KEPT.iter().filter_map(|member| Some((member, find(params, &[member])?)));
    let hello = kept.fold("{}".to_owned(), |text, (name, value)| set_member(&text, name, value));
    let hello = if hello.len() > limits::SESSION_ID_HELLO { String::new() } else { hello };
    let hello: String = hello.bytes().map(|byte| format!("{byte:02x}")).collect();
    let body = format!("{}.{hello}", random_handle()?);
    let signed = seal.sign(SealedFor::HttpSession, &bind(&body, client, server));
    Some(format!("{body}.{signed}"))
}

/// The params of the `initialize` with which this client opened the session.
pub(super) fn read_session_id(
    seal: &Seal,
    client: &ClientIdentity,
    server: Option<&str>,
    id: &str,
) -> Option<String> {
    let (body, signed) = id.rsplit_once('.')?;
    if !seal.verify(SealedFor::HttpSession, &bind(body, client, server), signed) {
        return None;
    }
    let (_, hello) = body.split_once('.')?;
    let (pairs, _) = hello.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    String::from_utf8(bytes?).ok().filter(|hello| !hello.is_empty())
}

/// Of another agent, session or server it is no session.
fn bind(body: &str, client: &ClientIdentity, server: Option<&str>) -> String {
    let ClientIdentity { owner, principal, .. } = client;
    let server = server.unwrap_or_default();
    format!("{body} {} {} {principal} {server}", owner.agent, owner.session.name())
}
