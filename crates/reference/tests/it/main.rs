//! The two implementations agree, and the comparison would notice if they did not.

mod agreement;
mod planted_bugs;
mod planted_place_bugs;
mod size;
