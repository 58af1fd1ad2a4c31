//! One tool call: decided, waited for, executed, its end recorded.
//!
//! Nothing here reads the client's stream, and nothing knows requests other than `tools/call`.

mod approval;
mod client_timeouts;
mod decide;
mod elicit;
mod execute;
mod hook_permit;
mod kept_responses;
mod live_tasks;
mod own_call;
mod paused_requests;
mod prepare;
mod recent_calls;
mod servers;
mod shared;
mod stored;
mod task_driver;
mod task_report;
mod task_status;
mod texts;
mod tool_calls;

pub(crate) use execute::complete_abandoned;
pub(crate) use own_call::read_own_call;
pub(crate) use paused_requests::Continuation;
pub(crate) use servers::{Servers, ToolNaming};
pub(crate) use shared::SharedCalls;
pub(crate) use stored::replace_meta;
pub(crate) use task_report::{cancel_task, describe_task, find_task_status};
pub(crate) use task_status::TaskStatus;
pub(crate) use texts::{refusal, undecided};
pub(crate) use tool_calls::ToolCalls;
