//! A target as a git branch: the branch that would change.

use countersign_graph::policies::facts::Fact;

/// Names that depend on the checkout.
const CHECKOUT_NAMES: &[&str] = &["HEAD", "@", "FETCH_HEAD", "-"];

pub(super) fn read_branch(target: &str) -> Fact<String> {
    let is_path_or_url =
        target.is_empty() || target.contains("://") || target.starts_with(['/', '~', '.']);
    if is_path_or_url {
        return Fact::Absent;
    }
    // `+source:destination` pushes to `destination`, by force.
    let spec = target.strip_prefix('+').unwrap_or(target);
    let name = spec.rsplit_once(':').map_or(spec, |(_, destination)| destination);
    let name = match (name.strip_prefix("refs/heads/"), name.strip_prefix("heads/")) {
        (Some(name), _) | (None, Some(name)) => name,
        (None, None) if name.starts_with("refs/") => return Fact::Absent,
        (None, None) => name,
    };
    if is_branch_name(name) && !CHECKOUT_NAMES.contains(&name) {
        Fact::Known(name.to_owned())
    } else {
        Fact::Unreadable(format!("`{}` is not clearly one branch", target.escape_debug()))
    }
}

/// The rules of `git check-ref-format`.
fn is_branch_name(name: &str) -> bool {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !name.contains(is_odd)
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
    fn the_branch_is_the_one_that_would_change_in_any_notation() {
        for target in
            ["main", "refs/heads/main", "heads/main", "+main", "HEAD:main", "+x:refs/heads/main"]
        {
            assert_eq!(read_branch(target), Fact::Known("main".into()), "{target}");
        }
        assert_eq!(read_branch("release/1.0"), Fact::Known("release/1.0".into()));
    }

    #[test]
    fn a_name_that_only_a_checkout_can_resolve_is_unreadable() {
        for target in
            ["HEAD", "@", "main~1", "a b", "feature/*", "x:", "main@{1}", "-f", "a..b", "x.lock"]
        {
            let branch = read_branch(target);
            assert!(matches!(branch, Fact::Unreadable(_)), "{target}: {branch:?}");
        }
    }

    #[test]
    fn addresses_paths_and_tags_are_no_branches() {
        for target in ["", "https://example.com/main", "/w/main", "./main", "refs/tags/v1"] {
            assert_eq!(read_branch(target), Fact::Absent, "{target}");
        }
    }
}
