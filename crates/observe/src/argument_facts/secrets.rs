//! Paths that hold keys, passwords or tokens, by the names that programs give them.
//!
//! A list can only name what is usual. Whoever keeps secrets elsewhere names the folder in a
//! policy of their own.

/// Folders, from any place downwards.
const FOLDERS: &[&str] = &[
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

const NAMES: &[&str] = &[
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

const ENDINGS: &[&str] =
    &[".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore", ".jks", ".ppk", ".gpg", ".age"];

/// `.env.example` is meant to be shown.
const SHOWN: &[&str] = &[".example", ".sample", ".template", ".dist"];

pub(super) fn is_secret(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let framed = format!("/{}/", path.trim_matches('/'));
    let named_env = name.starts_with(".env.") && !SHOWN.iter().any(|end| name.ends_with(end));
    named_env
        || NAMES.contains(&name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || FOLDERS.iter().any(|folder| framed.contains(&format!("/{folder}/")))
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
