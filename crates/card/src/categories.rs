//! The categories in words that a person uses: what a call of one does, and what all of them are.

/// What a category does something to.
#[derive(Clone, Copy)]
pub(crate) enum EffectObject {
    Files,
    Hosts,
    Recipients,
    Programs,
    /// The remote of a repository.
    Remote,
    Money,
    /// Something that has no name in the call.
    Fixed(&'static str),
    Target,
}

use EffectObject::{Files, Fixed, Hosts, Money, Programs, Recipients, Remote, Target};

pub(crate) struct CategoryWords {
    pub(crate) name: &'static str,
    /// A verb, for one call.
    pub(crate) does: &'static str,
    pub(crate) object: EffectObject,
    /// Every call of it.
    pub(crate) all: &'static str,
}

pub(crate) fn find_category(name: &str) -> Option<&'static CategoryWords> {
    CATEGORIES.iter().find(|words| words.name == name)
}

/// Every call of a category: `git-local` is "using git in this repository".
pub fn describe_category(name: &str) -> String {
    match find_category(name) {
        Some(words) => words.all.to_owned(),
        None => format!("what is marked as {name}"),
    }
}

const fn words(
    name: &'static str,
    does: &'static str,
    object: EffectObject,
    all: &'static str,
) -> CategoryWords {
    CategoryWords { name, does, object, all }
}

pub(crate) const CATEGORIES: &[CategoryWords] = &[
    words("filesystem_read", "reads", Files, "reading files"),
    words("local_read_only", "reads", Target, "looking at what is on this machine"),
    words(
        "support_packet_create",
        "collects",
        Fixed("data for a support packet"),
        "collecting data for support",
    ),
    words("filesystem_write", "writes", Files, "writing files"),
    words("file-edit", "writes", Files, "editing files"),
    words("filesystem_delete", "deletes", Files, "deleting files"),
    words("delete_or_destructive_change", "destroys", Target, "deleting or destroying things"),
    words("git", "changes", Fixed("the local repository"), "using git in this repository"),
    words("git_write", "changes", Fixed("the local repository"), "using git in this repository"),
    words("git-local", "changes", Fixed("the local repository"), "using git in this repository"),
    words("git_push", "sends commits to", Remote, "pushing commits"),
    words("git-remote", "exchanges commits with", Remote, "exchanging commits with a remote"),
    words("http_fetch", "fetches from", Hosts, "fetching pages"),
    words("network", "connects to", Hosts, "connecting to the network"),
    words("submit_form", "sends a form to", Hosts, "sending forms"),
    words("shell_exec", "runs", Programs, "running commands"),
    words("script", "runs", Programs, "running scripts"),
    words("test", "runs", Programs, "running tests"),
    words("build", "runs", Programs, "building"),
    words("lint", "runs", Programs, "linting"),
    words("deploy", "publishes", Target, "publishing"),
    words("paid_api_call", "spends", Money, "paid calls of a service"),
    words("purchase", "spends", Money, "buying"),
    words(
        "credential_or_payment",
        "uses credentials or payment data of",
        Target,
        "using credentials or payment data",
    ),
    words(
        "credential_context_present",
        "may show",
        Fixed("passwords or keys to the agent"),
        "working where passwords or keys are",
    ),
    words(
        "two_factor_authentication",
        "passes two-factor authentication at",
        Target,
        "passing two-factor authentication",
    ),
    words(
        "account_or_security_change",
        "changes accounts or security of",
        Target,
        "changing accounts or security",
    ),
    words("setting_change", "changes the setting", Target, "changing settings"),
    words(
        "privacy_setting_change",
        "changes the privacy setting",
        Target,
        "changing privacy settings",
    ),
    words(
        "permission_open_settings",
        "opens",
        Fixed("the permission settings"),
        "opening the permission settings",
    ),
    words("send_message", "sends a message to", Recipients, "sending messages"),
    words("send_email", "sends mail to", Recipients, "sending mail"),
    words("external_send", "sends data to", Recipients, "sending data"),
    words("external_message", "sends a message to", Recipients, "sending messages"),
    words("external_handoff", "hands over to", Recipients, "handing over to others"),
    words(
        "support_packet_share",
        "sends a support packet to",
        Recipients,
        "sending support packets",
    ),
    words("text_entry", "types into", Target, "typing text"),
    words("capture_screen", "captures", Fixed("the screen"), "capturing the screen"),
    words(
        "capture_sensitive_app",
        "captures",
        Fixed("a window that may show secrets"),
        "capturing windows that may show secrets",
    ),
    words("screen_share_external", "shares", Fixed("the screen with others"), "sharing the screen"),
    words("camera_share_external", "shares", Fixed("the camera with others"), "sharing the camera"),
    words(
        "microphone_share_external",
        "shares",
        Fixed("the microphone with others"),
        "sharing the microphone",
    ),
    words("microphone_start", "turns on", Fixed("the microphone"), "using the microphone"),
    words(
        "microphone_or_speech",
        "uses",
        Fixed("the microphone or speech"),
        "using the microphone or speech",
    ),
    words(
        "speech_recognition_start",
        "listens to",
        Fixed("what is spoken"),
        "listening to what is spoken",
    ),
    words(
        "foreground_takeover",
        "takes over",
        Fixed("the window in front"),
        "bringing windows to the front",
    ),
    words(
        "focus_change",
        "moves",
        Fixed("the keyboard to another field or window"),
        "moving the focus",
    ),
    words("pointer_movement", "moves", Fixed("the pointer"), "moving the pointer"),
    words(
        "generic_driver_fallback",
        "controls",
        Fixed("an app by clicks and keys"),
        "controlling apps by clicks and keys",
    ),
    words(
        "local_visual_fallback",
        "looks at",
        Fixed("the screen to find its way"),
        "looking at the screen",
    ),
    words(
        "workplace_data_present",
        "may see",
        Fixed("workplace data"),
        "working with workplace data",
    ),
    words(
        "bystander_or_third_party_data_present",
        "may see",
        Fixed("other people's data"),
        "working with other people's data",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::category::FLOORS;

    #[test]
    fn every_known_category_has_words() {
        for name in FLOORS.iter().flat_map(|(_, names)| names.iter()) {
            assert!(find_category(name).is_some(), "{name}");
        }
        assert_eq!(describe_category("own"), "what is marked as own");
    }
}
