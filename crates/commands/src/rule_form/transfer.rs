//! `curl` with its method and with `-L` in front, wherever they stand.

/// Flags without a value: behind them a word is an option of its own.
const FLAGS: &str = "sSfIivL";

/// `-X GET` is what curl does anyway. Another method comes first, and so does `-L`.
pub(super) fn order_curl(argv: &[String]) -> Option<Vec<String>> {
    let (curl, words) = argv.split_first()?;
    let (mut method, mut follows, mut rest) = (None, false, Vec::new());
    let mut at = 0;
    // Behind an option with a value, a word is that value.
    let mut is_value = false;
    while let Some(word) = words.get(at) {
        at += 1;
        if std::mem::take(&mut is_value) {
            rest.push(word.clone());
            continue;
        }
        match word.as_str() {
            "--" => {
                rest.extend_from_slice(words.get(at - 1..).unwrap_or_default());
                break;
            }
            "-X" | "--request" if method.is_none() => {
                method = Some(words.get(at)?.clone());
                at += 1;
            }
            "--location" => follows = true,
            flags if is_flags(flags) && flags.contains('L') => {
                follows = true;
                let others = flags.replace('L', "");
                rest.extend((others != "-").then_some(others));
            }
            _ => {
                is_value = word.starts_with('-') && !is_flags(word) && !word.starts_with("--");
                rest.push(word.clone());
            }
        }
    }
    let first = match (method.as_deref(), follows) {
        (None, false) => return None,
        (None | Some("GET" | "HEAD"), true) => vec!["-L".to_owned()],
        (Some("GET" | "HEAD"), false) => Vec::new(),
        (Some(method), true) => vec!["-X".to_owned(), method.to_owned(), "-L".to_owned()],
        (Some(method), false) => vec!["-X".to_owned(), method.to_owned()],
    };
    Some([std::slice::from_ref(curl), &first, &rest].concat())
}

fn is_flags(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty());
    letters.is_some_and(|letters| letters.chars().all(|letter| FLAGS.contains(letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_method_and_redirections_of_curl_come_first() {
        for (line, expected) in [
            ("curl -X GET https://a", "curl https://a"),
            ("curl -s --request GET https://a", "curl -s https://a"),
            ("curl -sSL https://a", "curl -L -sS https://a"),
            ("curl https://a -L", "curl -L https://a"),
            ("curl -s -X POST https://a -d x", "curl -X POST -s https://a -d x"),
            ("curl -X POST -L https://a", "curl -X POST -L https://a"),
            ("curl -L -o -L https://a", "curl -L -o -L https://a"),
            ("curl -L -- -L", "curl -L -- -L"),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(order_curl(&argv).unwrap().join(" "), expected, "{line}");
        }
        for line in ["curl https://a", "curl -o -L https://a", "curl -X"] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(order_curl(&argv), None, "{line}");
        }
    }
}
