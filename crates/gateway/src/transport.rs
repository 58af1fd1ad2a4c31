//! How clients reach the gateway: a stream of lines, or HTTP.

pub(crate) mod http;
mod stdio;

pub(crate) use stdio::serve_lines;
