//! Every bound of the dialects, each with its reason.

/// An event contains the arguments of a tool and perhaps its result, for example a whole file.
pub const MAX_EVENT_BYTES: usize = 16 << 20;
/// What the daemon accepts as the agent's reason.
pub const MAX_WORDS_BYTES: usize = 4096;
/// Files and commands of a plan, of each. The daemon accepts twice as many steps.
pub const MAX_PLAN_NAMES: usize = 32;
/// What the daemon accepts as a turn.
pub const MAX_TURN_BYTES: usize = 16_384;
