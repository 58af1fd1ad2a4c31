//! Parses and checks policy files.
//!
//! Reports all problems of all files, each with its span. The warnings of Cedar's validator count
//! as errors: a policy that can never apply protects nothing.

use super::PolicyFile;
use super::inspect::{self, Inspection};
use super::named_policy::NamedPolicy;
use super::tokens;
use super::vocabulary::Vocabulary;
use crate::limits;
use crate::problem::{LineColumn, Problem, Problems, TextSpan};
use cedar_policy::{
    Policy, PolicyId, PolicySet, Schema, ValidationError, ValidationMode, Validator,
};
use countersign_core::encoding::unicode::is_invisible;
use miette::Diagnostic;
use std::collections::HashMap;
use std::str::FromStr;

/// A policy file and the problems found in it so far.
struct FileInProgress<'s> {
    source: &'s PolicyFile,
    problems: Vec<Problem>,
}

/// A policy with its file and span.
struct LocatedPolicy {
    file: usize,
    span: TextSpan,
    named: NamedPolicy,
}

pub(crate) fn read_policies(
    policy_files: &[PolicyFile],
    vocabulary: &Vocabulary<'_>,
    schema: &Schema,
) -> Result<Vec<NamedPolicy>, Vec<Problems>> {
    let mut files: Vec<_> =
        policy_files.iter().map(|source| FileInProgress { source, problems: Vec::new() }).collect();
    check_limits(&mut files);
    let mut located = Vec::new();
    for (index, file) in files.iter_mut().enumerate() {
        let found = parse_file(file, vocabulary);
        located.extend(found.into_iter().map(|(span, named)| LocatedPolicy {
            file: index,
            span,
            named,
        }));
    }
    refuse_duplicate_names(&located, &mut files);
    if files.iter().all(|file| file.problems.is_empty()) {
        validate(&located, schema, &mut files);
    }
    let problems: Vec<_> = files.into_iter().filter_map(FileInProgress::into_problems).collect();
    if problems.is_empty() {
        Ok(located.into_iter().map(|located| located.named).collect())
    } else {
        Err(problems)
    }
}

impl FileInProgress<'_> {
    fn into_problems(self) -> Option<Problems> {
        let mut problems = self.problems;
        problems.sort_by_key(|problem| problem.span.start);
        problems.dedup();
        problems.truncate(limits::MAX_PROBLEMS);
        let PolicyFile { display_path, bytes, .. } = self.source;
        (!problems.is_empty()).then(|| Problems::new(display_path, bytes, problems))
    }
}

fn check_limits(files: &mut [FileInProgress<'_>]) {
    let bytes: usize = files.iter().map(|file| file.source.bytes.len()).sum();
    let (count, max) = (files.len(), limits::MAX_POLICY_FILES);
    let Some(last) = files.last_mut() else { return };
    if count > max {
        let message = format!("there are {count} policy files; the limit is {max}");
        last.problems.push(Problem::new(TextSpan::at_offset(0), message, "merge some of them"));
    }
    if bytes > limits::MAX_POLICY_BYTES {
        let message =
            format!("the policies together are longer than {} bytes", limits::MAX_POLICY_BYTES);
        last.problems.push(Problem::new(TextSpan::at_offset(0), message, "keep fewer policies"));
    }
}

/// The valid policies of one file.
fn parse_file(
    file: &mut FileInProgress<'_>,
    vocabulary: &Vocabulary<'_>,
) -> Vec<(TextSpan, NamedPolicy)> {
    let text = match std::str::from_utf8(&file.source.bytes) {
        Ok(text) => text,
        Err(error) => {
            let span = TextSpan::at_offset(error.valid_up_to());
            file.problems.push(Problem::new(span, "this is not UTF-8", "save the file as UTF-8"));
            return Vec::new();
        }
    };
    if !file.problems.is_empty() {
        return Vec::new();
    }
    if let Err(errors) = PolicySet::from_str(text) {
        file.problems
            .extend(errors.iter().map(|error| locate_error(error, TextSpan::at_offset(0), 0)));
        return Vec::new();
    }
    let mut found = Vec::new();
    for span in tokens::policy_spans(text) {
        match parse_policy(file.source, text, span, vocabulary) {
            Ok(named) => found.push((span, named)),
            Err(problems) => file.problems.extend(problems),
        }
    }
    found
}

fn parse_policy(
    file: &PolicyFile,
    text: &str,
    span: TextSpan,
    vocabulary: &Vocabulary<'_>,
) -> Result<NamedPolicy, Vec<Problem>> {
    let policy_text = span.slice(text).unwrap_or_default();
    let default_name = format!("{}:{}", file.name, LineColumn::from_offset(text, span.start).line);
    let policy =
        Policy::parse(Some(PolicyId::new(&default_name)), policy_text).map_err(|errors| {
            if tokens::tokenize(policy_text).iter().any(|token| token.text == "?") {
                let message = "a policy with a slot is a template, and templates are not supported";
                return vec![Problem::new(span, message, "write `principal` and `resource` alone")];
            }
            errors.iter().map(|error| locate_error(error, span, span.start)).collect()
        })?;
    let name = policy.annotation("id").map_or(default_name, str::to_owned);
    let mut problems = Vec::new();
    if name.is_empty()
        || name.chars().any(|c| c.is_whitespace() || c.is_control() || is_invisible(c))
    {
        let message = format!("`{}` cannot be the name of a policy", name.escape_debug());
        problems.push(Problem::new(span, message, "write the `@id` without spaces"));
    }
    let Inspection { fact_groups, problems: refused } =
        inspect::inspect_policy(&policy, policy_text, vocabulary);
    problems.extend(refused.into_iter().map(|problem| shift_problem(problem, span.start)));
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(NamedPolicy { policy: policy.new_id(PolicyId::new(&name)), name, fact_groups })
}

fn shift_problem(problem: Problem, offset: usize) -> Problem {
    let TextSpan { start, end } = problem.span;
    Problem { span: TextSpan::new(start + offset, end + offset), ..problem }
}

fn refuse_duplicate_names(located: &[LocatedPolicy], files: &mut [FileInProgress<'_>]) {
    let mut names: HashMap<&str, ()> = HashMap::new();
    for LocatedPolicy { file, span, named } in located {
        if names.insert(&named.name, ()).is_some()
            && let Some(file) = files.get_mut(*file)
        {
            let message = format!("another policy is also named `{}`", named.name);
            file.problems.push(Problem::new(*span, message, "give it a different `@id`"));
        }
    }
}

/// Checks types and actions with Cedar's validator.
fn validate(located: &[LocatedPolicy], schema: &Schema, files: &mut [FileInProgress<'_>]) {
    let mut set = PolicySet::new();
    for LocatedPolicy { file, span, named } in located {
        if let Err(error) = set.add(named.policy.clone())
            && let Some(file) = files.get_mut(*file)
        {
            file.problems.push(locate_error(&error, *span, 0));
        }
    }
    let result = Validator::new(schema.clone()).validate(&set, ValidationMode::Strict);
    let mut report = |id: &PolicyId, make: &dyn Fn(&LocatedPolicy, &str) -> Problem| {
        let name: &str = id.as_ref();
        let located_policy = located.iter().find(|located| located.named.name == name);
        if let Some(located) = located_policy
            && let Some(file) = files.get_mut(located.file)
            && let Ok(text) = std::str::from_utf8(&file.source.bytes)
        {
            let problem = make(located, text);
            // The validator checks a policy once per action, and repeats its errors.
            if !file.problems.iter().any(|known| known.span == problem.span) {
                file.problems.push(problem);
            }
        }
    };
    for error in result.validation_errors() {
        report(error.policy_id(), &|located, text| explain_validation_error(error, located, text));
    }
    for warning in result.validation_warnings() {
        report(warning.policy_id(), &|located, _| {
            locate_error(warning, located.span, located.span.start)
        });
    }
}

/// Replaces a validator error by a clearer message where there is one.
fn explain_validation_error(
    error: &ValidationError,
    located: &LocatedPolicy,
    text: &str,
) -> Problem {
    let problem = locate_error(error, located.span, located.span.start);
    if !matches!(error, ValidationError::UnsafeOptionalAttributeAccess(_)) {
        return problem;
    }
    let access = problem.span.slice(text).unwrap_or_default();
    let fact = access.rsplit('.').next().unwrap_or(access);
    let message = format!("not every call has the fact `{fact}`");
    let help = format!("check for it first: `context.facts has {fact} && …`");
    Problem::new(problem.span, message, help)
}

/// Converts a Cedar error; its span is the error's label, or `fallback` without one.
fn locate_error(error: &dyn Diagnostic, fallback: TextSpan, shift: usize) -> Problem {
    let label = error.labels().and_then(|mut labels| labels.next());
    let span = label.map_or(fallback, |label| {
        TextSpan::new(label.offset() + shift, label.offset() + label.len() + shift)
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
