//! Reads the paths in a source file that lead to other modules of its crate.
//!
//! Those are `use` declarations, and inline paths that start with `crate`, `self` or `super`. A `use`
//! also gives its module a name by which other modules can reach the same item.

use crate::rust_tokens::Token;

/// A module of a crate, as the names on the way to it. The crate's root is empty.
pub(super) type ModulePath = Vec<String>;

/// One path to an item or a module of the same crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference {
    /// The file and the line, for the reader of a finding.
    pub(super) place: String,
    pub(super) from: ModulePath,
    pub(super) to: ModulePath,
    /// The name that a `use` gives it in `from`.
    pub(super) name: Option<String>,
}

pub(super) fn find_references(
    module: &[String],
    tokens: &[Token<'_>],
    path: &str,
) -> Vec<Reference> {
    let mut reader = ReferenceReader {
        tokens,
        file: module.to_vec(),
        module: module.to_vec(),
        path,
        found: Vec::new(),
    };
    reader.read_file();
    reader.found
}

/// Where a path stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathKind {
    Use,
    Inline,
}

struct ReferenceReader<'t> {
    tokens: &'t [Token<'t>],
    file: ModulePath,
    /// The module at the present position, inline modules included.
    module: ModulePath,
    path: &'t str,
    found: Vec<Reference>,
}

impl<'t> ReferenceReader<'t> {
    fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn read_file(&mut self) {
        let (mut at, mut depth) = (0, 0_usize);
        let mut inline: Vec<usize> = Vec::new();
        while at < self.tokens.len() {
            match self.text(at) {
                "mod" if self.text(at + 2) == "{" => {
                    self.module.push(self.text(at + 1).to_owned());
                    inline.push(depth);
                    (at, depth) = (at + 3, depth + 1);
                }
                "{" => (at, depth) = (at + 1, depth + 1),
                "}" => {
                    (at, depth) = (at + 1, depth.saturating_sub(1));
                    if inline.last() == Some(&depth) {
                        inline.pop();
                        self.module.pop();
                    }
                }
                "use" => at = self.read_use(at + 1),
                _ if self.starts_path(at) => at = self.read_tree(at, &[], PathKind::Inline),
                _ => at += 1,
            }
        }
    }

    fn starts_path(&self, at: usize) -> bool {
        let is_first = at == 0 || self.text(at - 1) != "::";
        let is_keyword = matches!(self.text(at), "crate" | "self" | "super");
        is_first && is_keyword && self.text(at + 1) == "::"
    }

    /// A `use` without a keyword in front names another crate or a module below this one.
    fn read_use(&mut self, at: usize) -> usize {
        if self.text(at) == "::" {
            return at;
        }
        let prefix = if self.starts_path(at) { Vec::new() } else { self.module.clone() };
        self.read_tree(at, &prefix, PathKind::Use)
    }

    /// Reads a path with all that its braces hold, and returns the position after it.
    fn read_tree(&mut self, mut at: usize, prefix: &[String], kind: PathKind) -> usize {
        let line = self.tokens.get(at).map_or(0, |token| token.line);
        let mut path = prefix.to_vec();
        loop {
            match self.text(at) {
                "{" => return self.read_group(at + 1, &path, kind),
                "crate" => path.clear(),
                "self" if path.is_empty() => path.clone_from(&self.module),
                "self" => {}
                "super" => {
                    if path.is_empty() {
                        path.clone_from(&self.module);
                    }
                    path.pop();
                }
                name if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                    path.push(name.to_owned());
                }
                // A glob.
                _ => {
                    self.push(line, path, None);
                    return at;
                }
            }
            at += 1;
            if self.text(at) != "::" {
                break;
            }
            at += 1;
        }
        let renamed = self.text(at) == "as" && kind == PathKind::Use;
        let name = if renamed { Some(self.text(at + 1).to_owned()) } else { path.last().cloned() };
        self.push(line, path, name.filter(|_| kind == PathKind::Use));
        if renamed { at + 2 } else { at }
    }

    fn read_group(&mut self, mut at: usize, prefix: &[String], kind: PathKind) -> usize {
        while at < self.tokens.len() {
            match self.text(at) {
                "}" => return at + 1,
                "," => at += 1,
                _ => at = self.read_tree(at, prefix, kind).max(at + 1),
            }
        }
        at
    }

    fn push(&mut self, line: usize, to: ModulePath, name: Option<String>) {
        let place = format!("{}:{line}", self.path);
        // A name in an inline module is not one of the file's.
        let name = name.filter(|_| self.module == self.file);
        self.found.push(Reference { place, from: self.file.clone(), to, name });
    }
}
