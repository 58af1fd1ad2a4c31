//! The conditions of `includeIf`. One that is not evaluated here may be true.

use super::repository::{Head, Repository};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluation {
    True,
    False,
    Unknown,
}

/// Evaluates a condition in `file`.
pub(super) fn evaluate(
    condition: &str,
    repository: Option<&Repository>,
    home: &str,
    file: &str,
) -> Evaluation {
    let Some((keyword, pattern)) = condition.split_once(':') else { return Evaluation::Unknown };
    let fold = |text: &str| match keyword {
        "gitdir/i" => text.to_ascii_lowercase(),
        _ => text.to_owned(),
    };
    match (keyword, repository) {
        ("gitdir" | "gitdir/i" | "onbranch", None) => Evaluation::False,
        ("gitdir" | "gitdir/i", Some(repository)) => {
            let Some(pattern) = prepare_folder(pattern, home, file) else {
                return Evaluation::Unknown;
            };
            match_path(&fold(&pattern), &fold(&repository.git_dir))
        }
        ("onbranch", Some(repository)) => match &repository.head {
            Head::Branch(branch) => match_path(&prepare_branch(pattern), branch),
            Head::Detached => Evaluation::False,
            Head::Unknown => Evaluation::Unknown,
        },
        _ => Evaluation::Unknown,
    }
}

/// `None` where links or other homes decide what it means.
fn prepare_folder(pattern: &str, home: &str, file: &str) -> Option<String> {
    let pattern = match pattern.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None if pattern.starts_with('~') => return None,
        None => match pattern.strip_prefix("./") {
            Some(rest) => format!("{}/{rest}", file.rsplit_once('/')?.0),
            None if pattern.starts_with('/') => pattern.to_owned(),
            None => format!("**/{pattern}"),
        },
    };
    Some(prepare_branch(&pattern))
}

fn prepare_branch(pattern: &str) -> String {
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
            git_dir: "/home/me/Work/app/.git".to_owned(),
            common_dir: "/home/me/Work/app/.git".to_owned(),
            worktree: None,
            certainty: Certainty::Certain,
            head: Head::Branch("feature/x".to_owned()),
        };
        let found = evaluate(condition, Some(&repository), "/home/me", "/home/me/.gitconfig");
        assert_eq!(found, expected, "{condition}");
    }

    #[test]
    fn a_condition_is_true_false_or_unknown() {
        for condition in [
            "gitdir:~/Work/",
            "gitdir:/home/me/Work/app/.git",
            "gitdir:/home/me/Work/**",
            "gitdir:Work/",
            "gitdir:app/.git",
            "gitdir:./Work/",
            "gitdir:/home/**/app/.git",
            "gitdir/i:~/work/",
            "onbranch:feature/x",
            "onbranch:feature/",
            "onbranch:**",
        ] {
            check(condition, Evaluation::True);
        }
        for condition in [
            "gitdir:~/work/",
            "gitdir:~/Work",
            "gitdir:~/Wor/",
            "gitdir:/home/me/Work/app/.git/",
            "onbranch:feature",
            "onbranch:main",
        ] {
            check(condition, Evaluation::False);
        }
        for condition in [
            "gitdir:~/W*/",
            "gitdir:~other/x/",
            "gitdir:/[a-z]ome/",
            "hasconfig:remote.*.url:https://x/**",
            "onbranch:f*/x",
            "gitdir:/**/a/**/b/**",
            "later:x",
            "x",
        ] {
            check(condition, Evaluation::Unknown);
        }
        assert_eq!(evaluate("gitdir:/", None, "/", "/f"), Evaluation::False);
    }
}
