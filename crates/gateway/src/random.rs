//! Handles that nobody can guess.

use rustix::rand::{GetRandomFlags, getrandom};

/// 128 random bits in hexadecimal. None if the kernel has no randomness.
pub(crate) fn random_handle() -> Option<String> {
    let bytes: [u8; 16] = random_bytes()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// None if the kernel has no randomness.
pub(crate) fn random_bytes<const LENGTH: usize>() -> Option<[u8; LENGTH]> {
    let mut bytes = [0_u8; LENGTH];
    let filled = getrandom(&mut bytes, GetRandomFlags::empty()).ok()?;
    (filled == bytes.len()).then_some(bytes)
}
