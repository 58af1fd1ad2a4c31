//! How the command line talks to a person: pages and tables, the pager, questions at the terminal,
//! failures and exit codes.
//!
//! Everything that is printed for people is sanitized here. There is no clock and no environment:
//! the binary describes the terminal with `screen::set_screen`.

mod confirm;
mod exit;
mod failure;
mod ids;
mod interrupt;
mod limits;
mod local_time;
pub mod out;
mod page;
pub mod pager;
pub mod problems;
mod sanitize;
pub mod screen;
pub mod suggest;
pub mod table;
mod tty;

pub use confirm::{ask, is_confirmed};
pub use exit::Exit;
pub use failure::{Failure, describe_io_error};
pub use ids::{ID_BEGINNING_HELP, pick_id, short_id, short_ids};
pub use interrupt::{Interrupt, WaitResult, signal_failure};
pub use local_time::{LocalTime, MONTHS, weekday};
pub use page::{BOLD, CYAN, DIM, GREEN, NONE, Page, RED, YELLOW};
pub use sanitize::sanitize;
pub use tty::Tty;
