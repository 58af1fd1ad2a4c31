//! A path after all its links are followed.

/// An absolute path without links, `.`, `..` and doubled slashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RealPath(String);

impl RealPath {
    /// An absolute path whose components were all followed.
    pub(crate) const fn from_followed(path: String) -> Self {
        Self(path)
    }

    /// The place of an absolute path if there were no links.
    pub(crate) fn from_text(path: &str) -> Self {
        let mut parts = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        Self(format!("/{}", parts.join("/")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path itself, then every folder above it, `/` last.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(self.0.as_str()), |path| parent(path))
    }

    /// Whether it is `folder` or lies below it.
    pub fn is_below(&self, folder: &Self) -> bool {
        self.ancestors().any(|ancestor| ancestor == folder.0)
    }
}

fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('/')? {
        ("", "") => None,
        ("", _) => Some("/"),
        (parent, _) => Some(parent),
    }
}

impl std::fmt::Display for RealPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ancestors_of_a_path_are_itself_and_every_folder_above() {
        let list = |path: &str| {
            let path = RealPath(path.to_owned());
            path.ancestors().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(list("/w/a/b"), ["/w/a/b", "/w/a", "/w", "/"]);
        assert_eq!(list("/w"), ["/w", "/"]);
        assert_eq!(list("/"), ["/"]);
    }

    #[test]
    fn a_path_is_below_itself_and_its_ancestors_and_not_below_a_common_prefix() {
        let real = |path: &str| RealPath(path.to_owned());
        let folder = real("/w/a");
        for (path, expected) in
            [("/w/a", true), ("/w/a/b", true), ("/w/ab", false), ("/w", false), ("/", false)]
        {
            assert_eq!(real(path).is_below(&folder), expected, "{path}");
        }
        assert!(real("/x").is_below(&real("/")));
    }
}
