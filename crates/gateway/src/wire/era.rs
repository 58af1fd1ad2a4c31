//! The two eras of the protocol.
//!
//! Up to 2025-11-25 a connection starts with `initialize`. Since 2026-07-28 there is no connection
//! state: every request names its version and the client's capabilities in `_meta`.

use super::json_text::{
    Members, decode_string, encode_string, find, remove_member, set_at, set_member,
};

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const LATEST_LEGACY: &str = "2025-11-25";

pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(crate) const META_SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
/// The extension in which a call becomes a task, and its name among capabilities.
pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";
pub(crate) const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

/// What a client said about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientHello {
    pub era: Era,
    pub version: String,
    /// The text of its capabilities.
    pub capabilities: String,
    /// The text of its name and version; empty if it did not say.
    pub info: String,
}

impl ClientHello {
    /// From the params of `initialize`.
    pub(crate) fn from_initialize(params: &str) -> Option<Self> {
        let members = Members::read(params)?;
        Some(Self {
            era: Era::Legacy,
            version: members.get_string("protocolVersion")?,
            capabilities: members.get("capabilities").unwrap_or("{}").to_owned(),
            info: members.get("clientInfo").unwrap_or_default().to_owned(),
        })
    }

    /// From the `_meta` of a modern request. None if it is not one.
    pub(crate) fn from_meta(params: &str) -> Option<Self> {
        let meta = Members::read(find(params, &["_meta"])?)?;
        Some(Self {
            era: Era::Modern,
            version: meta.get_string(META_VERSION)?,
            capabilities: meta.get(META_CAPABILITIES)?.to_owned(),
            info: meta.get(META_CLIENT).unwrap_or_default().to_owned(),
        })
    }

    /// The name that the client gives itself. It is a claim.
    pub(crate) fn name(&self) -> String {
        find(&self.info, &["name"]).and_then(decode_string).unwrap_or_default()
    }

    pub(crate) fn has_capability(&self, path: &[&str]) -> bool {
        find(&self.capabilities, path).is_some_and(|value| value != "null" && value != "false")
    }

    /// Whether a call of this client may become a task.
    pub(crate) fn takes_tasks(&self) -> bool {
        self.era == Era::Modern && self.has_capability(&["extensions", TASKS])
    }

    /// The same client, if it did not know tasks: servers then answer it with results.
    pub(crate) fn without_tasks(&self) -> Self {
        Self { capabilities: remove_tasks(&self.capabilities), ..self.clone() }
    }

    /// The params of an `initialize` that introduces this client.
    pub(crate) fn initialize_params(&self) -> String {
        let version = match self.era {
            Era::Legacy => &self.version,
            Era::Modern => LATEST_LEGACY,
        };
        let info = if self.info.is_empty() { UNKNOWN_CLIENT } else { &self.info };
        let (version, capabilities) = (encode_string(version), &self.capabilities);
        format!(
            "{{\"protocolVersion\":{version},\"capabilities\":{capabilities},\"clientInfo\":{info}}}"
        )
    }

    /// The params with the `_meta` that the modern protocol demands.
    pub(crate) fn add_meta(&self, params: &str, log_level: Option<&str>) -> String {
        let version = encode_string(MODERN);
        let mut params = set_at(params, &["_meta", META_VERSION], &version);
        params = set_at(&params, &["_meta", META_CAPABILITIES], &self.capabilities);
        if !self.info.is_empty() {
            params = set_at(&params, &["_meta", META_CLIENT], &self.info);
        }
        match log_level {
            Some(level) => set_at(&params, &["_meta", META_LOG_LEVEL], level),
            None => params,
        }
    }
}

/// Capabilities without the extension for tasks.
pub(crate) fn remove_tasks(capabilities: &str) -> String {
    match find(capabilities, &["extensions"]) {
        Some(extensions) => {
            set_member(capabilities, "extensions", &remove_member(extensions, TASKS))
        }
        None => capabilities.to_owned(),
    }
}

/// The params without what the modern protocol puts into `_meta`. Servers of both eras refuse it on a
/// connection that began with `initialize`.
pub(crate) fn remove_envelope(params: &str) -> String {
    let Some(meta) = find(params, &["_meta"]) else { return params.to_owned() };
    let keys = [META_VERSION, META_CAPABILITIES, META_CLIENT, META_LOG_LEVEL];
    let meta = keys.iter().fold(meta.to_owned(), |meta, key| remove_member(&meta, key));
    set_member(params, "_meta", &meta)
}

const UNKNOWN_CLIENT: &str = "{\"name\":\"unknown\",\"version\":\"0\"}";

/// How a server introduced itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerHello {
    pub era: Era,
    /// The result of `initialize` or of `server/discover`.
    pub result: String,
}

impl ServerHello {
    /// The result of `initialize` for a client of this version.
    pub(crate) fn initialize_result(&self, client: &ClientHello) -> String {
        if self.era == Era::Legacy {
            return self.result.clone();
        }
        let version = match LEGACY.contains(&client.version.as_str()) {
            true => client.version.as_str(),
            false => LATEST_LEGACY,
        };
        let capabilities = find(&self.result, &["capabilities"]).unwrap_or("{}");
        let info = find(&self.result, &["_meta", META_SERVER]).unwrap_or(UNKNOWN_CLIENT);
        let version = encode_string(version);
        let result = format!(
            "{{\"protocolVersion\":{version},\"capabilities\":{capabilities},\"serverInfo\":{info}}}"
        );
        self.copy_instructions(result)
    }

    /// The result of `server/discover`.
    pub(crate) fn discover_result(&self) -> String {
        if self.era == Era::Modern {
            return self.result.clone();
        }
        let capabilities = find(&self.result, &["capabilities"]).unwrap_or("{}");
        let info = find(&self.result, &["serverInfo"]).unwrap_or(UNKNOWN_CLIENT);
        self.copy_instructions(discover_result(capabilities, info))
    }

    pub(crate) fn has_capability(&self, path: &[&str]) -> bool {
        let capabilities = find(&self.result, &["capabilities"]).unwrap_or("{}");
        find(capabilities, path).is_some_and(|value| value != "null" && value != "false")
    }

    fn copy_instructions(&self, result: String) -> String {
        match find(&self.result, &["instructions"]) {
            Some(text) => set_member(&result, "instructions", text),
            None => result,
        }
    }
}

/// A result of `server/discover` with these capabilities.
pub(crate) fn discover_result(capabilities: &str, info: &str) -> String {
    let (version, server) = (encode_string(MODERN), encode_string(META_SERVER));
    let ttl = crate::limits::LIST_TTL_MS;
    format!(
        "{{\"resultType\":\"complete\",\"supportedVersions\":[{version}],\"capabilities\":{capabilities},\
         \"ttlMs\":{ttl},\"cacheScope\":\"private\",\"_meta\":{{{server}:{info}}}}}"
    )
}

/// Methods that the modern protocol does not have any more.
const REMOVED: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

pub(crate) fn is_removed(method: &str) -> bool {
    REMOVED.contains(&method)
}

/// Methods whose results a modern client may cache.
const CACHEABLE: [&str; 6] = [
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "server/discover",
];

/// A result of a legacy server, with what a modern client demands of it.
pub(crate) fn modernise_result(method: &str, result: &str) -> String {
    let Some(members) = Members::read(result) else { return result.to_owned() };
    let mut added = Vec::new();
    if members.get("resultType").is_none() {
        added.push(("resultType", "\"complete\"".to_owned()));
    }
    if CACHEABLE.contains(&method) {
        if members.get("ttlMs").is_none() {
            added.push(("ttlMs", crate::limits::LIST_TTL_MS.to_string()));
        }
        if members.get("cacheScope").is_none() {
            added.push(("cacheScope", "\"private\"".to_owned()));
        }
    }
    added.iter().fold(result.to_owned(), |result, (key, value)| set_member(&result, key, value))
}

/// Whether a result asks for input instead of being one.
pub(crate) fn is_input_required(result: &str) -> bool {
    find(result, &["resultType"]) == Some("\"input_required\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_of_one_era_is_introduced_in_the_other() {
        let params = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}},"name":"t"}"#;
        let hello = ClientHello::from_meta(params).unwrap();
        assert_eq!((hello.name().as_str(), hello.era), ("x", Era::Modern));
        assert!(hello.has_capability(&["elicitation"]) && !hello.has_capability(&["sampling"]));
        let again = ClientHello::from_initialize(&hello.initialize_params()).unwrap();
        assert_eq!((again.version.as_str(), again.name().as_str()), (LATEST_LEGACY, "x"));
        let meta = again.add_meta(r#"{"name":"t","_meta":{"k":1}}"#, Some("\"debug\""));
        let back = ClientHello::from_meta(&meta).unwrap();
        assert_eq!((back.capabilities, back.info), (hello.capabilities, hello.info));
        assert_eq!(find(&meta, &["_meta", "k"]), Some("1"));
        assert_eq!(find(&meta, &["_meta", META_LOG_LEVEL]), Some("\"debug\""));
        assert_eq!(remove_envelope(&meta), r#"{"name":"t","_meta":{"k":1}}"#);
    }

    #[test]
    fn a_server_of_one_era_is_introduced_in_the_other() {
        let legacy = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"read"}"#;
        let hello = ServerHello { era: Era::Legacy, result: legacy.to_owned() };
        let modern = ServerHello { era: Era::Modern, result: hello.discover_result() };
        assert!(modern.has_capability(&["tools"]));
        let client = ClientHello::from_initialize(r#"{"protocolVersion":"2025-06-18"}"#).unwrap();
        let back = modern.initialize_result(&client);
        for path in [["protocolVersion"], ["capabilities"], ["serverInfo"], ["instructions"]] {
            assert_eq!(find(&back, &path), find(legacy, &path));
        }
        assert_eq!(hello.initialize_result(&client), legacy);
    }

    #[test]
    fn a_result_of_a_legacy_server_is_complete_and_keeps_what_it_has() {
        let result = modernise_result("tools/list", r#"{"tools":[],"ttlMs":5}"#);
        assert_eq!(
            result,
            r#"{"tools":[],"ttlMs":5,"resultType":"complete","cacheScope":"private"}"#
        );
        assert_eq!(
            modernise_result("tools/call", r#"{"resultType":"x"}"#),
            r#"{"resultType":"x"}"#
        );
    }
}
