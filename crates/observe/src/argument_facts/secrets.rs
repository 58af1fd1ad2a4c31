//! Paths where programs usually keep keys, passwords or tokens.
//!
//! The lists contain only common names. For other places an operator names the folder in a policy.

/// Paths below any folder, with everything below them.
const SECRET_PATHS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".password-store",
    ".config/gh",
    ".config/gcloud",
    ".config/op",
    ".config/sops",
    ".local/share/keyrings",
    ".docker/config.json",
    ".cargo/credentials.toml",
    ".terraform.d",
    ".mozilla",
    "library/keychains",
    "run/secrets",
    "etc/shadow",
    "etc/gshadow",
    "etc/sudoers",
    "etc/sudoers.d",
    "etc/ssl/private",
    "etc/ssh",
];

const SECRET_NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".vault-token",
    ".bash_history",
    ".zsh_history",
    "credentials",
    "credentials.json",
    "service-account.json",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    "secrets.toml",
    "secrets.env",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "terraform.tfstate",
    "wallet.dat",
    "environ",
];

const SECRET_ENDINGS: &[&str] =
    &[".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore", ".jks", ".ppk", ".gpg", ".age"];

/// `.env.example` and the like contain no secrets.
const EXAMPLE_ENDINGS: &[&str] = &[".example", ".sample", ".template", ".dist"];

pub(super) fn is_secret(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let slashed = format!("/{}/", path.trim_matches('/'));
    let is_env_file =
        name.starts_with(".env.") && !EXAMPLE_ENDINGS.iter().any(|end| name.ends_with(end));
    is_env_file
        || SECRET_NAMES.contains(&name)
        || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || SECRET_PATHS.iter().any(|secret| slashed.contains(&format!("/{secret}/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_passwords_and_tokens_are_secret_in_any_case_and_place() {
        for path in [
            "/home/me/.ssh/config",
            "~/.ssh",
            "/w/.env",
            "/w/.ENV",
            "/w/.env.production",
            "/w/deploy/server.pem",
            "/etc/shadow",
            "/home/me/.config/gh/hosts.yml",
            "/proc/1/environ",
            ".env",
            "id_rsa",
        ] {
            assert!(is_secret(path), "{path}");
        }
        for path in [
            "/w/src/main.rs",
            "/w/.env.example",
            "/w/environment.md",
            "/home/me/.sshd/x",
            "/w/id_rsa.pub",
            "/",
            "",
            "+15550100",
        ] {
            assert!(!is_secret(path), "{path}");
        }
    }
}
