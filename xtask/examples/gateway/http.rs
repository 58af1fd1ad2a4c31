//! A client that speaks HTTP with a proxy that was started for it: one session, kept connections.

use super::client::{IN_FLIGHT, ToolClient};
use super::{BenchResult, Context, world};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use xtask::clock::Stopwatch;
use xtask::failure::Failure;

/// How long a proxy may take to start, and to answer.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct HttpClient {
    child: Child,
    lines: Vec<HttpLine>,
    last: u64,
}

impl HttpClient {
    /// Starts a proxy that listens on this port, and introduces itself.
    pub fn connect(command: &mut Command, port: u16) -> BenchResult<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().context("a proxy")?;
        let mut client = Self { child, lines: Vec::new(), last: 0 };
        let mut line = HttpLine::wait_for(port)?;
        line.post(world::INITIALIZE)?;
        line.post(world::INITIALIZED)?;
        let session = line.session.clone();
        client.lines.push(line);
        for _ in 1..IN_FLIGHT {
            client.lines.push(HttpLine::open(port, &session)?);
        }
        Ok(client)
    }
}

/// A port that nobody listens on.
pub fn free_port() -> BenchResult<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("a port")?;
    Ok(listener.local_addr().context("a port")?.port())
}

impl ToolClient for HttpClient {
    fn call(&mut self) -> BenchResult<()> {
        self.last += 1;
        let line = self.lines.first_mut().ok_or_else(|| Failure::new("no connection"))?;
        line.call(self.last)
    }

    fn call_together(&mut self, calls: usize) -> BenchResult<()> {
        let each = calls / self.lines.len().max(1);
        let begin = self.last;
        self.last += calls as u64;
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for (first, line) in (begin..).step_by(each.max(1)).zip(&mut self.lines) {
                let calls =
                    move || (1..=each as u64).try_for_each(|number| line.call(first + number));
                threads.push(scope.spawn(calls));
            }
            threads.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|_| Err(Failure::new("a thread has ended")))
            })
        })
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.child.id()]
    }
}

impl Drop for HttpClient {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// One connection: a request, its whole answer, and again.
struct HttpLine {
    stream: BufReader<TcpStream>,
    port: u16,
    session: String,
}

impl HttpLine {
    fn open(port: u16, session: &str) -> BenchResult<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).context("a connection")?;
        stream.set_nodelay(true).context("a connection")?;
        stream.set_read_timeout(Some(PATIENCE)).context("a connection")?;
        Ok(Self { stream: BufReader::new(stream), port, session: session.to_owned() })
    }

    /// The proxy is being started.
    fn wait_for(port: u16) -> BenchResult<Self> {
        let since = Stopwatch::start();
        loop {
            match Self::open(port, "") {
                Err(_) if since.elapsed() < PATIENCE => std::thread::yield_now(),
                opened => return opened,
            }
        }
    }

    fn call(&mut self, number: u64) -> BenchResult<()> {
        let body = self.post(&world::call("note", number))?;
        match body.contains(&world::expected_text(number)) {
            true => Ok(()),
            false => Err(Failure::new(format!("refused: {body}"))),
        }
    }

    fn post(&mut self, message: &str) -> BenchResult<String> {
        let session = match self.session.as_str() {
            "" => String::new(),
            id => format!("mcp-session-id: {id}\r\nmcp-protocol-version: 2025-06-18\r\n"),
        };
        let (port, length) = (self.port, message.len());
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{session}\
             content-length: {length}\r\n\r\n{message}"
        );
        // Servers close a connection that idled for some seconds.
        if self.send(&request).is_err() {
            *self = Self::open(self.port, &self.session)?;
            self.send(&request)?;
        }
        self.read_answer()
    }

    /// Returns when the first bytes of the answer are there.
    fn send(&mut self, request: &str) -> BenchResult<()> {
        self.stream.get_mut().write_all(request.as_bytes()).context("sending")?;
        match self.stream.fill_buf().context("reading")? {
            [] => Err(Failure::new("the connection was closed")),
            _ => Ok(()),
        }
    }

    fn read_answer(&mut self) -> BenchResult<String> {
        let status = self.read_line()?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let header = self.read_line()?;
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(": ").unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().context("a length")?,
                "transfer-encoding" => is_chunked = true,
                "mcp-session-id" => value.clone_into(&mut self.session),
                _ => {}
            }
        }
        let body = if is_chunked { self.read_chunks()? } else { self.read_bytes(length)? };
        match status.starts_with("HTTP/1.1 20") {
            true => Ok(body),
            false => Err(Failure::new(format!("refused: {status} {body}"))),
        }
    }

    fn read_chunks(&mut self) -> BenchResult<String> {
        let mut body = String::new();
        loop {
            let length = self.read_line()?;
            let length = usize::from_str_radix(&length, 16).context("a length")?;
            body.push_str(&self.read_bytes(length)?);
            self.read_line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn read_bytes(&mut self, length: usize) -> BenchResult<String> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).context("reading")?;
        String::from_utf8(bytes).context("an answer")
    }

    fn read_line(&mut self) -> BenchResult<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line).context("reading")? {
            0 => Err(Failure::new("the connection was closed")),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}
