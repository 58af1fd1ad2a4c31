//! Handles that nobody can guess.

use countersign_host::random_bytes;

/// 128 random bits in hexadecimal. None if the kernel has no randomness.
pub(crate) fn random_handle() -> Option<String> {
    let bytes: [u8; 16] = random_bytes()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
