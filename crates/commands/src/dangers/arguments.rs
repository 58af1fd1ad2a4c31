//! The words of one command, for readers that know only a few of its options.

use crate::loose::Word;
use crate::wrappers::base_name;

/// A command by its program's name and its other words.
pub(super) struct Arguments<'w> {
    /// Without folder, in lower case.
    pub(super) program: String,
    pub(super) words: &'w [Word],
}

impl<'w> Arguments<'w> {
    /// `None` if there is no program, or nobody knows which.
    pub(super) fn new(words: &'w [Word]) -> Option<Self> {
        let (program, words) = words.split_first()?;
        let reading = program.list_readings().into_iter().next()?;
        let program = base_name(&reading).to_ascii_lowercase();
        let program = program.strip_suffix(".exe").map_or(program.clone(), str::to_owned);
        Some(Self { program, words })
    }

    pub(super) fn is_program(&self, names: &[&str]) -> bool {
        names.contains(&self.program.as_str())
    }

    /// The words by their texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'w str> + use<'w> {
        self.words.iter().map(|word| word.text.as_str())
    }

    fn options(&self) -> impl Iterator<Item = &'w str> + use<'w> {
        self.texts().take_while(|text| *text != "--").filter(|text| text.starts_with('-'))
    }

    /// Whether a short option is given, alone or in a cluster such as `-rf`.
    pub(super) fn has_letter(&self, letters: &[char]) -> bool {
        let mut clusters = self.options().filter_map(|option| option.strip_prefix('-'));
        clusters.any(|cluster| !cluster.starts_with('-') && cluster.contains(letters))
    }

    /// Whether a word is this option, with or without a value.
    pub(super) fn has_option(&self, names: &[&str]) -> bool {
        self.options().any(|option| {
            let name = option.split_once('=').map_or(option, |(name, _)| name);
            names.contains(&name)
        })
    }

    /// Whether a long option is given, also shortened as GNU programs take it.
    pub(super) fn has_long(&self, long: &str) -> bool {
        self.options().any(|option| {
            let name = option.split_once('=').map_or(option, |(name, _)| name);
            name.len() > 4 && long.starts_with(name)
        })
    }

    /// The value of an option: `--name=VALUE`, `--name VALUE` or `-n VALUE`.
    pub(super) fn value_of(&self, names: &[&str]) -> Option<String> {
        for (at, word) in self.words.iter().enumerate() {
            let text = word.text.as_str();
            if names.contains(&text) {
                return self.words.get(at + 1)?.list_readings().into_iter().next();
            }
            if let Some((name, _)) = text.split_once('=')
                && names.contains(&name)
            {
                let reading = word.list_readings().into_iter().next()?;
                return reading.split_once('=').map(|(_, value)| value.to_owned());
            }
        }
        None
    }

    /// The words that are no options.
    pub(super) fn operands(&self) -> impl Iterator<Item = &'w Word> + use<'w> {
        let mut only_operands = false;
        self.words.iter().filter(move |word| {
            if !only_operands && word.text == "--" {
                only_operands = true;
                return false;
            }
            only_operands || !word.text.starts_with('-') || word.text == "-"
        })
    }

    /// Whether it only says what it would do.
    pub(super) fn is_dry(&self) -> bool {
        let mut options = self.options();
        options.any(|option| {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let is_dry = ["--dry-run", "--dryrun", "--what-if", "--whatif", "--help", "--no-act"];
            is_dry.contains(&name.to_ascii_lowercase().as_str())
                && !["none", "false"].contains(&value)
        })
    }
}

/// The host of an address, in lower case.
pub(super) fn find_host(text: &str) -> Option<String> {
    let rest = text.strip_prefix("git+").unwrap_or(text);
    let rest = match rest.split_once("://") {
        Some((_, rest)) => rest,
        None => return None,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    (!host.is_empty() && host.bytes().all(is_name)).then(|| host.to_ascii_lowercase())
}
