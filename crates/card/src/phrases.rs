//! What the actions of common graphs are called in a headline.
//!
//! An action that is not listed is called by its own words. No phrase stands for two actions of
//! different effect, and none uses a verb that the action does not have.

mod elsewhere;

/// How an action is called with its object, for which `{}` stands, and without it. `{amount}`
/// stands for the amount.
pub(crate) struct ActionPhrase {
    pub(crate) action: &'static str,
    pub(crate) with_object: &'static str,
    pub(crate) alone: &'static str,
    /// Arguments that name the object if the call has no target.
    pub(crate) arguments: &'static [&'static str],
}

const fn phrase(
    action: &'static str,
    with_object: &'static str,
    alone: &'static str,
) -> ActionPhrase {
    ActionPhrase { action, with_object, alone, arguments: &[] }
}

const fn phrase_by(
    action: &'static str,
    with_object: &'static str,
    alone: &'static str,
    arguments: &'static [&'static str],
) -> ActionPhrase {
    ActionPhrase { action, with_object, alone, arguments }
}

pub(crate) fn find_phrase(action: &str) -> Option<&'static ActionPhrase> {
    let mut all = PHRASES.iter().chain(elsewhere::PHRASES);
    all.find(|phrase| phrase.action == action)
}

const PHRASES: &[ActionPhrase] = &[
    // Files
    phrase("files.read", "Read {}", "Read files"),
    phrase_by("files.search", "Search {}", "Search files", &["pattern", "query"]),
    phrase("files.edit", "Edit {}", "Edit a file"),
    phrase("files.write", "Write {}", "Write a file"),
    phrase("files.write_workspace", "Write {}", "Write a file of the workspace"),
    phrase(
        "files.write_outside_workspace",
        "Write {}, outside the workspace",
        "Write a file outside the workspace",
    ),
    phrase(
        "files.edit_outside_workspace",
        "Edit {}, outside the workspace",
        "Edit a file outside the workspace",
    ),
    phrase("files.create", "Create {}", "Create a file"),
    phrase("files.patch", "Apply a patch to {}", "Apply a patch"),
    phrase("files.delete", "Delete {}", "Delete files"),
    phrase(
        "files.delete_outside_workspace",
        "Delete {}, outside the workspace",
        "Delete files outside the workspace",
    ),
    phrase("files.overwrite", "Overwrite {}", "Overwrite a file"),
    phrase("files.move", "Move {}", "Move a file"),
    phrase("files.modify_secrets", "Change secrets in {}", "Change secrets"),
    // Commands
    phrase("shell.run", "Run {}", "Run a command"),
    phrase("shell.program", "Run {}", "Run a program"),
    phrase("shell.script", "Run the script {}", "Run a script"),
    phrase_by(
        "shell.stop",
        "Stop the command {}",
        "Stop a running command",
        &["shell_id", "shellId", "task_id"],
    ),
    phrase("test.run", "Run the tests of {}", "Run the tests"),
    phrase("build.compile", "Build {}", "Build the project"),
    phrase("build.lint", "Lint {}", "Lint the project"),
    phrase("build.format", "Format {}", "Format the project"),
    phrase("build.install_dependencies", "Install dependencies: {}", "Install dependencies"),
    phrase("build.publish", "Publish {}", "Publish a package"),
    phrase("build.script", "Run a task of the project: {}", "Run a task of the project"),
    phrase(
        "build.unlisted_task",
        "Run a task that no file of the project defines: {}",
        "Run a task that no file of the project defines",
    ),
    phrase("system.destroy", "Destroy this system: {}", "Destroy this system"),
    phrase("system.inspect", "Look at this machine: {}", "Look at this machine"),
    phrase_by(
        "shell.input",
        "Type into a running program: {}",
        "Type into a running program",
        &["chars", "input"],
    ),
    phrase_by(
        "shell.powershell",
        "Run in PowerShell: {}",
        "Run a PowerShell command",
        &["command"],
    ),
    // Git.
    phrase("git.status", "Show the git status of {}", "Show the git status"),
    phrase("git.diff", "Show the git diff of {}", "Show the git diff"),
    phrase("git.log", "Show the git log of {}", "Show the git log"),
    phrase("git.stash", "Stash changes: {}", "Stash changes in git"),
    phrase("git.add", "Stage {}", "Stage files in git"),
    phrase("git.commit", "Commit {}", "Commit to git"),
    phrase("git.branch", "Create or change the branch {}", "Create or change a branch"),
    phrase("git.merge", "Merge {}", "Merge branches"),
    phrase("git.rebase", "Rebase {}", "Rebase a branch"),
    phrase("git.tag", "Tag {}", "Tag a commit"),
    phrase("git.discard", "Discard changes in {}", "Discard changes"),
    phrase("git.config", "Change the git configuration: {}", "Change the git configuration"),
    phrase("git.fetch", "Fetch commits from {}", "Fetch commits"),
    phrase("git.pull", "Fetch commits and merge them: {}", "Fetch commits and merge them"),
    phrase("git.clone", "Clone a repository: {}", "Clone a repository"),
    phrase("git.push", "Push commits to {}", "Push commits"),
    phrase("git.force_push", "Push by force over {}", "Push by force"),
    phrase("git.open_pull_request", "Open a pull request: {}", "Open a pull request"),
    phrase("git.delete_remote_branch", "Delete the remote branch {}", "Delete a remote branch"),
    // Network
    phrase_by("network.search", "Search the web for {}", "Search the web", &["query", "q"]),
    phrase("network.fetch", "Fetch {}", "Fetch a page"),
    phrase("network.request", "Send a request to {}", "Send a request"),
    phrase("network.upload", "Upload to {}", "Upload data"),
    phrase("network.expose_port", "Expose the port {}", "Expose a port"),
    phrase("http.get", "Fetch {}", "Fetch a page"),
    phrase("web.fetch", "Fetch {}", "Fetch a page"),
    phrase_by("external_api.search", "Search for {}", "Search a service", &["query", "q"]),
    phrase("external_api.read", "Read {}", "Read from a service"),
    phrase("external_api.fetch", "Fetch {}", "Fetch from a service"),
    phrase("external_api.post_social", "Post to {}", "Post to a social network"),
    phrase("external_api.tweet", "Tweet: {}", "Tweet"),
    phrase("external_api.submit_form", "Submit a form to {}", "Submit a form"),
    phrase("external_api.financial_transaction", "Pay {amount} to {}", "Pay {amount}"),
    phrase("external_api.delete_remote", "Delete remote data: {}", "Delete data at a service"),
    // Secrets and identity
    phrase("secrets.use", "Use the secret {}", "Use a secret"),
    phrase("secrets.read", "Read the secret {}", "Read a secret"),
    phrase("secrets.modify", "Change the secret {}", "Change a secret"),
    phrase("secrets.create", "Create the secret {}", "Create a secret"),
    phrase("identity.purchase", "Pay {amount} to {}", "Pay {amount}"),
    phrase("identity.use_credential", "Use credentials for {}", "Use credentials"),
    phrase(
        "identity.pass_two_factor",
        "Pass two-factor authentication at {}",
        "Pass two-factor authentication",
    ),
    phrase(
        "identity.ask_for_secret_in_chat",
        "Ask for a secret in the chat: {}",
        "Ask for a secret in the chat",
    ),
    phrase("bank.pay", "Pay {amount} to {}", "Pay {amount}"),
    // Tools, agents and plans
    phrase("mcp.call", "Call {}", "Call an MCP tool"),
    phrase_by("mcp.add_server", "Add the MCP server {}", "Add an MCP server", &["name", "server"]),
    phrase("plan.note", "Write a note into the plan", "Write a note into the plan"),
    phrase("plan.ask", "Ask you a question", "Ask you a question"),
    phrase("plan.status", "Read the state of its own work", "Read the state of its own work"),
    phrase("guard.edit_graph", "Edit the consent graph {}", "Edit the consent graph"),
    phrase("guard.edit_hooks", "Edit the hooks in {}", "Edit the agent's hooks"),
    phrase(
        "guard.edit_agent_settings",
        "Edit the agent's settings in {}",
        "Edit the agent's settings",
    ),
    phrase("guard.edit_ledger", "Edit the ledger {}", "Edit the ledger"),
    // Assistive control
    phrase("observe.read_state", "Read the state of {}", "Read the state of the screen"),
    phrase("observe.read_cache", "Read what is known of {}", "Read what is known of the screen"),
    phrase("observe.read_tree", "Read the elements of {}", "Read the elements of the screen"),
    phrase("observe.find_element", "Find {} on the screen", "Find an element on the screen"),
    phrase("observe.visual_fallback", "Look at the screen to find {}", "Look at the screen"),
    phrase("control.click", "Click {}", "Click"),
    phrase("control.select_menu_item", "Select {} in a menu", "Select a menu item"),
    phrase("control.move_pointer", "Move the pointer to {}", "Move the pointer"),
    phrase("control.change_focus", "Move the focus to {}", "Move the focus"),
    phrase("control.take_foreground", "Bring {} to the front", "Bring an app to the front"),
    phrase(
        "control.generic_driver",
        "Control {} through the generic driver",
        "Control an app through the generic driver",
    ),
    phrase("entry.type_text", "Type into {}", "Type text"),
    phrase("entry.submit_form", "Submit {}", "Submit a form"),
    phrase("speech.start_microphone", "Turn on the microphone for {}", "Turn on the microphone"),
    phrase(
        "speech.use_speech",
        "Use the microphone or speech for {}",
        "Use the microphone or speech",
    ),
    phrase(
        "speech.start_recognition",
        "Start speech recognition for {}",
        "Start speech recognition",
    ),
    phrase("capture.screen", "Capture the screen: {}", "Capture the screen"),
    phrase("capture.sensitive_app", "Capture {}, a sensitive app", "Capture a sensitive app"),
    phrase("share.screen", "Share the screen with {}", "Share the screen"),
    phrase("share.camera", "Share the camera with {}", "Share the camera"),
    phrase("share.microphone", "Share the microphone with {}", "Share the microphone"),
    phrase("support.create_packet", "Create a support packet: {}", "Create a support packet"),
    phrase("support.share_packet", "Share a support packet with {}", "Share a support packet"),
    phrase("outbound.message", "Send a message to {}", "Send a message"),
    phrase("outbound.email", "Send mail to {}", "Send mail"),
    phrase("outbound.send", "Send data to {}", "Send data"),
    phrase("outbound.hand_off", "Hand over to {}", "Hand over to somebody else"),
    phrase("settings.toggle", "Switch the setting {}", "Switch a setting"),
    phrase("settings.change_privacy", "Change the privacy setting {}", "Change a privacy setting"),
    phrase(
        "settings.open_permissions",
        "Open the permission settings of {}",
        "Open the permission settings",
    ),
    phrase("settings.change_system", "Change the system setting {}", "Change a system setting"),
    phrase("settings.change_account", "Change the account {}", "Change an account"),
    phrase(
        "in_view.use_with_credentials",
        "Act on {} while credentials are in view",
        "Act while credentials are in view",
    ),
    phrase("in_view.use_workplace_data", "Use workplace data in {}", "Use workplace data"),
    phrase(
        "in_view.use_third_party_data",
        "Use other people's data in {}",
        "Use other people's data",
    ),
    // Personal assistants
    phrase("email.read", "Read mail: {}", "Read mail"),
    phrase_by("email.search", "Search mail for {}", "Search mail", &["query", "q"]),
    phrase("email.label", "Label mail: {}", "Label mail"),
    phrase("email.archive_promo", "Archive promotional mail: {}", "Archive promotional mail"),
    phrase(
        "email.archive_social",
        "Archive mail of social networks: {}",
        "Archive mail of social networks",
    ),
    phrase("email.archive_forum", "Archive mail of forums: {}", "Archive mail of forums"),
    phrase("email.send", "Send mail to {}", "Send mail"),
    phrase(
        "email.send_to_unknown",
        "Send mail to {}, who is not known",
        "Send mail to somebody unknown",
    ),
    phrase("email.forward", "Forward mail to {}", "Forward mail"),
    phrase("email.delete", "Delete mail: {}", "Delete mail"),
    phrase(
        "email.delete_vip",
        "Delete mail of an important contact: {}",
        "Delete mail of an important contact",
    ),
    phrase("imessage.read", "Read messages of {}", "Read messages"),
    phrase("imessage.history", "Read the message history with {}", "Read the message history"),
    phrase(
        "imessage.send_vip",
        "Send a message to {}, an important contact",
        "Send a message to an important contact",
    ),
    phrase(
        "imessage.send_family",
        "Send a message to {}, who is family",
        "Send a message to family",
    ),
    phrase(
        "imessage.send_unknown",
        "Send a message to {}, who is not known",
        "Send a message to somebody unknown",
    ),
    phrase(
        "imessage.send_group_without_context",
        "Send a message to the group {} without context",
        "Send a message to a group without context",
    ),
    phrase("home_automation.read_sensors", "Read sensors: {}", "Read sensors"),
    phrase(
        "home_automation.check_status",
        "Check the status of {}",
        "Check the status of the home",
    ),
    phrase("home_automation.read_forecast", "Read the forecast for {}", "Read the forecast"),
    phrase("home_automation.set_thermostat", "Set the thermostat: {}", "Set the thermostat"),
    phrase("home_automation.lock_doors", "Lock {}", "Lock doors"),
    phrase("home_automation.unlock_doors", "Unlock {}", "Unlock doors"),
    phrase("home_automation.toggle_lights", "Switch lights: {}", "Switch lights"),
    phrase("home_automation.disable_alarms", "Disable the alarm: {}", "Disable alarms"),
    phrase("home_automation.open_garage", "Open the garage: {}", "Open the garage"),
    phrase("cron.list", "List scheduled jobs: {}", "List scheduled jobs"),
    phrase("cron.run_existing", "Run the scheduled job {}", "Run a scheduled job"),
    phrase("cron.update_schedule", "Change the schedule of {}", "Change a schedule"),
    phrase("cron.create", "Create the scheduled job {}", "Create a scheduled job"),
    phrase("cron.delete", "Delete the scheduled job {}", "Delete a scheduled job"),
    phrase(
        "notifications.send_telegram_owner",
        "Notify you on Telegram: {}",
        "Notify you on Telegram",
    ),
    phrase("notifications.send_email_owner", "Notify you by mail: {}", "Notify you by mail"),
    phrase(
        "notifications.send_telegram_other",
        "Send a Telegram message to {}",
        "Send a Telegram message",
    ),
    phrase("notifications.send_email_other", "Send mail to {}", "Send mail"),
    phrase(
        "notifications.send_to_unknown_channel",
        "Send a notification to {}, which is not known",
        "Send a notification to an unknown channel",
    ),
    phrase("calendar.read", "Read the calendar {}", "Read the calendar"),
    phrase("calendar.list_events", "List events of {}", "List events"),
    phrase_by(
        "calendar.create_event",
        "Create the event {}",
        "Create an event",
        &["title", "summary"],
    ),
    phrase("calendar.modify_event", "Change the event {}", "Change an event"),
    phrase("calendar.delete_event", "Delete the event {}", "Delete an event"),
    phrase("calendar.invite_external", "Invite {}, from outside", "Invite somebody from outside"),
    phrase("nodes.read_files", "Read files on {}", "Read files on a machine"),
    phrase("nodes.list_files", "List files on {}", "List files on a machine"),
    phrase("nodes.run_scripts", "Run scripts on {}", "Run scripts on a machine"),
    phrase("nodes.check_status", "Check the status of {}", "Check the status of a machine"),
    phrase("nodes.git_operations", "Use git on {}", "Use git on a machine"),
    phrase("nodes.read_logs", "Read the logs of {}", "Read the logs of a machine"),
    phrase("nodes.install_software", "Install software on {}", "Install software on a machine"),
    phrase(
        "nodes.modify_system_config",
        "Change the system configuration of {}",
        "Change the configuration of a machine",
    ),
    phrase("nodes.delete_files", "Delete files on {}", "Delete files on a machine"),
    phrase(
        "nodes.expose_ports_externally",
        "Expose ports of {} to the outside",
        "Expose ports of a machine to the outside",
    ),
    phrase(
        "nodes.modify_openclaw_config",
        "Change the OpenClaw configuration of {}",
        "Change the OpenClaw configuration",
    ),
    // Changes of the agent itself
    phrase("self_modification.load_memory_file", "Load the memory file {}", "Load a memory file"),
    phrase("self_modification.restore_context", "Restore the context {}", "Restore its context"),
    phrase(
        "self_modification.update_heartbeat_state",
        "Update its heartbeat state {}",
        "Update its heartbeat state",
    ),
    phrase(
        "self_modification.prune_stale_memory",
        "Remove stale memory from {}",
        "Remove stale memory",
    ),
    phrase(
        "self_modification.propose_behavioral_change",
        "Change its own behaviour: {}",
        "Change its own behaviour",
    ),
    phrase("self_modification.update_lessons_md", "Update its lessons in {}", "Update its lessons"),
    phrase(
        "self_modification.consolidate_daily_to_memory",
        "Move daily notes into memory: {}",
        "Move daily notes into memory",
    ),
    phrase(
        "self_modification.modify_soul_md",
        "Change its character in {}",
        "Change its character (SOUL.md)",
    ),
    phrase(
        "self_modification.modify_agents_md",
        "Change its instructions in {}",
        "Change its instructions (AGENTS.md)",
    ),
    phrase(
        "self_modification.modify_consent_graph",
        "Change the consent graph {}",
        "Change the consent graph",
    ),
    phrase(
        "self_modification.change_safety_rules",
        "Change the safety rules in {}",
        "Change the safety rules",
    ),
    phrase(
        "self_modification.modify_system_prompt",
        "Change the system prompt {}",
        "Change the system prompt",
    ),
    phrase("self_modification.delete_audit_log", "Delete the audit log {}", "Delete the audit log"),
    phrase("self_modification.modify_audit_log", "Change the audit log {}", "Change the audit log"),
];
