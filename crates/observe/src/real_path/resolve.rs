//! One path, followed component by component.

use super::RealPath;
use crate::file_system::Unresolved;
use crate::limits;
use std::collections::VecDeque;

/// What stands at a path that was reached without following its last component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Missing,
    Folder,
    Other,
    Link(String),
}

/// Follows `path` from `cwd`. `look` is asked about every component that is passed, `/` first.
pub(crate) fn walk(
    path: &str,
    cwd: &str,
    look: &mut dyn FnMut(&str) -> Result<Seen, Unresolved>,
) -> Result<RealPath, Unresolved> {
    let start = start(path, cwd)?;
    // A slash at the end asks for a folder; `.` does too, and is one more component.
    let mut ahead: VecDeque<String> = components(&start).collect();
    let mut reached = Reached { path: String::new(), last: look("/")? };
    let mut links = 0;
    while let Some(name) = ahead.pop_front() {
        reached.enter(&name)?;
        if matches!(name.as_str(), "." | "..") {
            reached.step(&name, look)?;
            continue;
        }
        let next = format!("{}/{name}", reached.path);
        let seen = match reached.last {
            Seen::Missing => Seen::Missing,
            Seen::Folder | Seen::Other | Seen::Link(_) => look(&next)?,
        };
        let Seen::Link(target) = seen else {
            reached = Reached { path: next, last: seen };
            continue;
        };
        links += 1;
        follow(&next, &target, links, &ahead)?;
        if target.starts_with('/') {
            reached = Reached { path: String::new(), last: Seen::Folder };
        }
        for component in components(&target).collect::<Vec<_>>().into_iter().rev() {
            ahead.push_front(component);
        }
    }
    let path = if reached.path.is_empty() { "/".to_owned() } else { reached.path };
    Ok(RealPath(path))
}

/// How far the walk has come.
struct Reached {
    /// Nothing for `/`.
    path: String,
    last: Seen,
}

impl Reached {
    /// Whether another component can follow at all.
    fn enter(&self, name: &str) -> Result<(), Unresolved> {
        match self.last {
            Seen::Folder => Ok(()),
            Seen::Missing if name == ".." => Err(Unresolved::BehindMissing(self.path.clone())),
            Seen::Missing => Ok(()),
            Seen::Other | Seen::Link(_) => Err(Unresolved::NotAFolder(self.path.clone())),
        }
    }

    fn step(
        &mut self,
        name: &str,
        look: &mut dyn FnMut(&str) -> Result<Seen, Unresolved>,
    ) -> Result<(), Unresolved> {
        if name == ".." {
            let parent = self.path.rfind('/').and_then(|at| self.path.get(..at));
            self.path = parent.unwrap_or_default().to_owned();
            self.last = look(if self.path.is_empty() { "/" } else { &self.path })?;
        }
        Ok(())
    }
}

/// What a path means as an absolute one, as it is written.
fn start(path: &str, cwd: &str) -> Result<String, Unresolved> {
    if path.is_empty() {
        return Err(Unresolved::Empty);
    }
    let whole = match (path.starts_with('/'), cwd.starts_with('/')) {
        (true, _) => path.to_owned(),
        (false, true) => format!("{cwd}/{path}"),
        (false, false) => return Err(Unresolved::NoPlace(cwd.to_owned())),
    };
    if whole.contains('\0') {
        return Err(Unresolved::Nul);
    }
    if whole.len() > limits::PATH_BYTES {
        return Err(Unresolved::TooLong);
    }
    Ok(whole)
}

/// The components of a path; a slash at its end is a `.`, because only a folder has one.
fn components(path: &str) -> impl Iterator<Item = String> + '_ {
    let end = path.ends_with('/').then(|| ".".to_owned());
    path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).chain(end)
}

fn follow(
    link: &str,
    target: &str,
    links: usize,
    ahead: &VecDeque<String>,
) -> Result<(), Unresolved> {
    // `/proc/self/cwd` and its kin are ours here, and the agent's when it uses them.
    if link.starts_with("/proc/") {
        return Err(Unresolved::OfAProcess(link.to_owned()));
    }
    if links > limits::LINKS {
        return Err(Unresolved::Loop);
    }
    let rest: usize = ahead.iter().map(|part| part.len() + 1).sum();
    if link.len() + target.len() + rest > limits::PATH_BYTES {
        return Err(Unresolved::TooLong);
    }
    Ok(())
}
