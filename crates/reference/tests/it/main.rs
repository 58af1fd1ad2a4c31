//! The two implementations agree, and the comparison would have noticed if they did not.

mod agreement;
mod length;
mod planted;
