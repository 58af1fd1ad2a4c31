//! A client that speaks to the standard streams of a process.

use super::client::{IN_FLIGHT, ToolClient};
use super::{BenchResult, Context, world};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use xtask::failure::Failure;

pub struct StdioClient {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
    /// What works for it beside its own process.
    others: Vec<u32>,
}

impl StdioClient {
    /// Starts the process and introduces itself.
    pub fn connect(command: &mut Command) -> BenchResult<Self> {
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = streams.spawn().context("a process on stdio")?;
        let (input, output) = child
            .stdin
            .take()
            .zip(child.stdout.take())
            .ok_or_else(|| Failure::new("no standard streams"))?;
        let output = BufReader::new(output);
        let mut client = Self { child, input, output, last: 0, others: Vec::new() };
        client.send(world::INITIALIZE)?;
        client.read_answer("protocolVersion")?;
        client.send(world::INITIALIZED)?;
        Ok(client)
    }

    /// Counts another process with its own.
    pub fn with_process(mut self, process: u32) -> Self {
        self.others.push(process);
        self
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, message: &str) -> BenchResult<()> {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).context("sending")
    }

    /// The next answer, which has to have this in it.
    pub fn read_answer(&mut self, wanted: &str) -> BenchResult<String> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).context("reading")? == 0 {
                return Err(Failure::new("the process on stdio has ended"));
            }
            if line.contains(wanted) {
                return Ok(line);
            }
            // Notifications come in between.
            if !line.contains("\"method\"") {
                return Err(Failure::new(format!("refused: {line}")));
            }
        }
    }

    fn send_call(&mut self) -> BenchResult<()> {
        self.last += 1;
        self.send(&world::call("note", self.last))
    }
}

impl ToolClient for StdioClient {
    fn call(&mut self) -> BenchResult<()> {
        self.send_call()?;
        self.read_answer(&world::expected_text(self.last)).map(drop)
    }

    fn call_together(&mut self, calls: usize) -> BenchResult<()> {
        for _ in 0..IN_FLIGHT {
            self.send_call()?;
        }
        for answered in 0..calls {
            self.read_answer("noted: ")?;
            if answered + IN_FLIGHT < calls {
                self.send_call()?;
            }
        }
        Ok(())
    }

    fn processes(&self) -> Vec<u32> {
        [&[self.child.id()], self.others.as_slice()].concat()
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}
