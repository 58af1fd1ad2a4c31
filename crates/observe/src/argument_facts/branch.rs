//! A target as a branch of git: the one that would change.

use countersign_graph::policies::facts::Fact;

/// Names that stand for whatever is checked out.
const CURRENT: &[&str] = &["HEAD", "@", "FETCH_HEAD", "-"];

pub(super) fn of(target: &str) -> Fact<String> {
    let is_other =
        target.is_empty() || target.contains("://") || target.starts_with(['/', '~', '.']);
    if is_other {
        return Fact::Absent;
    }
    // `+here:there` pushes to `there`, by force.
    let spec = target.strip_prefix('+').unwrap_or(target);
    let name = spec.rsplit_once(':').map_or(spec, |(_, there)| there);
    let name = match (name.strip_prefix("refs/heads/"), name.strip_prefix("heads/")) {
        (Some(name), _) | (None, Some(name)) => name,
        (None, None) if name.starts_with("refs/") => return Fact::Absent,
        (None, None) => name,
    };
    if is_name(name) && !CURRENT.contains(&name) {
        Fact::Known(name.to_owned())
    } else {
        Fact::Unreadable(format!("`{}` names no branch for sure", target.escape_debug()))
    }
}

/// What `git check-ref-format` takes.
fn is_name(name: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !name.contains(odd)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.starts_with('-')
        && !name.ends_with('.')
        && name.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_the_one_that_would_change_however_it_is_written() {
        for target in
            ["main", "refs/heads/main", "heads/main", "+main", "HEAD:main", "+x:refs/heads/main"]
        {
            assert_eq!(of(target), Fact::Known("main".into()), "{target}");
        }
        assert_eq!(of("release/1.0"), Fact::Known("release/1.0".into()));
    }

    #[test]
    fn what_only_a_checkout_knows_is_unreadable() {
        for target in
            ["HEAD", "@", "main~1", "a b", "feature/*", "x:", "main@{1}", "-f", "a..b", "x.lock"]
        {
            assert!(matches!(of(target), Fact::Unreadable(_)), "{target}: {:?}", of(target));
        }
    }

    #[test]
    fn addresses_paths_and_tags_are_no_branches() {
        for target in ["", "https://example.com/main", "/w/main", "./main", "refs/tags/v1"] {
            assert_eq!(of(target), Fact::Absent, "{target}");
        }
    }
}
