//! Every bound of the doors, with its reason.

use crate::rate::Rate;
use std::time::Duration;

/// A head that takes longer is not coming; a connection that is idle for so long is given back.
pub const HEAD: Duration = Duration::from_secs(60);

/// A body that takes longer holds a connection for nothing.
pub const BODY: Duration = Duration::from_secs(30);

/// What a TLS handshake may take.
pub const HANDSHAKE: Duration = Duration::from_secs(10);

/// What is being answered when the daemon stops has so long to end by itself.
pub const GOODBYE: Duration = Duration::from_secs(5);

/// Headers of one request; nobody sends so many.
pub const HEADERS: usize = 64;

/// Bytes of a head, and what is read ahead of a body.
pub const HEAD_BYTES: usize = 32 << 10;

/// Connections on one socket: ten thousand that wait, and the streams beside them.
pub const ON_A_SOCKET: usize = 16_384;

/// Connections on one port. Whoever needs more of them on one machine has the socket.
pub const ON_A_PORT: usize = 1_024;

/// Agents that hold a token, at most: each is compared with what comes in.
pub const CREDENTIALS: usize = 256;

/// What the file of credentials can hold.
pub const CREDENTIALS_BYTES: u64 = 1 << 20;

/// Those who send that are told apart; the ones that have been quiet longest are forgotten.
pub const TOLD_APART: usize = 4_096;

/// One credential on a port: far more than an agent needs, far less than the daemon can do.
pub const BY_CREDENTIAL: Rate = Rate { a_second: 1_000, at_once: 2_000 };

/// One address, before it is known who speaks. All agents of a machine come from one.
pub const BY_ADDRESS: Rate = Rate { a_second: 5_000, at_once: 10_000 };

/// One user on a socket: a bound, where a loop went wild, that no measurement reaches.
pub const BY_USER: Rate = Rate { a_second: 100_000, at_once: 100_000 };

/// Credentials that nobody knows, from one address.
pub const FAILED: Rate = Rate { a_second: 1, at_once: 20 };
