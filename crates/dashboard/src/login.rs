//! The pages for a browser that has no session.

use askama::Template;

/// At the root: says how to open the dashboard, and nothing else.
#[derive(Template)]
#[template(path = "root.html")]
pub struct RootPage;

/// Shows the characters that the operator types into the waiting command.
#[derive(Template)]
#[template(path = "login.html")]
pub struct LoginPage<'a> {
    pub base: &'a str,
    /// The path of this page.
    pub path: &'a str,
    pub code: &'a str,
}

/// The link is used, too old, or wrong; or the session is over.
#[derive(Template)]
#[template(path = "closed_login.html")]
pub struct ClosedLoginPage<'a> {
    pub base: &'a str,
    pub why: &'a str,
}
