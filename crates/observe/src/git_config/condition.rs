//! The conditions of `includeIf`. One that is not evaluated here may be true.

use super::repository::{GitHead, Repository};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluation {
    True,
    False,
    Unknown,
}

/// Where a condition is evaluated.
pub(super) struct ConditionPlaces<'a> {
    pub(super) repository: Option<&'a Repository>,
    pub(super) home: &'a str,
    /// The folder of the file with the condition.
    pub(super) folder: &'a str,
}

/// Evaluates a condition. `resolve` follows the links of an absolute path.
pub(super) fn evaluate(
    condition: &str,
    places: &ConditionPlaces,
    resolve: &dyn Fn(&str) -> Option<String>,
) -> Evaluation {
    let Some((keyword, pattern)) = condition.split_once(':') else { return Evaluation::Unknown };
    match (keyword, places.repository) {
        ("gitdir" | "gitdir/i" | "onbranch", None) => Evaluation::False,
        ("gitdir", Some(repository)) => {
            evaluate_folder(pattern, &repository.git_dir, places, resolve)
        }
        ("gitdir/i", Some(repository)) => {
            let (pattern, git_dir) =
                (pattern.to_ascii_lowercase(), repository.git_dir.to_ascii_lowercase());
            let home = places.home.to_ascii_lowercase();
            let folder = places.folder.to_ascii_lowercase();
            let folded = ConditionPlaces { home: &home, folder: &folder, ..*places };
            match evaluate_folder(&pattern, &git_dir, &folded, &|_| None) {
                Evaluation::True => Evaluation::True,
                // Nobody followed the links of the folded path.
                Evaluation::False | Evaluation::Unknown => Evaluation::Unknown,
            }
        }
        ("onbranch", Some(repository)) => match &repository.head {
            GitHead::Branch(branch) => match_path(&close_pattern(pattern), branch),
            GitHead::Detached => Evaluation::False,
            GitHead::Unknown => Evaluation::Unknown,
        },
        _ => Evaluation::Unknown,
    }
}

/// Git compares with the folder as it is, and as the shell calls it. A pattern that matches neither
/// here may still match a name that leads there by a link.
fn evaluate_folder(
    pattern: &str,
    git_dir: &str,
    places: &ConditionPlaces,
    resolve: &dyn Fn(&str) -> Option<String>,
) -> Evaluation {
    let pattern = match pattern.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", places.home),
        None => match pattern.strip_prefix("./") {
            Some(rest) => format!("{}/{rest}", places.folder),
            None => pattern.to_owned(),
        },
    };
    if !pattern.starts_with('/') {
        return match match_path(&close_pattern(&format!("**/{pattern}")), git_dir) {
            Evaluation::True if !pattern.starts_with('~') => Evaluation::True,
            _ => Evaluation::Unknown,
        };
    }
    let real_git_dir = resolve(git_dir);
    let pattern = close_pattern(&pattern);
    let is_match = |pattern: &str, path: &str| match_path(pattern, path) == Evaluation::True;
    if is_match(&pattern, git_dir) {
        return Evaluation::True;
    }
    // What stands before a pattern in the name can be followed.
    let literal = pattern.split("/**").next().unwrap_or_default();
    let rest = pattern.strip_prefix(literal).unwrap_or_default();
    match (match_path(&pattern, git_dir), real_git_dir, resolve(literal)) {
        (Evaluation::False, Some(real_git_dir), Some(real)) => {
            let followed = format!("{}{rest}", real.trim_end_matches('/'));
            match real_git_dir == git_dir && !is_match(&followed, git_dir) {
                true => Evaluation::False,
                false => Evaluation::Unknown,
            }
        }
        _ => Evaluation::Unknown,
    }
}

/// A final slash stands for everything below.
fn close_pattern(pattern: &str) -> String {
    if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() }
}

/// Compares name by name; `**` stands for any number of them. Other patterns are not evaluated.
fn match_path(pattern: &str, path: &str) -> Evaluation {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let is_evaluated = |name: &&str| *name == "**" || !name.contains(['*', '?', '[', '\\']);
    // With more of them, a comparison takes long.
    let is_short = pattern.iter().filter(|name| **name == "**").count() <= 2;
    if !is_short || !pattern.iter().all(is_evaluated) {
        return Evaluation::Unknown;
    }
    let path: Vec<&str> = path.split('/').collect();
    match match_names(&pattern, &path) {
        true => Evaluation::True,
        false => Evaluation::False,
    }
}

fn match_names(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        // At the end it stands for at least one name.
        (Some((&"**", [])), rest) => rest.is_some(),
        (Some((&"**", more)), None) => match_names(more, path),
        (Some((&"**", more)), Some((_, rest))) => {
            match_names(more, path) || match_names(pattern, rest)
        }
        (Some((name, more)), Some((first, rest))) => name == first && match_names(more, rest),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_commands::Certainty;

    fn check(condition: &str, expected: Evaluation) {
        let repository = Repository {
            git_dir: "/home/me/Code/app/.git".to_owned(),
            common_dir: "/home/me/Code/app/.git".to_owned(),
            worktree: None,
            certainty: Certainty::Certain,
            head: GitHead::Branch("feature/x".to_owned()),
        };
        let repository = Some(&repository);
        let places = ConditionPlaces { repository, home: "/home/me", folder: "/home/me" };
        // `/link` is a link to `/home/me`.
        let resolve = |path: &str| Some(path.replacen("/link", "/home/me", 1));
        assert_eq!(evaluate(condition, &places, &resolve), expected, "{condition}");
    }

    #[test]
    fn a_condition_is_true_false_or_unknown() {
        for condition in [
            "gitdir:~/Code/",
            "gitdir:/home/me/Code/app/.git",
            "gitdir:/home/me/Code/**",
            "gitdir:Code/",
            "gitdir:app/.git",
            "gitdir:./Code/",
            "gitdir:/home/**/app/.git",
            "gitdir:/**",
            "gitdir/i:~/code/",
            "onbranch:feature/x",
            "onbranch:feature/",
            "onbranch:**",
        ] {
            check(condition, Evaluation::True);
        }
        for condition in [
            "gitdir:~/code/",
            "gitdir:~/Code",
            "gitdir:~/Cod/",
            "gitdir:/home/me/Code/app/.git/",
            "gitdir:/link/elsewhere/",
            "onbranch:feature",
            "onbranch:main",
        ] {
            check(condition, Evaluation::False);
        }
        for condition in [
            "gitdir:~/C*/",
            "gitdir:~other/x/",
            "gitdir:/[a-z]ome/",
            "gitdir:/link/Code/",
            "gitdir:elsewhere/",
            "gitdir/i:~/elsewhere/",
            "hasconfig:remote.*.url:https://x/**",
            "onbranch:f*/x",
            "gitdir:/**/a/**/b/**",
            "later:x",
            "x",
        ] {
            check(condition, Evaluation::Unknown);
        }
        let nowhere = ConditionPlaces { repository: None, home: "/", folder: "/" };
        assert_eq!(evaluate("gitdir:/", &nowhere, &|_| None), Evaluation::False);
    }
}
