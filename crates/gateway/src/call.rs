//! One tool call: decided, waited for, executed, its end recorded.

pub(crate) mod decide;
mod definitions;
pub(crate) mod elicit;
pub(crate) mod execute;
pub(crate) mod kept;
pub(crate) mod mirrored;
pub(crate) mod parents;
pub(crate) mod parked;
mod taken_over;
pub(crate) mod texts;
pub(crate) mod tools;
