//! What the operator does next, for each program.

use crate::context::SetupContext;
use countersign_console::{BOLD, Page};
use countersign_harness::Program;

pub(super) fn draw(guarded: &[Program], context: &SetupContext) -> Page {
    let mut page = Page::new();
    if guarded.is_empty() {
        return page;
    }
    page.styled(BOLD, "next").text(":").end();
    for program in guarded {
        page.text("  ").text(next_step(*program)).end();
    }
    for variable in &context.variables_in_force {
        let line = format!(
            "  {variable} is set here, but a daemon that a hook starts does not take it; write it into \
             the settings file"
        );
        page.text(&line).end();
    }
    page.text("  answer questions with `countersign watch` in a second terminal").end();
    page.text("  check everything with `countersign doctor`").end();
    page
}

const fn next_step(program: Program) -> &'static str {
    match program {
        Program::ClaudeCode => "Claude Code: start open sessions again, so that they are guarded",
        Program::Codex => {
            "Codex: start it and choose `Trust all and continue`; until then it runs none of our hooks"
        }
    }
}
