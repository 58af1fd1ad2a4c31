//! Where copied and unpacked files land.

/// A place that a command fills.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Landing {
    /// One file or folder, with what was in it before.
    At(String),
    /// Any name in this folder and below it.
    AllOver(String),
}

/// The places that a command copies or unpacks whole folders to, as far as its words name them.
pub(super) fn find_landings(program: &str, words: &[&str]) -> Vec<Landing> {
    match program {
        "cp" if has_flag(words, &['r', 'R', 'a'], &["--recursive", "--archive"]) => {
            let is_whole = has_flag(words, &['T'], &["--no-target-directory"]);
            find_copies(words, |_| is_whole)
        }
        "rsync" => find_copies(words, |source| source.ends_with('/')),
        "tar" | "bsdtar" | "gtar" if unpacks(words) => {
            list_values(words, &["-C", "--directory", "--cd"])
        }
        "unzip" => list_values(words, &["-d"]),
        "7z" | "7za" | "7zz" | "bsdcpio" | "cpio" => list_values(words, &["-o", "-D"]),
        _ => Vec::new(),
    }
}

/// They go where an option says, or else into the last operand. A source that ends with `/.`, is a
/// pattern, or `is_content` stands for what is in it.
fn find_copies(words: &[&str], is_content: impl Fn(&str) -> bool) -> Vec<Landing> {
    let mut operands: Vec<&str> =
        words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let named = list_values(words, &["-t", "--target-directory"]);
    let into = match named.first() {
        Some(Landing::AllOver(into)) => {
            operands.retain(|operand| operand != into);
            into.clone()
        }
        _ => operands.pop().unwrap_or_default().to_owned(),
    };
    if into.is_empty() {
        return Vec::new();
    }
    let land = |source: &&str| {
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let is_unnamed = matches!(name, "" | "." | "..") || name.contains(['*', '?', '[']);
        match is_unnamed || is_content(source) {
            true => Landing::AllOver(into.trim_end_matches('/').to_owned()),
            false => Landing::At(format!("{}/{name}", into.trim_end_matches('/'))),
        }
    };
    operands.iter().map(land).collect()
}

/// The values of options, as words of their own or attached.
fn list_values(words: &[&str], options: &[&str]) -> Vec<Landing> {
    let mut values = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for option in options {
            let attached = match option.starts_with("--") {
                true => word.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')),
                false => word.strip_prefix(option).filter(|rest| !rest.is_empty()),
            };
            let next = words.get(at + 1).copied().filter(|_| word == option);
            values.extend(attached.or(next).map(|value| Landing::AllOver(value.to_owned())));
        }
    }
    values
}

/// Whether `tar` takes files out: as an option, or in its first word without a dash.
fn unpacks(words: &[&str]) -> bool {
    let is_old = words.first().is_some_and(|first| !first.starts_with('-') && first.contains('x'));
    is_old || has_flag(words, &['x'], &["--extract", "--get"])
}

fn has_flag(words: &[&str], letters: &[char], long: &[&str]) -> bool {
    words.iter().any(|word| match word.strip_prefix('-') {
        Some(rest) if rest.starts_with('-') => long.contains(word),
        Some(cluster) => cluster.contains(letters),
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landings(line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split(' ').collect();
        let found = find_landings(words[0], &words[1..]);
        found
            .into_iter()
            .map(|landing| match landing {
                Landing::At(path) => path,
                Landing::AllOver(folder) => format!("{folder}/**"),
            })
            .collect()
    }

    #[test]
    fn what_is_copied_or_unpacked_lands_below_its_target() {
        for (line, expected) in [
            ("cp -r a b/c /h/.config", vec!["/h/.config/a", "/h/.config/c"]),
            ("cp -a a/. /h", vec!["/h/**"]),
            ("cp -r a/* /h", vec!["/h/**"]),
            ("cp -rT a /h", vec!["/h/**"]),
            ("cp -r -t /h a", vec!["/h/a"]),
            ("cp a /h", vec![]),
            ("rsync -a a/ /h/", vec!["/h/**"]),
            ("rsync -a a /h/", vec!["/h/a"]),
            ("tar -xf a.tar -C /h", vec!["/h/**"]),
            ("tar xzf a.tgz --directory=/h", vec!["/h/**"]),
            ("tar -cf a.tar -C /h x", vec![]),
            ("unzip a.zip -d /h", vec!["/h/**"]),
            ("7z x a.7z -o/h", vec!["/h/**"]),
            ("ls -C /h", vec![]),
        ] {
            assert_eq!(landings(line), expected, "{line}");
        }
    }
}
