//! `agent add`, `agent ls`, `agent revoke`: who holds a token.

use super::{list, text};
use crate::args::{AgentAdd, AgentCommand, AgentLs, AgentRevoke};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page};
use crate::settings::Settings;
use crate::table::{self, Cell};
use serde_json::{Value, json};

pub(crate) fn agent(command: &AgentCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        AgentCommand::Add(args) => add(args, settings),
        AgentCommand::Ls(args) => ls(args, settings),
        AgentCommand::Revoke(args) => revoke(args, settings),
    }
}

/// The token alone goes to stdout, so that a script can take it from there.
fn add(args: &AgentAdd, settings: &Settings) -> Result<Exit, Failure> {
    let body = json!({"agent": args.agent, "adapter": args.adapter});
    let said = args.daemon.operator(settings)?.post("/v1/agents", &body)?;
    if args.daemon.json {
        out::show_json(&said)?;
        return Ok(Exit::Allowed);
    }
    out::show(&Page::of(text(&said, "/token")))?;
    let mut page = Page::new();
    let whose = if args.adapter { "the adapter of " } else { "" };
    page.text("this is the token of ").text(whose).styled(BOLD, args.agent.as_str());
    page.text("; it is not shown again").end();
    out::tell(&page);
    Ok(Exit::Allowed)
}

fn ls(args: &AgentLs, settings: &Settings) -> Result<Exit, Failure> {
    let said = args.daemon.operator(settings)?.get("/v1/agents")?;
    if args.daemon.json {
        out::show_json(&said)?;
        return Ok(Exit::Allowed);
    }
    let held = list(&said, "agents");
    let mut page = Page::new();
    match held {
        [] => page.text("nobody holds a token; `countersign agent add NAME` gives one").end(),
        held => {
            let rows: Vec<Vec<Cell>> = held.iter().map(row).collect();
            table::draw(&mut page, &["AGENT", "AS", "SINCE"], &rows);
            &mut page
        }
    };
    out::show(&page)?;
    Ok(Exit::Allowed)
}

fn row(held: &Value) -> Vec<Cell> {
    vec![
        Cell::styled(BOLD, text(held, "/agent")),
        Cell::new(text(held, "/principal")),
        Cell::new(text(held, "/issued_at")),
    ]
}

fn revoke(args: &AgentRevoke, settings: &Settings) -> Result<Exit, Failure> {
    let Some(agent) = &args.agent else { return renew(args, settings) };
    let path = format!("/v1/agents/{}/revoke", escaped(agent.as_str()));
    let said = args.daemon.operator(settings)?.post(&path, &json!({}))?;
    if args.daemon.json {
        out::show_json(&said)?;
        return Ok(Exit::Allowed);
    }
    let many = list(&said, "revoked").len();
    let what = if many == 1 { "its token is" } else { "its tokens are" };
    let mut page = Page::new();
    page.styled(BOLD, agent.as_str()).text(&format!(": {what} worth nothing now")).end();
    out::show(&page)?;
    Ok(Exit::Allowed)
}

fn renew(args: &AgentRevoke, settings: &Settings) -> Result<Exit, Failure> {
    let said = args.daemon.operator(settings)?.post("/v1/operator-token/renew", &json!({}))?;
    if args.daemon.json {
        out::show_json(&said)?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    page.text("your old token is worth nothing now; the new one is in ");
    page.text(text(&said, "/file")).end();
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// A name as a part of an address: whatever could mean something there is written as bytes.
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.bytes()
        .map(|byte| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_part_of_an_address() {
        assert_eq!(escaped("claude-2.1_x"), "claude-2.1_x");
        assert_eq!(escaped("a/../b?c#ä"), "a%2F..%2Fb%3Fc%23%C3%A4");
    }
}
