//! A client of a tool server, over whatever stands between the two.

use super::BenchResult;

/// Calls that are on their way at once.
pub const IN_FLIGHT: usize = 8;

pub trait ToolClient {
    /// One call, until its result is there.
    fn call(&mut self) -> BenchResult<()>;

    /// So many calls, eight of them on their way at any time.
    fn call_together(&mut self, calls: usize) -> BenchResult<()>;

    /// The processes that it started. What they started belongs to them.
    fn processes(&self) -> Vec<u32>;
}
