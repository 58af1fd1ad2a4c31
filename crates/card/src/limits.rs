//! Every bound of a card, each with its reason.

/// Characters of a line: a longer one is cut in the middle, because nobody reads it on a card.
pub(crate) const MAX_LINE_CHARS: usize = 240;
/// How many of these characters come from the end of the line.
pub(crate) const LINE_TAIL_CHARS: usize = 60;
/// Lines of a text: a longer one is cut in the middle, so that the choices stay on the screen.
pub(crate) const MAX_LINES: usize = 40;
/// How many of these lines come from the end of the text.
pub(crate) const TAIL_LINES: usize = 12;
/// More empty lines in a row than this are replaced by their count.
pub(crate) const MAX_EMPTY_LINES: usize = 2;
/// Fields of the exact action: more are counted, because nobody reads them on a card.
pub(crate) const MAX_FIELDS: usize = 40;
/// Bytes of these fields together, so that a list of cards stays small. Each single field fits.
pub(crate) const MAX_FIELDS_BYTES: usize = 64 << 10;
/// Characters in one line of the whole text, which is read in pages of lines. A longer line would be
/// cut by a terminal's own bound.
pub(crate) const FULL_TEXT_LINE_CHARS: usize = 200;
/// Characters of a field's name, so that the name and one line of the value fit on a line together.
pub(crate) const MAX_LABEL_CHARS: usize = 80;
/// More targets are only counted in the headline.
pub(crate) const MAX_HEADLINE_TARGETS: usize = 3;
/// More words of a command are left out of the headline.
pub(crate) const MAX_HEADLINE_WORDS: usize = 7;
/// Unchanged lines shown around a change.
pub(crate) const CONTEXT_LINES: usize = 3;
/// Bytes of a text that is diffed: a diff of more takes too long, so the card shows both texts.
pub(crate) const MAX_DIFF_BYTES: usize = 1 << 17;
/// Characters of one name in the headline: the fields below it show it in full.
pub(crate) const MAX_HEADLINE_CHARS: usize = 80;
/// More folders, hosts or remotes are only counted in what a choice covers: one line is read.
pub(crate) const MAX_SHOWN_BOUNDS: usize = 3;
/// Programs on a card: more are counted, because a line rarely starts more than a few.
pub(crate) const MAX_PROGRAMS: usize = 10;
/// Questions of a kind that make a suggestion: twice can be chance.
pub(crate) const MIN_ASKED: usize = 3;
/// Suggestions in one list: more are not read, and the first ones spare most.
pub(crate) const MAX_SUGGESTIONS: usize = 50;
/// Characters of what a wider choice covers in the prompt of a program, which has a line for it.
pub(crate) const MAX_QUESTION_COVERAGE: usize = 48;
/// Paths named in one fact about places: more are only counted.
pub(crate) const MAX_PLACE_PATHS: usize = 3;

/// Commands that a head does not cover, named beside it. The first ones say what kind is meant.
pub(crate) const MAX_SHOWN_COMMANDS: usize = 3;

/// Characters that the operator has to type for a critical yes: more is a test of patience.
pub(crate) const MAX_TYPED_TEXT: usize = 40;
