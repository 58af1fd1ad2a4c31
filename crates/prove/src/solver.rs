//! The solver's process: started, tried out, given a time, and never believed when it stumbles.
//!
//! Whatever goes wrong ends the process; the next question gets a new one. Before the first
//! question it answers two that we know the answers of, so that a program which says the same to
//! everything is found out.

use crate::limits;
use crate::{Effort, Unavailable};
use cedar_policy::{EntityTypeName, EntityUid, PolicySet, RequestEnv, Schema};
use cedar_policy_symcc::err::Error;
use cedar_policy_symcc::solver::LocalSolver;
use cedar_policy_symcc::{CedarSymCompiler, CompiledPolicySet};
use std::io::ErrorKind;
use std::process::Stdio;
use std::str::FromStr;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

pub(crate) type Compiler = CedarSymCompiler<LocalSolver>;

pub(crate) struct Solver {
    effort: Effort,
    running: Option<Compiler>,
    /// What it calls itself.
    pub(crate) name: String,
}

/// What stands for the call in every question: the action is filled in elsewhere.
pub(crate) fn environment() -> Result<RequestEnv, String> {
    let kind = |name| EntityTypeName::from_str(name).map_err(|error| error.to_string());
    let action = EntityUid::from_str("Action::\"(unclassified)\"").map_err(|e| e.to_string())?;
    Ok(RequestEnv::new(kind("Agent")?, action, kind("Target")?))
}

impl Solver {
    pub(crate) async fn start(effort: &Effort, schema: &Schema) -> Result<Self, Unavailable> {
        let program = effort.program.to_string_lossy().into_owned();
        let name = match version(effort).await {
            Ok(name) => name,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Unavailable::Missing(program));
            }
            Err(error) => return Err(Unavailable::Unusable { program, why: error.to_string() }),
        };
        let mut solver = Self { effort: effort.clone(), running: None, name };
        match solver.try_out(schema).await {
            Ok(()) => Ok(solver),
            Err(why) => Err(Unavailable::Unusable { program, why }),
        }
    }

    /// One question, within its time. The error is a sentence.
    pub(crate) async fn ask<T>(
        &mut self,
        question: impl AsyncFnOnce(&mut Compiler) -> Result<T, Error>,
    ) -> Result<T, String> {
        let mut compiler = match self.running.take() {
            Some(running) => running,
            None => start(&self.effort)?,
        };
        // The solver ends itself; the second limit is for one that does not.
        let most = self.effort.limit.saturating_add(self.effort.limit / 4);
        match timeout(most, question(&mut compiler)).await {
            Ok(Ok(answer)) => {
                self.running = Some(compiler);
                Ok(answer)
            }
            Ok(Err(Error::SolverUnknown)) => Err("the solver found no answer in its time".into()),
            Ok(Err(error)) => Err(said(&error)),
            Err(_) => Err(format!("the solver gave no answer in {}", seconds(self.effort.limit))),
        }
    }

    /// Two questions about numbers, with different answers.
    async fn try_out(&mut self, schema: &Schema) -> Result<(), String> {
        let below = |number: u8| -> Result<CompiledPolicySet, String> {
            let text = format!(
                "permit(principal, action, resource) \
                 when {{ context.facts has amount && context.facts.amount < {number} }};"
            );
            let set = PolicySet::from_str(&text).map_err(|error| error.to_string())?;
            CompiledPolicySet::compile(&set, &environment()?, schema).map_err(|e| said(&e))
        };
        let (few, many) = (below(10)?, below(20)?);
        let held = self.ask(async |s| s.check_implies_opt(&few, &many).await).await?;
        let shown =
            self.ask(async |s| s.check_implies_with_counterexample_opt(&many, &few).await).await?;
        if held && shown.is_some() {
            Ok(())
        } else {
            Err("it gave a wrong answer to a question whose answer is known".to_owned())
        }
    }
}

fn start(effort: &Effort) -> Result<Compiler, String> {
    let mut command = Command::new(&effort.program);
    let limit = format!("--tlimit-per={}", effort.limit.as_millis());
    // Debian's solver reads a pattern with a star at both ends only with `--strings-exp`; looking
    // for short strings first is several times faster.
    command.args(["--lang", "smt", "--strings-exp", "--strings-fmf", &limit]);
    command.kill_on_drop(true);
    let process = LocalSolver::from_command(&mut command).map_err(|error| said(&error.into()))?;
    CedarSymCompiler::new(process).map_err(|error| said(&error))
}

/// The first line of what it says about itself.
async fn version(effort: &Effort) -> std::io::Result<String> {
    let mut command = Command::new(&effort.program);
    command.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
    let output = timeout(effort.limit, command.output()).await.map_err(|_| {
        let limit = seconds(effort.limit);
        std::io::Error::new(ErrorKind::TimedOut, format!("it gave no answer in {limit}"))
    })??;
    let first = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").to_owned();
    Ok(shortened(first.strip_prefix("This is ").unwrap_or(&first)))
}

fn said(error: &Error) -> String {
    shortened(&error.to_string())
}

/// Somebody else's text: one line, not too long, nothing that a terminal would obey.
fn shortened(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(limits::SAID_CHARACTERS).collect()
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}
