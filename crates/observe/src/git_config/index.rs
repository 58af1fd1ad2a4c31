//! The index of a repository: which paths it tracks, and which of them are submodules.

use crate::file_system::git_cache::IndexContent;

/// The hash that names objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectNames {
    Sha1,
    Sha256,
}

impl ObjectNames {
    const fn length(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

/// Parses an index of version 2, 3 or 4; `None` if it is none.
pub(super) fn parse_index(bytes: &[u8], names: ObjectNames) -> Option<IndexContent> {
    let mut rest = IndexCursor { bytes };
    let (magic, version, count) = (rest.take(4)?, rest.take_number()?, rest.take_number()?);
    if magic != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut content = IndexContent::default();
    let mut path = Vec::new();
    for _ in 0..count {
        let mode = rest.take_entry(version, names, &mut path)?;
        const GITLINK: u32 = 0o160_000;
        if mode & 0o170_000 == GITLINK {
            content.submodules.push(String::from_utf8(path.clone()).ok()?);
        }
    }
    // Extensions follow, and then the hash of the whole file.
    while rest.bytes.len() > names.length() {
        let (name, size) = (rest.take(4)?, rest.take_number()?);
        content.is_split |= name == b"link";
        rest.take(usize::try_from(size).ok()?)?;
    }
    Some(content)
}

/// Whether an index names a path or something below it; `None` if it cannot be read.
pub(crate) fn tracks_path(bytes: &[u8], path: &str) -> Option<bool> {
    let names = ObjectNames::Sha1;
    if parse_index(bytes, names)?.is_split {
        return None;
    }
    let mut rest = IndexCursor { bytes };
    let (_magic, version, count) = (rest.take(4)?, rest.take_number()?, rest.take_number()?);
    let mut tracked = Vec::new();
    for _ in 0..count {
        rest.take_entry(version, names, &mut tracked)?;
        let below = tracked.strip_prefix(path.as_bytes());
        if below.is_some_and(|below| below.is_empty() || below.starts_with(b"/")) {
            return Some(true);
        }
    }
    Some(false)
}

struct IndexCursor<'a> {
    bytes: &'a [u8],
}

impl<'a> IndexCursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn take_number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    /// Reads one entry: replaces `path` by its path, and returns its mode.
    fn take_entry(&mut self, version: u32, names: ObjectNames, path: &mut Vec<u8>) -> Option<u32> {
        let before = self.bytes.len();
        // Times, device and inode come first; user, group and size behind the mode.
        self.take(24)?;
        let mode = self.take_number()?;
        self.take(12 + names.length())?;
        const EXTENDED: u16 = 0x4000;
        let flags = self.take(2)?.try_into().ok().map(u16::from_be_bytes)?;
        if flags & EXTENDED != 0 {
            self.take(2)?;
        }
        let kept = match version {
            4 => path.len().checked_sub(self.take_varint()?)?,
            _ => 0,
        };
        path.truncate(kept);
        let length = self.bytes.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(self.take(length)?);
        // Older versions fill up to a multiple of eight, with at least one byte.
        let padding = match version {
            4 => 1,
            _ => 8 - (before - self.bytes.len()) % 8,
        };
        self.take(padding)?;
        Some(mode)
    }

    /// A number in groups of seven bits, each but the last one increased by one.
    fn take_varint(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = self.take(1)?.first().copied()?;
            value = value.checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?.checked_mul(128)?;
        }
    }
}
