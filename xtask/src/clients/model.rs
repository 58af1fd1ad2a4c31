//! The stand-in for the models: `xtask/clients/model.mjs`.

use crate::external::packages::Packages;
use crate::external::running::Running;
use crate::failure::Failure;
use serde_json::Value;
use std::process::Command;

pub struct Model {
    running: Running,
    /// The address of its APIs.
    pub address: String,
}

impl Model {
    pub fn start(packages: &Packages) -> Result<Self, Failure> {
        let script = packages.script("model.mjs");
        let running = Running::start(Command::new(packages.node()).arg(script))?;
        let address = format!("http://127.0.0.1:{}", running.read_line()?);
        Ok(Self { running, address })
    }

    /// Sets what it answers from now on.
    pub fn play(&mut self, answers: &[Value]) -> Result<(), Failure> {
        self.exchange(answers).map(drop)
    }

    /// The requests since the last time, as the programs sent them.
    pub fn take_requests(&mut self) -> Result<Vec<Value>, Failure> {
        self.exchange(&[])
    }

    fn exchange(&mut self, answers: &[Value]) -> Result<Vec<Value>, Failure> {
        let fail = |error: serde_json::Error| Failure::new(format!("the stand-in: {error}"));
        self.running.write_line(&serde_json::to_string(answers).map_err(fail)?)?;
        serde_json::from_str(&self.running.read_line()?).map_err(fail)
    }
}
