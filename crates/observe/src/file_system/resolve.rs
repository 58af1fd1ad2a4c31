//! Follows a path component by component, as the kernel does.
//!
//! Links are followed, `..` is the parent of the folder behind a link, and a tail that does not
//! exist yet stays as it is written. `~` is an ordinary name. A path that cannot be followed is an
//! error. The caller reads the file system, so that a fake one follows the same rules.

use super::LookupError;
use crate::limits;
use crate::real_path::RealPath;
use std::collections::VecDeque;

/// What is at a path, without following a link there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Missing,
    Folder,
    Other,
    /// A link and its target.
    Link(String),
}

type ReadEntry<'a> = dyn FnMut(&str) -> Result<EntryKind, LookupError> + 'a;

/// Resolves `path`, which may be relative to `cwd`. Calls `read_entry` for every path on the way,
/// `/` first.
pub(crate) fn resolve_path(
    path: &str,
    cwd: &str,
    read_entry: &mut ReadEntry<'_>,
) -> Result<RealPath, LookupError> {
    let absolute = make_absolute(path, cwd)?;
    let mut ahead: VecDeque<String> = components(&absolute).collect();
    let mut cursor = PathCursor { path: String::new(), kind: read_entry("/")? };
    let mut links = 0;
    while let Some(name) = ahead.pop_front() {
        cursor.check_can_enter(&name)?;
        match name.as_str() {
            "." => continue,
            ".." => {
                cursor.enter_parent(read_entry)?;
                continue;
            }
            _ => {}
        }
        let next = format!("{}/{name}", cursor.path);
        if is_own_process(&next) && enters_root(&mut ahead) {
            cursor = PathCursor { path: String::new(), kind: EntryKind::Folder };
            continue;
        }
        let kind = match cursor.kind {
            EntryKind::Missing => EntryKind::Missing,
            EntryKind::Folder | EntryKind::Other | EntryKind::Link(_) => read_entry(&next)?,
        };
        let EntryKind::Link(target) = kind else {
            cursor = PathCursor { path: next, kind };
            continue;
        };
        links += 1;
        check_link(&next, &target, links, &ahead)?;
        if target.starts_with('/') {
            cursor = PathCursor { path: String::new(), kind: EntryKind::Folder };
        }
        for component in components(&target).collect::<Vec<_>>().into_iter().rev() {
            ahead.push_front(component);
        }
    }
    let path = if cursor.path.is_empty() { "/".to_owned() } else { cursor.path };
    Ok(RealPath::from_followed(path))
}

/// The part of the path that is resolved.
struct PathCursor {
    /// Empty for `/`.
    path: String,
    kind: EntryKind,
}

impl PathCursor {
    fn check_can_enter(&self, name: &str) -> Result<(), LookupError> {
        match self.kind {
            EntryKind::Folder => Ok(()),
            EntryKind::Missing if name == ".." => {
                Err(LookupError::ParentOfMissing(self.path.clone()))
            }
            EntryKind::Missing => Ok(()),
            EntryKind::Other | EntryKind::Link(_) => {
                Err(LookupError::NotAFolder(self.path.clone()))
            }
        }
    }

    fn enter_parent(&mut self, read_entry: &mut ReadEntry<'_>) -> Result<(), LookupError> {
        let parent = self.path.rfind('/').and_then(|at| self.path.get(..at));
        self.path = parent.unwrap_or_default().to_owned();
        self.kind = read_entry(if self.path.is_empty() { "/" } else { &self.path })?;
        Ok(())
    }
}

fn make_absolute(path: &str, cwd: &str) -> Result<String, LookupError> {
    if path.is_empty() {
        return Err(LookupError::Empty);
    }
    let absolute = match (path.starts_with('/'), cwd.starts_with('/')) {
        (true, _) => path.to_owned(),
        (false, true) => format!("{cwd}/{path}"),
        (false, false) => return Err(LookupError::RelativeCwd(cwd.to_owned())),
    };
    if absolute.contains('\0') {
        return Err(LookupError::Nul);
    }
    if absolute.len() > limits::MAX_PATH_BYTES {
        return Err(LookupError::TooLong);
    }
    Ok(absolute)
}

/// The components of a path. A trailing slash counts as `.`, because only a folder may have one.
fn components(path: &str) -> impl Iterator<Item = String> + '_ {
    let end = path.ends_with('/').then(|| ".".to_owned());
    path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).chain(end)
}

/// The root of a process is, to that process, what `/` is. So `/proc/self/root` needs no lookup.
fn is_own_process(path: &str) -> bool {
    matches!(path, "/proc/self" | "/proc/thread-self")
}

/// Whether the next component is `root`. Removes it if so.
fn enters_root(ahead: &mut VecDeque<String>) -> bool {
    let at = ahead.iter().position(|part| part != ".");
    let enters = at.and_then(|at| ahead.get(at)).is_some_and(|part| part == "root");
    if enters {
        ahead.drain(..=at.unwrap_or_default());
    }
    enters
}

fn check_link(
    link: &str,
    target: &str,
    links: usize,
    ahead: &VecDeque<String>,
) -> Result<(), LookupError> {
    // `/proc/self/cwd` and the like lead elsewhere for the agent's process than for ours.
    if link.starts_with("/proc/") {
        return Err(LookupError::ProcessLink(link.to_owned()));
    }
    if links > limits::MAX_LINKS {
        return Err(LookupError::TooManyLinks);
    }
    let rest: usize = ahead.iter().map(|part| part.len() + 1).sum();
    if link.len() + target.len() + rest > limits::MAX_PATH_BYTES {
        return Err(LookupError::TooLong);
    }
    Ok(())
}
