//! Colours, pipes and output streams.

use crate::desk::Desk;

fn has_colour(desk: &Desk) -> bool {
    let output = desk.output(&["graph", "show"]);
    assert_eq!(output.status.code(), Some(0));
    output.stdout.contains(&0x1b)
}

#[test]
fn without_a_terminal_there_is_no_colour() {
    assert!(!has_colour(&Desk::new()));
    assert!(!has_colour(&Desk::new().under("TERM", "xterm-256color")));
}

#[test]
fn colour_can_be_forced_and_no_color_wins() {
    assert!(has_colour(&Desk::new().under("CLICOLOR_FORCE", "1")));
    assert!(!has_colour(&Desk::new().under("CLICOLOR_FORCE", "1").under("NO_COLOR", "1")));
}

#[test]
fn json_has_no_colour_even_if_forced() {
    let desk = Desk::new().under("CLICOLOR_FORCE", "1");
    for words in [&["check", "email", "send", "--json"][..], &["graph", "show", "--json"]] {
        assert!(!desk.output(words).stdout.contains(&0x1b), "{words:?}");
    }
}

#[test]
fn forced_colour_does_not_change_the_text() {
    let plain = Desk::new().output(&["graph", "show"]).stdout;
    let coloured = Desk::new().under("CLICOLOR_FORCE", "1").output(&["graph", "show"]).stdout;
    let coloured = String::from_utf8(coloured).unwrap();
    let mut stripped = String::new();
    for (at, part) in coloured.split('\u{1b}').enumerate() {
        let text = if at == 0 { part } else { part.split_once('m').unwrap().1 };
        stripped.push_str(text);
    }
    assert_eq!(stripped, String::from_utf8(plain).unwrap());
}

#[test]
fn a_closed_pipe_does_not_panic() {
    for words in ["graph show", "check email read", "--help", "man", "completions bash"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let words: Vec<&str> = words.split(' ').collect();
        let output = Desk::new().command(&words).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        let graph = "graph: countersign.yaml (named by COUNTERSIGN_GRAPH)\n";
        assert_eq!(stderr.replace(graph, ""), "", "{words:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_not_a_yes() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Desk::new().command(&["check", "email", "read"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("error: the result could not be written"), "{said}");
}
