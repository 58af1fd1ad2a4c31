//! A client of the older era on stdio, without a library: it keeps results as they came.

use super::json::{items_at, value_at};
use super::running::Running;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::process::Command;

pub struct LineClient {
    running: Running,
    last_id: u64,
    /// Notifications that nobody has waited for yet.
    notifications: Vec<String>,
}

impl LineClient {
    /// Starts a server and introduces itself.
    pub fn connect(command: &mut Command) -> Result<Self, Failure> {
        let running = Running::start(command)?;
        let mut client = Self { running, last_id: 0, notifications: Vec::new() };
        let info = json!({"name": "line-client", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
        client.request("initialize", &params)?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// The result of a request. An error is a failure.
    pub fn request(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.last_id += 1;
        let id = json!(self.last_id);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let message = self.receive()?;
            if value_at(&message, &["id"]) != &id || message.get("method").is_some() {
                continue;
            }
            return match message.get("result") {
                Some(result) => Ok(result.clone()),
                None => Err(Failure::new(format!("{method} {params}: {message}"))),
            };
        }
    }

    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub fn list_tools(&mut self) -> Result<Vec<Value>, Failure> {
        let result = self.request("tools/list", &json!({}))?;
        Ok(items_at(&result, &["tools"]).to_vec())
    }

    /// Returns when this notification has come.
    pub fn wait_for(&mut self, method: &str) -> Result<(), Failure> {
        while !self.notifications.iter().any(|seen| seen == method) {
            self.receive()?;
        }
        self.notifications.retain(|seen| seen != method);
        Ok(())
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        self.running.write_line(&message.to_string())
    }

    fn receive(&mut self) -> Result<Value, Failure> {
        let line = self.running.read_line()?;
        let message: Value = serde_json::from_str(&line)
            .map_err(|error| Failure::new(format!("{error} in a message: {line}")))?;
        if let (None, Some(method)) = (message.get("id"), value_at(&message, &["method"]).as_str())
        {
            self.notifications.push(method.to_owned());
        }
        Ok(message)
    }
}
