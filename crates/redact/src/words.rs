//! What one word is: the name of a secret, a path, a reference to a secret, or a mark.

/// The prefix of every mark. Input that already contains a mark is treated as a secret, too.
pub(crate) const MARK: &str = "REDACTED-";

/// Names of secrets, in lower case without hyphens and underscores.
const SECRET_NAMES: [&str; 27] = [
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
    "otp",
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
    let plain: String =
        name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect();
    SECRET_NAMES.contains(&plain.as_str())
        || SECRET_NAME_ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// Whether a value is a path. Paths are never redacted, whatever their name.
pub(crate) fn is_path(text: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start))
}

/// Whether a value only refers to a secret, as `$TOKEN` does.
pub(crate) fn is_reference(text: &str) -> bool {
    text.starts_with('$') || text.starts_with("{{") || text.starts_with('<')
}
