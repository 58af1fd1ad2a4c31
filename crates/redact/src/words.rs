//! What one word is: the name of a secret, a path, a reference to a secret, or a mark.

/// The prefix of every mark. Input that already contains a mark is treated as a secret, too.
pub(crate) const MARK: &str = "REDACTED-";

/// Names of secrets, in lower case without hyphens and underscores.
const SECRET_NAMES: [&str; 32] = [
    "accesskey",
    "accesstoken",
    "apikey",
    "apitoken",
    "auth",
    "authorization",
    "authtoken",
    "bearertoken",
    "cardnumber",
    "clientsecret",
    "cookie",
    "cvc",
    "cvv",
    "idtoken",
    "mfacode",
    "onetimecode",
    "onetimepassword",
    "otp",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "proxyauthorization",
    "pwd",
    "refreshtoken",
    "secret",
    "secretkey",
    "setcookie",
    "token",
    "totp",
    "verificationcode",
];

/// Endings of names of secrets: `PGPASSWORD`, `github_token`.
const SECRET_NAME_ENDINGS: [&str; 7] =
    ["password", "passphrase", "secret", "apikey", "accesskey", "privatekey", "token"];

pub(crate) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether a value with this name is a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    if name.len() > 64 {
        return false;
    }
    let plain = plain_name(name);
    SECRET_NAMES.contains(&plain.as_str())
        || SECRET_NAME_ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// A name in lower case without hyphens and underscores.
fn plain_name(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether a value is a path. Paths are never redacted, whatever their name.
pub(crate) fn is_path(text: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start))
}

/// Whether a text is one literal word for every shell: no expansion, no quote, no blank, no operator.
pub(crate) fn is_literal(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    !text.is_empty() && text.chars().all(is_plain)
}

/// Below this length a word is no key, and most passwords are longer.
const MIN_SECRET_CHARS: usize = 6;
/// A word of letters and digits of this length is no word of a language.
const MIN_KEY_CHARS: usize = 24;
/// The lengths of one-time codes and of the security codes of cards.
const CODE_DIGITS: std::ops::RangeInclusive<usize> = 3..=8;
/// Names of values that are short numbers.
const CODE_NAMES: [&str; 9] = [
    "cvc",
    "cvv",
    "mfacode",
    "onetimecode",
    "onetimepassword",
    "otp",
    "passcode",
    "totp",
    "verificationcode",
];

/// Whether a value that the agent named as a secret also has the form of one. The name alone could
/// hide anything from the operator: an agent chooses the names.
pub(crate) fn has_secret_form(name: &str, value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    let is_mixed = has(char::is_ascii_digit) && has(char::is_ascii_alphabetic);
    let is_scattered =
        value.chars().skip(1).any(|c| c.is_ascii_uppercase()) && has(char::is_ascii_lowercase);
    let is_long = value.len() >= MIN_KEY_CHARS && value.chars().all(|c| c.is_ascii_alphanumeric());
    let is_code = CODE_NAMES.contains(&plain_name(name).as_str())
        && CODE_DIGITS.contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_digit());
    is_literal(value)
        && !value.starts_with('-')
        && (is_code || value.len() >= MIN_SECRET_CHARS && (is_mixed || is_scattered || is_long))
}

/// Whether a value only refers to a secret, as `$TOKEN` does.
pub(crate) fn is_reference(text: &str) -> bool {
    text.starts_with('$') || text.starts_with("{{") || text.starts_with('<')
}
