//! Every bound of the server, with its reason.

use countersign_core::model::time::Span;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub per_second: u32,
    /// How many may arrive at once after a quiet time.
    pub burst: u32,
}

/// A client that sends a request head more slowly than this is not going to finish. Idle
/// connections are closed after the same time.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// A body that takes longer than this occupies a connection for nothing.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of a refused body that are read and dropped, so that the client sees the reply: several times
/// what any route takes.
pub const MAX_DRAINED_BYTES: usize = 64 << 20;

/// How long the rest of a refused body is read.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// A TLS handshake is two round trips; this is enough on any connection that works.
pub const TLS_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long open requests may take to finish when the server stops.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// How long one request is kept open for an answer. Clients repeat the request after that.
pub const MAX_WAIT: Duration = Duration::from_secs(300);

/// `accept` fails if the process has no file descriptors left. Some become free as connections end.
pub const ACCEPT_BACKOFF: Duration = Duration::from_millis(100);

/// Headers of one request. No client of ours sends more than ten.
pub const MAX_HEADERS: usize = 64;

/// Bytes of a request head, and of the buffer for a body.
pub const MAX_HEAD_BYTES: usize = 32 << 10;

/// Bytes of an error response that hyper writes itself: a status line and four headers.
pub const MAX_BARE_RESPONSE: usize = 512;

/// Descriptors that the daemon keeps for itself: the record, its log, the graph, and what a blocking
/// thread opens for a moment.
pub const OWN_DESCRIPTORS: usize = 64;

/// Connections of the operator on a socket or a port: more than one person has surfaces.
pub const MAX_OPERATOR_CONNECTIONS: usize = 1_024;

/// Connections of agents on a socket: ten thousand waiting calls, and the event streams.
pub const MAX_SOCKET_CONNECTIONS: usize = 16_384;

/// Connections of agents on a port. Programs on the same machine that need more can use the socket.
pub const MAX_PORT_CONNECTIONS: usize = 1_024;

/// Connections that the kernel queues while others are accepted.
pub const TCP_BACKLOG: u32 = 1024;

/// Agents that hold a token. Each request with a token is compared with all of them.
pub const MAX_CREDENTIALS: usize = 256;

/// Bytes of the credentials file, several times what `MAX_CREDENTIALS` need.
pub const MAX_CREDENTIALS_BYTES: u64 = 1 << 20;

/// Bytes of a page of requests: more than a screen shows, far less than a client refuses.
pub const MAX_PAGE_BYTES: usize = 1 << 20;

/// Requests read at once for a page. Their arguments can be large, and a card shows little of them.
pub const REQUESTS_READ_AT_ONCE: usize = 8;

/// Lines in a page of a request's whole text.
pub const MAX_TEXT_LINES: usize = 500;

/// Matching ids that a lookup by a part of an id returns. A longer list helps nobody to choose.
pub const MAX_MATCHING_IDS: usize = 10;

/// Ledger entries that an event stream reads at once.
pub const EVENT_PAGE: usize = 32;

/// Events that wait for a slow client before the stream stops reading the ledger.
pub const EVENT_BUFFER: usize = 16;

/// Every commit wakes the event streams. This covers a lost notification from another node.
pub const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// Senders that a rate limiter tracks.
pub const MAX_TRACKED_SENDERS: usize = 4_096;

/// One credential on a port: far more than an agent needs, far less than the daemon can serve.
pub const RATE_PER_CREDENTIAL: Rate = Rate { per_second: 1_000, burst: 2_000 };

/// One address, before the caller is known. All agents of a machine share one address.
pub const RATE_PER_ADDRESS: Rate = Rate { per_second: 5_000, burst: 10_000 };

/// One user on a socket: stops a program in an endless loop; no measured load reaches it.
pub const RATE_PER_USER: Rate = Rate { per_second: 100_000, burst: 100_000 };

/// Failed authentications from one address: enough for mistakes, too few to guess a token.
pub const RATE_OF_FAILURES: Rate = Rate { per_second: 1, burst: 20 };
/// Maximum number of sessions in one list: more than a person looks through.
pub(crate) const SESSIONS_LISTED: usize = 100;
/// Names that the answer to a misspelt one suggests: more is a list that nobody reads.
pub const MAX_SUGGESTED_AGENTS: usize = 3;

/// Processes above a caller that are looked at. More are a loop that changes while it is read.
pub const MAX_LINEAGE: usize = 1_024;

/// How often the way up is tried again if a process on it ends meanwhile.
pub const LINEAGE_LOOKS: usize = 3;

/// Windows of commands that are kept for one session; more are joined.
pub const MAX_COMMAND_WINDOWS: usize = 256;

/// Sessions whose commands are kept.
pub const MAX_COMMAND_SESSIONS: usize = 1_024;

/// How long programs let a command run before they end it or put it into the background.
pub const MAX_COMMAND_MILLIS: u64 = 600_000;

/// The kernel counts the starts of processes in hundredths of a second.
pub const PROCESS_TICK_MILLIS: u64 = 10;

/// Steps of a plan: more than a person reads before a yes.
pub const MAX_PLAN_STEPS: usize = 64;

/// How long the characters of a login can be typed: a minute is enough to look from one window to
/// another.
pub const LOGIN_TIME: Span = Span::seconds(60);

/// Logins that wait at once.
pub const MAX_LOGINS: usize = 16;

/// Browsers that may open one link: the operator's own, one that was tried before, and one more.
pub const MAX_LOGIN_OPENINGS: usize = 3;

/// A browser that nobody has used for this long has to log in again.
pub const BROWSER_IDLE_TIME: Span = Span::hours(12);

/// After this long every browser has to log in again.
pub const BROWSER_SESSION_TIME: Span = Span::days(7);

/// Browsers in which the dashboard is open: more than one person has.
pub const MAX_BROWSER_SESSIONS: usize = 32;

/// How often it is written down that a browser session was used.
pub const SESSION_WRITE_INTERVAL: Span = Span::minutes(15);

/// Requests that a browser was reported to have shown: more than wait at once.
pub const MAX_SHOWN_REQUESTS: usize = 4_096;

/// Messages about what became of an act that a browser can still fetch: one for each open tab.
pub const MAX_SAVED_MESSAGES: usize = 16;

/// A card has to be on the screen this long before an answer to it counts.
pub const MIN_CARD_TIME: Span = Span::micros(400_000);

/// An answer to a card that was rendered before this has to look at the card again.
pub const MAX_CARD_TIME: Span = Span::hours(12);

/// Bytes of a form: a note of 4,096 characters, each written as up to twelve, and some fields.
pub const MAX_FORM_BYTES: usize = 60 << 10;

/// Cards that *Now* lists: nobody reads more in one go.
pub const MAX_CARDS_LISTED: usize = 500;

/// Rows in a page of the record.
pub const RECORD_ROWS: usize = 50;

/// Entries that are read at once for a page of the record.
pub const RECORD_CHUNK: usize = 256;

/// Entries that are looked through for one page of the record: a filter that matches little is asked
/// again for older ones.
pub const MAX_RECORD_SCAN: usize = 20_000;

/// Entries that are looked through for the answer of a request that was just closed.
pub const ANSWER_SCAN: usize = 512;

/// Entries after a call's first decision that are looked through for its later ones.
pub const CALL_SCAN: usize = 4_096;

/// Entries that are verified in one step of the store.
pub const VERIFY_CHUNK: usize = 1_024;

/// A page learns of changes at most this often.
pub const MIN_PAGE_EVENT_INTERVAL: Duration = Duration::from_millis(100);

/// Entries that the lanes of sessions, and the gaps of the rules, are looked for in.
pub const LANES_SCAN: usize = 1_500;

/// Lanes on one page: more do not fit on a screen.
pub const MAX_LANES: usize = 30;

/// Entries that *Insights* counts.
pub const INSIGHTS_SCAN: usize = 6_000;

/// Processes of applications that are watched: each holds a descriptor while it lives. Calls of more
/// than that end as unknown with their session.
pub const MAX_APPLICATION_PROCESSES: usize = 256;
