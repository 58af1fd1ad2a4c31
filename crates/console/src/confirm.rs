//! Questions at the terminal, for commands that change files of the user.

use crate::failure::Failure;
use crate::limits;
use crate::out;
use crate::page::{BOLD, Page};
use std::io::{BufRead, BufReader, IsTerminal, Read};

/// Asks at the terminal. Only `y` and `yes` count as yes.
pub fn is_confirmed(question: &str) -> Result<bool, Failure> {
    let reply = ask(&format!("{question} [y/N] "))?;
    Ok(matches!(reply.to_lowercase().as_str(), "y" | "yes"))
}

/// The line that is typed at the terminal, or an empty text at its end.
pub fn ask(question: &str) -> Result<String, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Failure::usage(
            "cannot ask for confirmation: stdin is not a terminal",
            "read the list above, then run it again with `--yes`",
        ));
    }
    let mut prompt = Page::new();
    prompt.styled(BOLD, question);
    out::eprint(&prompt);
    let mut reply = String::new();
    let read = BufReader::new(stdin.lock().take(limits::MAX_REPLY_BYTES)).read_line(&mut reply);
    read.map_err(|error| Failure::new(format!("no answer: {error}"), "nothing was written"))?;
    Ok(reply.trim().to_owned())
}
