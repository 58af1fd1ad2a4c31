//! `curl` with its method and with `-L` in front, wherever they stand. One that reaches nothing but
//! this machine is `curl localhost`.

use crate::option_tables::{find_operands, is_local_address};

/// Flags without a value: behind them a word is an option of its own.
const FLAGS: &str = "sSfIivL";

/// Options that send their value, and make the request a POST.
const SENDING: &[&str] = &["-d", "--data", "--data-raw", "--json"];

pub(super) fn name_curl(argv: &[String]) -> Option<Vec<String>> {
    let ordered = order_curl(argv);
    name_local(ordered.as_deref().unwrap_or(argv)).or(ordered)
}

/// The command with `localhost` in front if all its addresses are of this machine. A redirection could
/// lead elsewhere.
fn name_local(argv: &[String]) -> Option<Vec<String>> {
    let (curl, words) = argv.split_first()?;
    let operands = find_operands(argv)?;
    let mut addresses = operands.iter().filter_map(|at| argv.get(*at));
    let is_local = !operands.is_empty() && addresses.all(|word| is_local_address(word));
    let follows = words.first().is_some_and(|word| word == "-L");
    (is_local && !follows).then(|| [&[curl.clone(), "localhost".to_owned()], words].concat())
}

/// `-X GET` is what curl does anyway. Another method comes first, and so does `-L`.
fn order_curl(argv: &[String]) -> Option<Vec<String>> {
    let (curl, words) = argv.split_first()?;
    let (mut method, mut follows, mut sends, mut rest) = (None, false, false, Vec::new());
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
                let name = word.split('=').next().unwrap_or_default();
                sends |= SENDING.contains(&name);
                is_value = word.starts_with('-') && !is_flags(word) && !word.starts_with("--");
                rest.push(word.clone());
            }
        }
    }
    let method = method.or_else(|| sends.then(|| "POST".to_owned()));
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
            ("curl -s https://a -d x", "curl -X POST -s https://a -d x"),
            ("curl https://a --json={}", "curl -X POST https://a --json={}"),
            ("curl -X PUT https://a -d x", "curl -X PUT https://a -d x"),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(order_curl(&argv).unwrap().join(" "), expected, "{line}");
        }
        for line in ["curl https://a", "curl -o -L https://a", "curl -X", "curl -o -d https://a"] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(order_curl(&argv), None, "{line}");
        }
    }

    #[test]
    fn only_a_request_to_this_machine_is_local() {
        for (line, expected) in [
            ("curl localhost:3000", "curl localhost localhost:3000"),
            ("curl -s http://127.0.0.1:8080/x", "curl localhost -s http://127.0.0.1:8080/x"),
            (
                "curl http://localhost:1/a -d x -H a:b",
                "curl localhost -X POST http://localhost:1/a -d x -H a:b",
            ),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(name_curl(&argv).unwrap().join(" "), expected, "{line}");
        }
        for line in [
            "curl https://example.com",
            "curl localhost https://example.com",
            "curl http://localhost.example.com",
            "curl http://a@localhost:3000@example.com",
            "curl http://localhost:3000 -x proxy",
            "curl -L http://localhost:3000",
            "curl localhost:3000 --unix-socket /x",
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let named = name_curl(&argv).unwrap_or(argv);
            let is_local = crate::option_tables::find_table(&named)
                .filter(|table| table.name == "curl localhost")
                .is_some_and(|table| {
                    crate::option_tables::explain_uncovered_words(table, &named[2..]).is_none()
                });
            assert!(!is_local, "{line}");
        }
    }
}
