//! From files to checked policies.
//!
//! Every file is read to its end and every problem reported, each at its place. What Cedar's own
//! validator only warns of is refused as well: a policy that can never apply protects nothing.

use super::Source;
use super::named::Named;
use super::refuse::{self, Found};
use super::text;
use super::vocabulary::Vocabulary;
use crate::limits;
use crate::problem::{Place, Problem, Problems, Span};
use cedar_policy::{
    Policy, PolicyId, PolicySet, Schema, ValidationError, ValidationMode, Validator,
};
use countersign_core::model::names::is_invisible;
use miette::Diagnostic;
use std::collections::HashMap;
use std::str::FromStr;

/// A file while it is read.
struct File<'s> {
    source: &'s Source,
    problems: Vec<Problem>,
}

/// A policy and where it stands.
struct Placed {
    file: usize,
    span: Span,
    named: Named,
}

pub(crate) fn read(
    sources: &[Source],
    vocabulary: &Vocabulary<'_>,
    schema: &Schema,
) -> Result<Vec<Named>, Vec<Problems>> {
    let mut files: Vec<_> =
        sources.iter().map(|source| File { source, problems: Vec::new() }).collect();
    check_size(&mut files);
    let mut placed = Vec::new();
    for (index, file) in files.iter_mut().enumerate() {
        let found = policies(file, vocabulary);
        placed.extend(found.into_iter().map(|(span, named)| Placed { file: index, span, named }));
    }
    refuse_equal_names(&placed, &mut files);
    if files.iter().all(|file| file.problems.is_empty()) {
        validate(&placed, schema, &mut files);
    }
    let problems: Vec<_> = files.into_iter().filter_map(File::into_problems).collect();
    if problems.is_empty() {
        Ok(placed.into_iter().map(|placed| placed.named).collect())
    } else {
        Err(problems)
    }
}

impl File<'_> {
    fn into_problems(self) -> Option<Problems> {
        let mut problems = self.problems;
        problems.sort_by_key(|problem| problem.span.start);
        problems.dedup();
        problems.truncate(limits::PROBLEMS);
        let Source { shown, bytes, .. } = self.source;
        (!problems.is_empty()).then(|| Problems::new(shown, bytes, problems))
    }
}

fn check_size(files: &mut [File<'_>]) {
    let bytes: usize = files.iter().map(|file| file.source.bytes.len()).sum();
    let (count, most) = (files.len(), limits::RULE_FILES);
    let Some(last) = files.last_mut() else { return };
    if count > most {
        let message = format!("there are {count} policy files, and {most} is the most");
        last.problems.push(Problem::new(Span::at(0), message, "join some of them"));
    }
    if bytes > limits::RULE_BYTES {
        let message = format!("the policies are longer than {} bytes together", limits::RULE_BYTES);
        last.problems.push(Problem::new(Span::at(0), message, "keep fewer policies"));
    }
}

/// The policies of one file, as far as they can be read.
fn policies(file: &mut File<'_>, vocabulary: &Vocabulary<'_>) -> Vec<(Span, Named)> {
    let text = match std::str::from_utf8(&file.source.bytes) {
        Ok(text) => text,
        Err(error) => {
            let span = Span::at(error.valid_up_to());
            file.problems.push(Problem::new(span, "this is not UTF-8", "save the file as UTF-8"));
            return Vec::new();
        }
    };
    if !file.problems.is_empty() {
        return Vec::new();
    }
    if let Err(errors) = PolicySet::from_str(text) {
        file.problems.extend(errors.iter().map(|error| located(error, Span::at(0), 0)));
        return Vec::new();
    }
    let mut found = Vec::new();
    for span in text::policies(text) {
        match policy(file.source, (text, span), vocabulary) {
            Ok(named) => found.push((span, named)),
            Err(problems) => file.problems.extend(problems),
        }
    }
    found
}

fn policy(
    source: &Source,
    (text, span): (&str, Span),
    vocabulary: &Vocabulary<'_>,
) -> Result<Named, Vec<Problem>> {
    let written = span.of(text).unwrap_or_default();
    let place = format!("{}:{}", source.name, Place::of(text, span.start).line);
    let policy = Policy::parse(Some(PolicyId::new(&place)), written).map_err(|errors| {
        if text::tokens(written).iter().any(|token| token.text == "?") {
            let message = "a policy with a slot is a template, and nothing here fills it in";
            return vec![Problem::new(span, message, "write `principal` and `resource` alone")];
        }
        errors.iter().map(|error| located(error, span, span.start)).collect()
    })?;
    let name = policy.annotation("id").map_or(place, str::to_owned);
    let mut problems = Vec::new();
    if name.is_empty()
        || name.chars().any(|c| c.is_whitespace() || c.is_control() || is_invisible(c))
    {
        let message = format!("`{}` cannot be the name of a policy", name.escape_debug());
        problems.push(Problem::new(span, message, "write the `@id` without blanks"));
    }
    let Found { looks_at, problems: refused } = refuse::look(&policy, written, vocabulary);
    problems.extend(refused.into_iter().map(|problem| shifted(problem, span.start)));
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Named { policy: policy.new_id(PolicyId::new(&name)), name, looks_at })
}

fn shifted(problem: Problem, by: usize) -> Problem {
    let Span { start, end } = problem.span;
    Problem { span: Span::new(start + by, end + by), ..problem }
}

fn refuse_equal_names(placed: &[Placed], files: &mut [File<'_>]) {
    let mut names: HashMap<&str, ()> = HashMap::new();
    for Placed { file, span, named } in placed {
        if names.insert(&named.name, ()).is_some()
            && let Some(file) = files.get_mut(*file)
        {
            let message = format!("another policy is called `{}` too", named.name);
            file.problems.push(Problem::new(*span, message, "give it an `@id` of its own"));
        }
    }
}

/// The types and actions, by Cedar's own validator.
fn validate(placed: &[Placed], schema: &Schema, files: &mut [File<'_>]) {
    let mut set = PolicySet::new();
    for Placed { file, span, named } in placed {
        if let Err(error) = set.add(named.policy.clone())
            && let Some(file) = files.get_mut(*file)
        {
            file.problems.push(located(&error, *span, 0));
        }
    }
    let result = Validator::new(schema.clone()).validate(&set, ValidationMode::Strict);
    let mut report = |id: &PolicyId, make: &dyn Fn(&Placed, &str) -> Problem| {
        let name: &str = id.as_ref();
        let of_policy = placed.iter().find(|placed| placed.named.name == name);
        if let Some(placed) = of_policy
            && let Some(file) = files.get_mut(placed.file)
            && let Ok(text) = std::str::from_utf8(&file.source.bytes)
        {
            let problem = make(placed, text);
            // A policy about many actions is typed once for each of them.
            if !file.problems.iter().any(|known| known.span == problem.span) {
                file.problems.push(problem);
            }
        }
    };
    for error in result.validation_errors() {
        report(error.policy_id(), &|placed, text| explained(error, placed, text));
    }
    for warning in result.validation_warnings() {
        report(warning.policy_id(), &|placed, _| located(warning, placed.span, placed.span.start));
    }
}

/// A validator's error in the words of this page, where they say more.
fn explained(error: &ValidationError, placed: &Placed, text: &str) -> Problem {
    let problem = located(error, placed.span, placed.span.start);
    if !matches!(error, ValidationError::UnsafeOptionalAttributeAccess(_)) {
        return problem;
    }
    let access = problem.span.of(text).unwrap_or_default();
    let fact = access.rsplit('.').next().unwrap_or(access);
    let message = format!("not every call has the fact `{fact}`");
    let help = format!("ask for it first: `context.facts has {fact} && …`");
    Problem::new(problem.span, message, help)
}

/// An error of Cedar at its place: the label it carries, or else the whole policy.
fn located(error: &dyn Diagnostic, otherwise: Span, shift: usize) -> Problem {
    let label = error.labels().and_then(|mut labels| labels.next());
    let span = label.map_or(otherwise, |label| {
        Span::new(label.offset() + shift, label.offset() + label.len() + shift)
    });
    let message = error.to_string();
    let message = match message.strip_prefix("for policy `").and_then(|rest| rest.split_once("`, "))
    {
        Some((_, rest)) => rest.to_owned(),
        None => message,
    };
    let help = error.help().map_or_else(
        || "see docs/guides/policies.md for what a policy may say".to_owned(),
        |help| help.to_string(),
    );
    Problem::new(span, message, help)
}
