//! Places where programs keep credentials.
//!
//! A pattern is bound to a folder where its name alone is common in projects: `.aws` in a home folder
//! is secret, but a project's `.aws/task-definition.json` is not.

use super::{PlaceGroup, secret};

#[rustfmt::skip]
pub(super) const GROUPS: &[PlaceGroup] = &[
    secret("environment files", "programs load passwords and tokens from them; examples are not secret", &[
        ".env", ".env.*", ".env-*", ".env_*", ".env~", "*.env", ".envrc", ".dev.vars", ".dev.vars.*",
        "!.env*example", "!.env*sample", "!.env*template", "!.env*dist", "!.env*default", "!.env*defaults",
        "!.env*schema", "!*example.env", "!*sample.env", "!*template.env", "!.dev.vars.example",
    ]),
    // Also Keynote presentations end in `.key`. TLS and Rails keys do too, and asking about a
    // presentation costs less than handing out `server.key`.
    secret("key files", "private keys, and stores that contain some", &[
        "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.ppk", "*.keytab",
        "*.ovpn", "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "deploy_key",
        "ssh_host_*_key", "secring.gpg", "!cacert.pem", "!ca-bundle.pem", "!*public*.pem", "!*public*.key",
        "!debug.keystore",
    ]),
    secret("SSH and GnuPG", "private keys of a person", &[".ssh", ".gnupg", "!.ssh/*.pub"]),
    secret("cloud accounts", "credentials of the providers' command lines", &[
        "~/.aws", ".aws/credentials", ".aws/sso", ".aws/cli", "~/.azure", ".azure/msal_token_cache.*",
        ".azure/accessTokens.json", ".config/gcloud", "application_default_credentials.json", ".boto", ".s3cfg",
        ".oci", ".aliyun", ".config/doctl", ".config/hcloud", ".config/scw", ".fly/config.yml",
        ".config/rclone", "rclone.conf", ".wrangler/config", ".config/configstore", ".databrickscfg",
        ".config/stripe", ".pulumi/credentials.json", ".kaggle/kaggle.json", "huggingface/token",
    ]),
    secret("service accounts", "keys of programs, under their usual names", &[
        "service-account*.json", "service_account*.json", "serviceaccount*.json", "*-service-account.json",
        "*firebase-adminsdk*.json", "client_secret*.json", "credentials.json", "credentials.yml",
        "credentials.yaml", "credentials.toml", "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml",
        "secrets.env", ".secrets", ".secrets.*", "!templates/secrets.yaml", "!.secrets.baseline",
    ]),
    secret("clusters and containers", "certificates and tokens of clusters and registries", &[
        "~/.kube", ".kube/config", "kubeconfig", "*.kubeconfig", "kubeconfig.yaml", "kubeconfig.yml", "/etc/kubernetes",
        "/etc/rancher/k3s/k3s.yaml", "/run/secrets", "/var/run/secrets", ".docker/config.json", ".dockercfg",
        ".dockerconfigjson", "containers/auth.json", "/run/containers/*/auth.json", "helm/registry/config.json", "talosconfig",
    ]),
    secret("logins for hosts", "passwords that network programs read", &[
        ".netrc", "_netrc", ".authinfo", ".authinfo.gpg", ".htpasswd", ".msmtprc", ".fetchmailrc",
        ".smbcredentials", ".vnc/passwd", ".Xauthority", "/etc/wireguard",
        "/etc/NetworkManager/system-connections",
    ]),
    secret("package registries", "tokens that publish packages", &[
        ".npmrc", ".pypirc", "pip.conf", "pypoetry/auth.toml", ".cargo/credentials", ".cargo/credentials.toml",
        ".gem/credentials", ".bundle/config", ".composer/auth.json", "composer/auth.json", ".m2/settings.xml",
        ".m2/settings-security.xml", "~/.gradle/gradle.properties", ".ivy2/.credentials", ".sbt/.credentials",
        "pub-credentials.json", ".nuget/NuGet/NuGet.Config",
    ]),
    secret("forges", "tokens for repositories", &[
        ".git-credentials", ".config/git/credentials", ".gitcookies", "gh/hosts.yml", ".config/hub",
        "glab-cli/config.yml", "tea/config.yml",
    ]),
    secret("infrastructure as code", "state and variables contain passwords in plain text", &[
        "*.tfstate", "*.tfstate*.backup", "*.tfvars", "*.tfvars.json", ".terraformrc", "terraform.rc", "*.tfrc.json",
        ".vault-token", ".vault_pass", ".vault_pass.txt", ".vault_password", ".config/sops",
        "!*example.tfvars", "!*sample.tfvars",
    ]),
    secret("databases", "passwords of database clients", &[
        ".pgpass", "pgpass.conf", ".pg_service.conf", ".my.cnf", ".mylogin.cnf", ".cassandra/credentials",
        "/etc/mysql/debian.cnf", "credentials-config.json",
    ]),
    secret("password stores and wallets", "passwords and keys, encrypted or not", &[
        ".password-store", "*.kdbx", "*.kdb", ".local/share/keyrings", ".local/share/kwalletd",
        "Library/Keychains", "*.keychain", "*.keychain-db", ".config/op", "Bitwarden CLI", "wallet.dat",
        ".ethereum/keystore", ".config/solana/id.json",
    ]),
    secret("browsers", "cookies, which are logins, and saved passwords", &[
        ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware",
        ".config/microsoft-edge", ".config/vivaldi", "snap/firefox", "snap/chromium",
        ".var/app/org.mozilla.firefox", ".var/app/com.google.Chrome",
        "Library/Application Support/Google/Chrome", "Library/Application Support/Firefox",
        "Library/Application Support/BraveSoftware", "Library/Application Support/Microsoft Edge",
        "Library/Safari", "Library/Cookies", "cookies.sqlite", "logins.json", "key4.db", "Login Data",
        "cookies.txt",
    ]),
    secret("histories", "passwords that somebody typed in a command", &[
        ".bash_history", ".zsh_history", ".zhistory", ".histfile", ".sh_history", "fish_history",
        ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history",
        ".rediscli_history", ".local/share/atuin", "ConsoleHost_history.txt",
    ]),
    secret("agents' logins", "tokens of the agents themselves", &[
        ".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini/oauth_creds.json",
        ".qwen/oauth_creds.json", "opencode/auth.json", ".config/github-copilot", ".config/cursor/auth.json",
        ".factory/auth.json", "io.datasette.llm/keys.json",
    ]),
    secret("the system", "password hashes, private keys, and the variables of running programs", &[
        "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/ssl/private", "/etc/pki/tls/private",
        "/etc/letsencrypt", "/proc/*/environ", "/proc/*/mem", "/proc/*/task/*/environ",
    ]),
];
