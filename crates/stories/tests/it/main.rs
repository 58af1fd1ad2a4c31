//! All stories of the project, and what they cover.

mod cases;
