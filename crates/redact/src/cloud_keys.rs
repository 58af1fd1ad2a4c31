//! Secret keys of clouds that stand alone, without a name and without a prefix.
//!
//! They are recognised by their length and by how often they change between upper case, lower case
//! and digits: random characters do that at most places, words and paths at few.

use crate::numbers::is_path_prefix;
use std::ops::Range;

/// The length of a secret access key of AWS.
const AWS_SECRET: usize = 40;
/// The length of an account key of Azure Storage, which ends in `==`.
const AZURE_KEY: usize = 88;
/// Out of ten neighbours, how many differ in their class at least. In random base64 six to seven do.
const MIN_CHANGES_OF_TEN: usize = 4;

/// The key that starts here, if one does.
pub(super) fn find_cloud_key(text: &str, start: usize) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let before = text.get(..start)?;
    let begins = !before.ends_with(|c: char| is_part(c) && c != '=' || c == '-' || c == '_');
    let rest = text.get(start..)?;
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let key = rest.get(..length)?;
    let ends = !rest.get(length..)?.starts_with(['-', '_', '.', '~']);
    let body = match length {
        AWS_SECRET => key,
        AZURE_KEY => key.strip_suffix("==")?,
        _ => return None,
    };
    let is_key =
        begins && ends && !body.contains('=') && is_random(body) && !is_path_prefix(before);
    is_key.then_some(start..start + length)
}

/// Whether characters change their class as often as random ones do. Hexadecimal digits of one case
/// are ids and checksums.
fn is_random(text: &str) -> bool {
    let class = |byte: &u8| match byte {
        b'0'..=b'9' => 0_u8,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let classes: Vec<u8> = text.as_bytes().iter().map(class).collect();
    let has_all = (0..3).all(|wanted| classes.contains(&wanted));
    let changes = classes.iter().zip(classes.iter().skip(1)).filter(|(a, b)| a != b).count();
    has_all && changes * 10 >= classes.len() * MIN_CHANGES_OF_TEN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Option<&str> {
        (0..text.len()).find_map(|at| find_cloud_key(text, at)).and_then(|span| text.get(span))
    }

    #[test]
    fn a_key_without_a_name_is_found_and_other_long_words_are_not() {
        let aws = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        for text in [aws.to_owned(), format!("with {aws} now"), format!("x='{aws}'")] {
            assert_eq!(find(&text), Some(aws), "{text}");
        }
        for text in [
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "src/components/Header/NavigationBar1/Item",
            "AbstractSingletonProxyFactoryBeanConfig01",
            "/srv/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEYS",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
