//! What a `gh api` command does: its method, or the kind of its GraphQL operation.
//!
//! The method follows from options anywhere in the line, so it is put in front of the other words,
//! where a rule can name it. A word whose meaning is not certain is an error: nothing covers it.
//!
//! See docs/decisions/0073-fetching-is-moderate.md.

use crate::option_tables::is_plain_filter;

const WRITING_METHODS: &[&str] = &["POST", "PUT", "PATCH", "DELETE"];
/// Options with a value as the next word, in both spellings.
const VALUED: &[(&str, &str)] = &[
    ("-X", "--method"),
    ("-f", "--raw-field"),
    ("-F", "--field"),
    ("-H", "--header"),
    ("-q", "--jq"),
    ("-t", "--template"),
    ("", "--input"),
    ("", "--hostname"),
    ("", "--cache"),
];
const FLAGS: &[&str] = &["-i", "--include", "--paginate", "--silent", "--slurp"];

/// The words of a `gh api` command.
#[derive(Default)]
struct ApiWords<'a> {
    endpoints: Vec<&'a str>,
    method: Option<&'a str>,
    fields: Vec<&'a str>,
    input: Option<&'a str>,
    /// Everything but the method and the endpoint.
    rest: Vec<String>,
}

/// The command with its method first. `None` if it is not `gh api`.
pub(super) fn put_method_first(argv: &[String]) -> Result<Option<Vec<String>>, String> {
    let [gh, api, words @ ..] = argv else { return Ok(None) };
    if api != "api" {
        return Ok(None);
    }
    let read = ApiWords::read(words)?;
    let [endpoint] = read.endpoints.as_slice() else {
        return Err("`gh api` has not exactly one address".to_owned());
    };
    let selector = match *endpoint {
        "graphql" => vec!["graphql", read.find_operation()?],
        endpoint => match read.find_method()? {
            "GET" if read.fields.is_empty() => vec![endpoint],
            method => vec!["-X", method, endpoint],
        },
    };
    let front = [gh.as_str(), api].into_iter().chain(selector).map(str::to_owned);
    Ok(Some(front.chain(read.rest).collect()))
}

impl<'a> ApiWords<'a> {
    fn read(words: &'a [String]) -> Result<Self, String> {
        let mut read = Self::default();
        let mut rest = words.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if !word.starts_with('-') {
                read.endpoints.push(word);
                continue;
            }
            if FLAGS.contains(&word) {
                read.rest.push(word.to_owned());
                continue;
            }
            let (option, attached) = match word.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, Some(value)),
                _ => (word, None),
            };
            let known = VALUED.iter().find(|(short, long)| *long == option || *short == option);
            let value = attached.or_else(|| rest.next());
            match (known, value) {
                (Some((_, long)), Some(value)) => read.add_option(long, value)?,
                _ => return Err(format!("`{word}` is not in the option table of `gh api`")),
            }
        }
        Ok(read)
    }

    fn add_option(&mut self, option: &'static str, value: &'a str) -> Result<(), String> {
        let refused = || Err(format!("`{option}` has no value that its option table allows"));
        match option {
            "--method" if self.method.is_some() => return refused(),
            "--method" => {
                self.method = Some(value);
                return Ok(());
            }
            // `-F key=@file` sends the content of a file.
            "--field" if value.contains("=@") => return refused(),
            "--field" | "--raw-field" => self.fields.push(value),
            "--header" if !is_plain_header(value) => return refused(),
            "--jq" | "--template" if !is_plain_filter(value) => return refused(),
            "--input" => self.input = Some(value),
            _ => {}
        }
        self.rest.extend([option.to_owned(), value.to_owned()]);
        Ok(())
    }

    fn find_method(&self) -> Result<&'a str, String> {
        let has_body = !self.fields.is_empty() || self.input.is_some();
        match self.method {
            None if has_body => Ok("POST"),
            None => Ok("GET"),
            Some("GET") if self.input.is_none() => Ok("GET"),
            Some(method) if WRITING_METHODS.contains(&method) => Ok(method),
            Some(method) => Err(format!("`{method}` is not a method that `gh api` is known for")),
        }
    }

    /// Whether the GraphQL document only queries, or changes something.
    fn find_operation(&self) -> Result<&'static str, String> {
        let mut documents = self.fields.iter().filter_map(|field| field.strip_prefix("query="));
        let is_post = self.method.is_none_or(|method| method == "POST") && self.input.is_none();
        let (Some(document), None) = (documents.next().filter(|_| is_post), documents.next())
        else {
            return Err("`gh api graphql` has not exactly one query".to_owned());
        };
        let mut words = document.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let changes = words.any(|word| matches!(word, "mutation" | "subscription"));
        let start = document.trim_start();
        let first = start.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        match (first, changes) {
            (Some("query"), false) => Ok("query"),
            (Some(""), false) if start.starts_with('{') => Ok("query"),
            (Some("mutation"), true) => Ok("mutation"),
            _ => Err("it is not certain whether the GraphQL document changes something".to_owned()),
        }
    }
}

/// Other headers could replace the method or the credentials.
fn is_plain_header(header: &str) -> bool {
    let name = header.split(':').next().unwrap_or_default().to_ascii_lowercase();
    header.contains(':') && matches!(name.as_str(), "accept" | "x-github-api-version")
}
