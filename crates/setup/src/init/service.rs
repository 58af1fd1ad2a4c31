//! The daemon as a service of the user: a systemd unit, or a launchd file.

use super::args::InitArgs;
use crate::context::SetupContext;
use crate::files;
use crate::files::read_if_present;
use crate::starter::write_new;
use countersign_console::{Failure, Page, is_confirmed, out};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const UNIT: &str = "countersign.service";
const LABEL: &str = "io.countersign.daemon";

/// Who runs services of a user on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServiceManager {
    Systemd,
    Launchd,
}

impl ServiceManager {
    /// None if nobody does, as in a container.
    fn find(context: &SetupContext) -> Option<Self> {
        if cfg!(target_os = "macos") {
            return Some(Self::Launchd);
        }
        context.find_executable("systemctl")?;
        let mut status = Command::new("systemctl");
        status.args(["--user", "show-environment"]).stdin(Stdio::null());
        status.stdout(Stdio::null()).stderr(Stdio::null());
        status.status().is_ok_and(|status| status.success()).then_some(Self::Systemd)
    }

    fn path(self, context: &SetupContext) -> Result<PathBuf, Failure> {
        let home = context.home.as_ref().map(Path::new);
        let config = context.graph_folder().and_then(Path::parent);
        let path = match self {
            Self::Systemd => config.map(|config| config.join("systemd/user").join(UNIT)),
            Self::Launchd => {
                home.map(|home| home.join(format!("Library/LaunchAgents/{LABEL}.plist")))
            }
        };
        path.ok_or_else(|| Failure::usage("your home folder is not known", "set HOME"))
    }

    fn text(self, binary: &str) -> String {
        match self {
            Self::Systemd => unit_text(binary),
            Self::Launchd => plist_text(binary),
        }
    }

    /// The commands that start the service now and at each login.
    fn start_commands(self, path: &Path) -> Vec<Vec<String>> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Self::Systemd => vec![
                words(&["systemctl", "--user", "daemon-reload"]),
                words(&["systemctl", "--user", "enable", "--now", UNIT]),
            ],
            Self::Launchd => vec![words(&["launchctl", "load", "-w", &path.to_string_lossy()])],
        }
    }

    fn stop_commands(self, path: &Path) -> Vec<Vec<String>> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Self::Systemd => vec![words(&["systemctl", "--user", "disable", "--now", UNIT])],
            Self::Launchd => vec![words(&["launchctl", "unload", "-w", &path.to_string_lossy()])],
        }
    }
}

/// A specifier of systemd starts with `%`, and a variable with `$`.
fn unit_text(binary: &str) -> String {
    let escaped = binary.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
    let escaped = escaped.replace('$', "$$");
    format!(
        "[Unit]\n\
         Description=Countersign, the consent layer for AI agents\n\
         \n\
         [Service]\n\
         ExecStart=\"{escaped}\" serve\n\
         Restart=on-failure\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    )
}

fn plist_text(binary: &str) -> String {
    let escaped = binary.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n\
         <dict>\n\
         \x20 <key>Label</key>\n\
         \x20 <string>{LABEL}</string>\n\
         \x20 <key>ProgramArguments</key>\n\
         \x20 <array>\n\
         \x20   <string>{escaped}</string>\n\
         \x20   <string>serve</string>\n\
         \x20 </array>\n\
         \x20 <key>RunAtLoad</key>\n\
         \x20 <true/>\n\
         \x20 <key>KeepAlive</key>\n\
         \x20 <dict>\n\
         \x20   <key>SuccessfulExit</key>\n\
         \x20   <false/>\n\
         \x20 </dict>\n\
         </dict>\n\
         </plist>\n"
    )
}

/// Offers the service, unless the command line has decided. Without one, a hook starts the daemon.
pub(super) fn offer_service(args: &InitArgs, context: &SetupContext) -> Result<(), Failure> {
    let can_ask = !args.yes && !args.no_service && std::io::stdin().is_terminal();
    if !args.service && !can_ask {
        return Ok(());
    }
    let Some(manager) = ServiceManager::find(context) else {
        if args.service {
            let message = "nobody runs services of a user here";
            return Err(Failure::new(
                message,
                "run `countersign serve` yourself; a hook starts it too",
            ));
        }
        return Ok(());
    };
    let path = manager.path(context)?;
    let text = manager.text(&context.own_binary()?);
    let old = read_if_present(&path)?;
    if old.as_deref() == Some(text.as_bytes()) {
        return Ok(());
    }
    let question = format!("Run the daemon as a service of your user ({})?", path.display());
    if !args.service && !is_confirmed(&question)? {
        return Ok(());
    }
    match old {
        Some(old) => files::replace(&path, &old, text.as_bytes())?,
        None => write_new(&path, &text)?,
    }
    run_commands(&manager.start_commands(&path))?;
    out::show(&Page::from_line(&format!("the daemon is a service now: {}", path.display())))
}

/// Whether the command line says yes already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServiceRemoval {
    Given,
    Asked,
}

/// Stops and removes the service, if it is ours, after a yes.
pub(crate) fn remove_service(
    confirmation: ServiceRemoval,
    context: &SetupContext,
) -> Result<(), Failure> {
    let Some(manager) = ServiceManager::find(context) else { return Ok(()) };
    let path = manager.path(context)?;
    let Some(text) = read_if_present(&path)? else { return Ok(()) };
    let is_ours = String::from_utf8_lossy(&text).contains("countersign");
    if !is_ours {
        return Ok(());
    }
    let question = format!("Stop the daemon's service and remove {}?", path.display());
    let is_wanted = confirmation == ServiceRemoval::Given
        || (std::io::stdin().is_terminal() && is_confirmed(&question)?);
    if !is_wanted {
        return out::show(&Page::from_line(&format!("the service stays: {}", path.display())));
    }
    run_commands(&manager.stop_commands(&path))?;
    let help = "remove it yourself";
    std::fs::remove_file(&path).map_err(|error| Failure::file("remove", &path, &error, help))?;
    out::show(&Page::from_line(&format!("the service is stopped and removed: {}", path.display())))
}

fn run_commands(commands: &[Vec<String>]) -> Result<(), Failure> {
    for words in commands {
        let Some((program, rest)) = words.split_first() else { continue };
        let shown = words.join(" ");
        let status = Command::new(program).args(rest).stdin(Stdio::null()).status();
        if !status.is_ok_and(|status| status.success()) {
            let message = format!("`{shown}` failed");
            return Err(Failure::new(message, "run it yourself to see why"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_starts_the_daemon_again_after_a_crash() {
        assert_eq!(
            unit_text("/opt/my tools/100%/countersign"),
            "[Unit]\nDescription=Countersign, the consent layer for AI agents\n\n[Service]\n\
             ExecStart=\"/opt/my tools/100%%/countersign\" serve\nRestart=on-failure\n\n[Install]\n\
             WantedBy=default.target\n"
        );
    }

    #[test]
    fn the_launchd_file_names_program_and_argument_apart() {
        let text = plist_text("/opt/a & b/countersign");
        let expected = "  <array>\n    <string>/opt/a &amp; b/countersign</string>\n    \
                        <string>serve</string>\n  </array>\n";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("<string>io.countersign.daemon</string>"), "{text}");
        assert_eq!(text.matches("<dict>").count(), text.matches("</dict>").count());
        assert!(text.starts_with("<?xml ") && text.ends_with("</plist>\n"));
    }

    #[test]
    fn a_service_is_started_now_and_at_each_login() {
        let commands = |manager: ServiceManager| {
            let commands = manager.start_commands(Path::new("/h/x.plist"));
            commands.iter().map(|words| words.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(
            commands(ServiceManager::Systemd),
            ["systemctl --user daemon-reload", "systemctl --user enable --now countersign.service"]
        );
        assert_eq!(commands(ServiceManager::Launchd), ["launchctl load -w /h/x.plist"]);
    }
}
