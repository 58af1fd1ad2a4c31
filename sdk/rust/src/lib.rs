//! Gate your own functions: one attribute, and a function waits for a person when it matters.
//!
//! Code that shares the process of an application shares its authority: an agent that can run code
//! there is the application.
//!
//! ```no_run
//! use countersign_sdk::requires_consent;
//!
//! #[requires_consent("tasks.create", risk = "moderate", target = "title")]
//! fn create_task(title: &str) -> String {
//!     format!("created {title}")
//! }
//!
//! # fn main() -> Result<(), countersign_sdk::Error> {
//! println!("{}", create_task("buy milk")?);
//! # Ok(())
//! # }
//! ```
//!
//! See docs/decisions/0140-client-libraries.md.

mod application;
mod asking;
mod call;
mod click;
mod error;
mod off_thread;
mod place;
mod workflow;

pub use application::Application;
pub use asking::{Permission, request_permission};
pub use call::{Call, Permit, redeem};
pub use click::{Click, user_initiated};
pub use countersign_api::AskedScope;
pub use countersign_sdk_macros::requires_consent;
pub use error::Error;
pub use workflow::{WorkflowRun, start_workflow};

// The attribute writes this crate's name, also in this crate's own tests.
extern crate self as countersign_sdk;
