//! Words of Go and cargo that change nothing that a rule is about.

/// `cargo +nightly test` as `cargo test`. A toolchain is installed by its name; another word may be a
/// path.
pub(super) fn drop_toolchain(argv: &[String]) -> Option<Vec<String>> {
    let [cargo, toolchain, rest @ ..] = argv else { return None };
    let name = toolchain.strip_prefix('+')?;
    let is_name = !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        && !name.contains("..");
    is_name.then(|| [std::slice::from_ref(cargo), rest].concat())
}

/// Go reads `--name` as `-name`. Linker options that only leave out symbols or set the value of a
/// variable are left out; others start programs.
pub(super) fn plain_go_words(argv: &[String]) -> Option<Vec<String>> {
    let [go, subcommand, words @ ..] = argv else { return None };
    if !matches!(subcommand.as_str(), "build" | "test" | "vet" | "list") {
        return None;
    }
    let mut plain = vec![go.clone(), subcommand.clone()];
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let option = match word.strip_prefix("--") {
            Some(name) if name.starts_with(|c: char| c.is_ascii_alphabetic()) => format!("-{name}"),
            _ => word.clone(),
        };
        if option == "-args" {
            plain.push(option);
            plain.extend_from_slice(words.get(at..).unwrap_or_default());
            break;
        }
        match option.strip_prefix("-ldflags") {
            Some("") if words.get(at).is_some_and(|value| is_plain_linking(value)) => at += 1,
            Some(rest) if rest.strip_prefix('=').is_some_and(is_plain_linking) => {}
            _ => plain.push(option),
        }
    }
    (plain != argv).then_some(plain)
}

fn is_plain_linking(value: &str) -> bool {
    let mut words = value.split(' ').filter(|word| !word.is_empty());
    let is_plain = |word: &str| {
        word.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/+:@".contains(&b))
            && !word.starts_with('-')
    };
    while let Some(word) = words.next() {
        let assigned = match word {
            "-s" | "-w" => continue,
            "-X" => words.next(),
            _ => word.strip_prefix("-X="),
        };
        let parts = assigned.and_then(|assigned| assigned.split_once('='));
        if !parts.is_some_and(|(name, value)| is_plain(name) && is_plain(value)) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn a_toolchain_is_left_out_if_it_is_a_name() {
        let found = drop_toolchain(&words("cargo|+nightly-2025-01-01|test"));
        assert_eq!(found, Some(words("cargo|test")));
        for line in ["cargo|test", "cargo|+|test", "cargo|+/tmp/x|test", "cargo|+..|test", "cargo"]
        {
            assert_eq!(drop_toolchain(&words(line)), None, "{line}");
        }
    }

    #[test]
    fn words_of_go_are_written_in_one_way() {
        for (line, expected) in [
            ("go|test|--tags=a|./...", "go|test|-tags=a|./..."),
            ("go|build|-ldflags|-s -w|.", "go|build|."),
            ("go|build|-ldflags=-s -X main.v=1.2|.", "go|build|."),
            ("go|build|--ldflags=-X=main.v=1|.", "go|build|."),
            ("go|test|--exec=x|.", "go|test|-exec=x|."),
        ] {
            assert_eq!(plain_go_words(&words(line)), Some(words(expected)), "{line}");
        }
        for line in [
            "go|run|--x|.",
            "go|test|./...",
            "go|build|-ldflags|-extld=sh|.",
            "go|build|-ldflags=-s -extldflags=x|.",
            "go|build|-ldflags|-X a|.",
            "go|build|-ldflags|-X main.v=-extld|.",
            "go|build|-ldflags|-s -linkmode external|.",
            "go|build|-ldflags",
        ] {
            assert_eq!(plain_go_words(&words(line)), None, "{line}");
        }
        let passed = words("go|test|-args|--x");
        assert_eq!(plain_go_words(&passed), None);
    }
}
