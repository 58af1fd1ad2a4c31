//! The page of an address that does not exist.

use crate::frame::{Frame, PageName};
use askama::Template;

#[derive(Template)]
#[template(path = "missing.html")]
pub struct MissingPage<'a> {
    pub frame: &'a Frame<'a>,
}
