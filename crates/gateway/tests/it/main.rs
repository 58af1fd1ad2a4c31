//! The gateway between a client on a stream and real server processes.

mod approving;
mod calls;
mod eras;
mod misbehaving;
mod waiting;
mod world;
