//! Options in front of a subcommand, behind which they mean the same.
//!
//! `kubectl -n shop get pods` is `kubectl get pods -n shop`. Only options that the tables of the
//! program's subcommands judge are moved.
//!
//! See docs/decisions/0114-looking-at-services-is-one-kind-of-work.md.

use crate::wrappers::base_name;

struct FrontOptions {
    program: &'static str,
    flags: &'static [&'static str],
    /// With a value, as the next word or, for a long one, behind `=`.
    valued: &'static [&'static str],
}

const PROGRAMS: &[FrontOptions] = &[
    FrontOptions {
        program: "aws",
        flags: &["--no-cli-pager", "--no-paginate"],
        valued: &["--region", "--profile", "--output", "--query"],
    },
    FrontOptions {
        program: "az",
        flags: &[],
        valued: &["-o", "--output", "--subscription", "--query"],
    },
    FrontOptions {
        program: "gcloud",
        flags: &["-q", "--quiet"],
        valued: &["--project", "--format", "--filter", "--limit"],
    },
    FrontOptions { program: "helm", flags: &[], valued: &["-n", "--namespace", "--kube-context"] },
    FrontOptions {
        program: "ip",
        flags: &["-br", "-brief", "-4", "-6", "-j", "-json", "-p", "-o", "-s", "-d"],
        valued: &[],
    },
    FrontOptions { program: "kubectl", flags: &[], valued: &["-n", "--namespace", "--context"] },
    FrontOptions {
        program: "redis-cli",
        flags: &["--raw", "--no-raw", "--json"],
        valued: &["-h", "-p", "-n"],
    },
    FrontOptions {
        program: "systemctl",
        flags: &["--user", "--no-pager", "--full", "--all", "-l", "-a", "-q"],
        valued: &[],
    },
];

/// The command with its front options behind the other words; `None` if it has none that are known.
pub(super) fn move_front_options(argv: &[String]) -> Option<Vec<String>> {
    let (program, words) = argv.split_first()?;
    let known = PROGRAMS.iter().find(|known| known.program == base_name(program))?;
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += known.count_words(word)?;
    }
    let (front, rest) = words.split_at_checked(at)?;
    // Behind `--` another program would get them.
    if front.is_empty() || rest.is_empty() || words.iter().any(|word| word == "--") {
        return None;
    }
    Some([std::slice::from_ref(program), rest, front].concat())
}

impl FrontOptions {
    /// How many words an option has with its value.
    fn count_words(&self, word: &str) -> Option<usize> {
        if self.flags.contains(&word) {
            return Some(1);
        }
        match word.split_once('=') {
            None => self.valued.contains(&word).then_some(2),
            Some((option, _)) => {
                (option.starts_with("--") && self.valued.contains(&option)).then_some(1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_options_move_behind_the_subcommand_and_others_stay() {
        for (line, expected) in [
            ("kubectl -n shop get pods", Some("kubectl get pods -n shop")),
            ("kubectl --context=prod -n a get pods", Some("kubectl get pods --context=prod -n a")),
            ("aws --profile dev s3 ls", Some("aws s3 ls --profile dev")),
            ("systemctl --user status x", Some("systemctl status x --user")),
            ("/usr/bin/ip -br addr", Some("/usr/bin/ip addr -br")),
            ("kubectl get pods -n shop", None),
            ("kubectl --kubeconfig x get pods", None),
            ("kubectl -n shop exec web -- id", None),
            ("kubectl -n shop", None),
            ("kubectl -n", None),
            ("aws --endpoint-url x s3 ls", None),
            ("systemctl -H host status x", None),
            ("redis-cli -a secret get x", None),
            ("docker --context x ps", None),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let moved = move_front_options(&argv).map(|argv| argv.join(" "));
            assert_eq!(moved.as_deref(), expected, "{line}");
        }
    }
}
