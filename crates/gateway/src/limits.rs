//! Every bound of the gateway, with its reason.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Bytes of one message: a result with an image or a long file, several times over.
pub const MESSAGE_BYTES: usize = 32 << 20;

/// Longest name of a server. It is part of each of its tools' names, which have 256 bytes.
pub const SERVER_NAME_BYTES: usize = 64;

/// Messages that wait for a slow client. Then the server behind it has to wait as well.
pub const CLIENT_BUFFER: usize = 64;

/// Requests of one client that are open at once. Far more than a client sends; a flood is refused.
pub const MAX_IN_FLIGHT: usize = 16_384;

/// Requests of servers to one client that are open at once.
pub const MAX_ASKED: usize = 256;

/// How long a server may take to introduce itself. `npx` may download it first.
pub const START_TIMEOUT: Duration = Duration::from_secs(120);

/// How long a server may take to answer the probe of the newer protocol. Some older servers ignore
/// it; the client waits for its own first answer meanwhile.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// How long the address of a health check may take. A service that is slower has no time for a call.
pub const HEALTH_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a server may take for one call. The result of a slower one is unknown.
pub const EXECUTION_TIMEOUT: Duration = Duration::from_secs(3_600);

/// How long a server may take to answer a call that its client cancelled. A server that honours the
/// cancellation never answers.
pub const CANCEL_GRACE: Duration = Duration::from_secs(10);

/// How long a server process may take to end after its input was closed.
pub const EXIT_GRACE: Duration = Duration::from_secs(3);

/// The first pause before a server that failed is started again. It doubles each time.
pub const RESTART_BACKOFF: Duration = Duration::from_secs(1);

/// The longest pause before a restart.
pub const MAX_RESTART_BACKOFF: Duration = Duration::from_secs(60);

/// Lines of a server that are not messages. A server that writes more of them is ended.
pub const MAX_GARBAGE_LINES: u32 = 1_000;

/// Bytes of a server's stderr that are kept to explain its end.
pub const STDERR_BYTES: usize = 2 << 10;

/// How long a call waits for an answer if nothing is known about the client. Many clients give up
/// after 60 seconds.
pub const DEFAULT_ANSWER_WAIT: Duration = Duration::from_secs(45);

/// The longest pause between two progress notifications of a waiting call.
pub const PROGRESS_INTERVAL: Duration = Duration::from_secs(8);

/// How long the gateway waits for the answer about a new server before it stops watching. The
/// question itself ends after two hours.
pub const SERVER_QUESTION: Duration = Duration::from_secs(2 * 3_600);

/// Rounds of input that one call may need.
pub const MAX_INPUT_ROUNDS: usize = 16;

/// Calls that wait for their client's input at once, over all clients.
pub const MAX_CONTINUATIONS: usize = 1_024;

/// How long a call waits for its client's input.
pub const CONTINUATION_LIFETIME: Duration = Duration::from_secs(600);

/// Tasks that are waited for or carried out at once: as many as one client may have calls open.
pub const MAX_RUNNING_TASKS: usize = 16_384;

/// How long a task waits for an answer before it looks whether its client is still there.
pub const TASK_WAIT: Duration = Duration::from_secs(60);

/// How long a client can count on a task: a question is open for two hours, a yes lasts a day at
/// most, and the result is kept for another.
pub const TASK_LIFETIME: Duration = Duration::from_secs(2 * 86_400);

/// How often a client should ask for a task. A person takes longer than that to answer.
pub const TASK_POLL: Duration = Duration::from_secs(5);

/// Tasks that one subscription names.
pub const MAX_WATCHED_TASKS: usize = 256;

/// Pages of a list that are read from one server.
pub const MAX_LIST_PAGES: usize = 64;

/// Tools of one server. A list that is longer is cut, and calls of the others are decided without
/// their definitions.
pub const MAX_TOOLS: usize = 2_048;

/// Addresses and patterns of resources that are remembered for one client.
pub const MAX_RESOURCES: usize = 16_384;

/// Bytes of the request that starts a stream: a command line and an environment.
pub const CONNECT_BYTES: usize = 1 << 20;

/// Subscriptions of one client.
pub const MAX_SUBSCRIPTIONS: usize = 256;

/// Clients on HTTP at once, each with processes of its own.
pub const MAX_HTTP_CLIENTS: usize = 1_024;

/// How long the servers of a client on HTTP are kept that sends nothing.
pub const HTTP_CLIENT_IDLE: Duration = Duration::from_secs(900);

/// How long a response on HTTP may take before it becomes a stream. Most are done by then.
pub const FIRST_BYTE: Duration = Duration::from_secs(1);

/// Results that are kept in memory to be returned again.
pub const KEPT_RESULTS: usize = 1_024;

/// Bytes of all results that are kept in memory.
pub const KEPT_RESULT_BYTES: usize = 32 << 20;

/// Parked calls whose original arguments are kept. A call beyond it is carried out from the record.
pub const PARKED_CALLS: usize = 16_384;

/// Bytes of all parked arguments.
pub const PARKED_BYTES: usize = 64 << 20;

/// Bytes of a changed definition that a card shows, before and after each. Longer ones are rare, and
/// the hash of the whole one is shown with them.
pub const SHOWN_DEFINITION: usize = 16 << 10;

/// How often due repeats are looked for. The first repeat comes after ten seconds.
pub const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// How long a client may keep a list of tools. Some clients list before every turn of the model if
/// there is no time.
pub const LIST_TTL_MS: u64 = 60_000;

/// Bytes of a client's introduction that the id of its session carries. Twice as many are in a header,
/// and common HTTP servers and proxies take heads of eight KiB.
pub const SESSION_ID_HELLO: usize = 2 << 10;

/// How long a client that runs its server may take to offer a connection for it: it does so at once,
/// and again after its server has ended.
pub const CARRIER_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of the secret with which a client offers such connections: 128 random bits in hexadecimal,
/// and room for more.
pub const CARRIER_TICKET_BYTES: RangeInclusive<usize> = 32..=128;
