//! The addresses of remotes.

const PLAIN_SCHEMES: &[&str] =
    &["http://", "https://", "ssh://", "git://", "git+ssh://", "ssh+git://", "ftp://", "ftps://"];

/// Whether git starts another program for this address than its own `http` helper and `ssh`. On
/// this machine it runs the hooks of the other repository; `NAME::…` starts `git-remote-NAME`.
pub(crate) fn runs_configured_program(address: &str) -> bool {
    if PLAIN_SCHEMES.iter().any(|scheme| address.starts_with(scheme)) {
        return false;
    }
    let host = address.split('/').next().unwrap_or_default();
    let is_on_host = host.contains(':') && !host.starts_with([':', '-', '.']);
    !is_on_host || address.contains("::") || address.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_on_another_host_runs_no_program_of_its_own() {
        for address in ["https://host/x", "ssh://host/x", "git@host:x/y", "host:x", "git://host/x"]
        {
            assert!(!runs_configured_program(address), "{address}");
        }
        for address in [
            "",
            ".",
            "..",
            "origin",
            "/x",
            "./x:y",
            "../x",
            "x/y",
            "x/y:z",
            "file:///x",
            "ext::sh",
            "fd::3",
            "foo::host:x",
            "foo://host/x",
            "::x",
            ":x",
            "~/x",
        ] {
            assert!(runs_configured_program(address), "{address}");
        }
    }
}
