//! The gateway between a client on a stream and real server processes.

mod approving;
mod calls;
mod eras;
mod http;
mod misbehaving;
mod own_tools;
mod waiting;
mod world;
