//! The solver process.
//!
//! Any error or timeout ends the process, and the next question starts a new one. Before the first
//! question the solver has to answer two known questions with different answers, to detect a
//! program that always gives the same answer.

use super::limits;
use crate::{ProofError, SolverSettings};
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
    settings: SolverSettings,
    compiler: Option<Compiler>,
    /// The name and version that it reports.
    pub(crate) name: String,
}

/// The request environment of every question. The action is filled in by `policy_sets`.
pub(crate) fn request_environment() -> Result<RequestEnv, String> {
    let kind = |name| EntityTypeName::from_str(name).map_err(|error| error.to_string());
    let action = EntityUid::from_str("Action::\"(unclassified)\"").map_err(|e| e.to_string())?;
    Ok(RequestEnv::new(kind("Agent")?, action, kind("Target")?))
}

impl Solver {
    pub(crate) async fn start(
        settings: &SolverSettings,
        schema: &Schema,
    ) -> Result<Self, ProofError> {
        let program = settings.program.to_string_lossy().into_owned();
        let name = match read_version(settings).await {
            Ok(name) => name,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(ProofError::SolverNotFound(program));
            }
            Err(error) => {
                return Err(ProofError::SolverUnreliable { program, why: error.to_string() });
            }
        };
        let mut solver = Self { settings: settings.clone(), compiler: None, name };
        match solver.check_known_answers(schema).await {
            Ok(()) => Ok(solver),
            Err(why) => Err(ProofError::SolverUnreliable { program, why }),
        }
    }

    /// Asks one question within the time limit. The error is a message for people.
    #[allow(clippy::disallowed_methods, reason = "how long a solver may take decides no call")]
    pub(crate) async fn ask<T>(
        &mut self,
        question: impl AsyncFnOnce(&mut Compiler) -> Result<T, Error>,
    ) -> Result<T, String> {
        let mut compiler = match self.compiler.take() {
            Some(running) => running,
            None => start_process(&self.settings)?,
        };
        // The solver has its own time limit; this one is for a solver that ignores it.
        let max = self.settings.time_limit.saturating_add(self.settings.time_limit / 4);
        match timeout(max, question(&mut compiler)).await {
            Ok(Ok(answer)) => {
                self.compiler = Some(compiler);
                Ok(answer)
            }
            Ok(Err(Error::SolverUnknown)) => Err("the solver found no answer in time".into()),
            Ok(Err(error)) => Err(short_message(&error)),
            Err(_) => Err(format!(
                "the solver gave no answer in {}",
                format_seconds(self.settings.time_limit)
            )),
        }
    }

    /// Asks two questions about numbers whose answers are known and differ.
    async fn check_known_answers(&mut self, schema: &Schema) -> Result<(), String> {
        let below = |number: u8| -> Result<CompiledPolicySet, String> {
            let text = format!(
                "permit(principal, action, resource) \
                 when {{ context.facts has amount && context.facts.amount < {number} }};"
            );
            let set = PolicySet::from_str(&text).map_err(|error| error.to_string())?;
            CompiledPolicySet::compile(&set, &request_environment()?, schema)
                .map_err(|e| short_message(&e))
        };
        let (below_10, below_20) = (below(10)?, below(20)?);
        let implied = self.ask(async |s| s.check_implies_opt(&below_10, &below_20).await).await?;
        let example = self
            .ask(async |s| s.check_implies_with_counterexample_opt(&below_20, &below_10).await)
            .await?;
        if implied && example.is_some() {
            Ok(())
        } else {
            Err("it gave a wrong answer to a known question".to_owned())
        }
    }
}

fn start_process(settings: &SolverSettings) -> Result<Compiler, String> {
    let mut command = Command::new(&settings.program);
    let limit = format!("--tlimit-per={}", settings.time_limit.as_millis());
    // Debian's cvc5 supports a pattern with a star at both ends only with `--strings-exp`; with
    // `--strings-fmf` it tries short strings first, which is several times faster.
    command.args(["--lang", "smt", "--strings-exp", "--strings-fmf", &limit]);
    command.kill_on_drop(true);
    let process =
        LocalSolver::from_command(&mut command).map_err(|error| short_message(&error.into()))?;
    CedarSymCompiler::new(process).map_err(|error| short_message(&error))
}

/// The first line of `--version`.
#[allow(clippy::disallowed_methods, reason = "how long a solver may take decides no call")]
async fn read_version(settings: &SolverSettings) -> std::io::Result<String> {
    let mut command = Command::new(&settings.program);
    command.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
    let output = timeout(settings.time_limit, command.output()).await.map_err(|_| {
        let limit = format_seconds(settings.time_limit);
        std::io::Error::new(ErrorKind::TimedOut, format!("it gave no answer in {limit}"))
    })??;
    let first = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").to_owned();
    Ok(sanitize_text(first.strip_prefix("This is ").unwrap_or(&first)))
}

fn short_message(error: &Error) -> String {
    sanitize_text(&error.to_string())
}

/// Makes untrusted text safe for a terminal: one line of limited length without control characters.
fn sanitize_text(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(limits::MAX_MESSAGE_CHARS).collect()
}

fn format_seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}
