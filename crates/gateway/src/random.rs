//! Handles that nobody can guess.

use rustix::rand::{GetRandomFlags, getrandom};

/// 128 random bits in hexadecimal. None if the kernel has no randomness.
pub(crate) fn random_handle() -> Option<String> {
    let mut bytes = [0_u8; 16];
    let filled = getrandom(&mut bytes, GetRandomFlags::empty()).ok()?;
    (filled == bytes.len()).then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
