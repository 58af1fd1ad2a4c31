//! `grants suggest`: lists what is always approved, and gives the grant that would end the question.

use super::added_page;
use super::args::GrantsSuggestArgs;
use crate::clock::{SystemClock, find_utc_offset};
use crate::operate::{add_fields, fit_bounds};
use crate::settings::Settings;
use countersign_api::{
    ApplySuggestionRequest, GrantResponse, SuggestedScope, SuggestionsQuery, SuggestionsResponse,
    Timestamp,
};
use countersign_card::{SecondConfirmation, SuggestedGrant, SuggestedRule, Suggestion};
use countersign_client::OperatorClient;
use countersign_console::{BOLD, DIM, Exit, Failure, Page, Tty, out, short_id};
use countersign_core::model::grant::Scope;
use countersign_core::model::names::SessionName;
use countersign_engine::Clock;

pub(super) fn suggest(args: &GrantsSuggestArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let since =
        args.since.map(|since| Timestamp(since.resolve(SystemClock.now(), find_utc_offset)));
    let (session, project) = (args.session.clone(), args.project.clone());
    let list = client.list_suggestions(&SuggestionsQuery { session, project, since })?;
    match args.apply {
        None => args.daemon.print(&list, || list_page(&list)),
        Some(number) => apply(args, &client, &list, number),
    }
}

fn list_page(list: &SuggestionsResponse) -> Page {
    let mut page = Page::new();
    if list.suggestions.is_empty() {
        page.text(match list.looked_at {
            0 => "nothing to suggest: no question was answered yet",
            _ => "nothing to suggest: nothing that may be granted was asked three times and approved each time",
        });
        page.end();
    }
    for (number, suggestion) in (1..).zip(&list.suggestions) {
        draw_suggestion(&mut page, number, suggestion);
    }
    let more = if list.more { "; there are older ones" } else { "" };
    let requests = if list.looked_at == 1 { "request" } else { "requests" };
    let looked_at = format!("looked at the newest {} closed {requests}{more}", list.looked_at);
    page.styled(DIM, &looked_at).end();
    page
}

fn draw_suggestion(page: &mut Page, number: u64, suggestion: &Suggestion) {
    page.styled(BOLD, &format!("{number}. {}", suggestion.covers)).end();
    let asked = format!(
        "{} times, and approved each time; would have spared {} of these questions",
        suggestion.asked, suggestion.spared
    );
    let grant = match &suggestion.grant {
        Some(grant) => format!(
            "{}: `countersign grants suggest --apply {number}`, undone by `grants revoke`",
            describe_scope(grant)
        ),
        None => "none: no session is open that it could be given to".to_owned(),
    };
    let fields = [
        ("asked", asked),
        ("also", suggestion.beyond.to_string()),
        ("agent", format!("{}, up to {} risk", suggestion.agent, suggestion.risk)),
        ("grant", grant),
    ];
    add_fields(page, fields);
    if let Some(rule) = &suggestion.rule {
        draw_rule(page, rule);
    }
}

fn draw_rule(page: &mut Page, rule: &SuggestedRule) {
    add_fields(page, [("or graph", rule.covers.to_string())]);
    for line in &rule.lines {
        page.spaces(INDENT).text(line.as_str()).end();
    }
}

/// The lines of a rule stand below the text of its field.
const INDENT: usize = 12;

const fn describe_scope(grant: &SuggestedGrant) -> &'static str {
    match grant.scope {
        Scope::Project => "for the project, until its review",
        Scope::Once | Scope::Until | Scope::Run | Scope::Session => {
            "for the session, a day at most"
        }
    }
}

fn apply(
    args: &GrantsSuggestArgs,
    client: &OperatorClient,
    list: &SuggestionsResponse,
    number: u64,
) -> Result<Exit, Failure> {
    let at = usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
    let Some(suggestion) = list.suggestions.get(at) else {
        let message = format!("there is no suggestion {number}");
        return Err(Failure::usage(message, "`countersign grants suggest` lists them"));
    };
    let Some(grant) = &suggestion.grant else { return Err(print_rule(suggestion)?) };
    let mut terminal = Tty::open()?;
    if !is_confirmed(&mut terminal, number, suggestion, grant)? {
        out::show(&Page::from_line("nothing was granted"))?;
        return Ok(Exit::Cancelled);
    }
    let response = client.apply_suggestion(&build_request(grant)?)?;
    args.daemon.print(&response, || applied_page(&response))
}

/// Prints what could be added to the graph, and says why nothing was granted.
fn print_rule(suggestion: &Suggestion) -> Result<Failure, Failure> {
    let message = "no session is open that the grant could be given to";
    let Some(rule) = &suggestion.rule else {
        return Ok(Failure::new(message, "apply it while the agent works"));
    };
    let mut page = Page::new();
    draw_rule(&mut page, rule);
    out::show(&page)?;
    Ok(Failure::new(message, "add the lines above to the graph, or apply it while the agent works"))
}

/// The reply must name the request, so that keys typed earlier cannot answer.
fn is_confirmed(
    terminal: &mut Tty,
    number: u64,
    suggestion: &Suggestion,
    grant: &SuggestedGrant,
) -> Result<bool, Failure> {
    let wanted = format!("grant {}", short_id(&grant.request.to_string()));
    let mut page = Page::new();
    draw_suggestion(&mut page, number, suggestion);
    page.text(&format!("Type `{wanted}` to give it; anything else changes nothing: "));
    if terminal.ask(&page)? != wanted {
        return Ok(false);
    }
    match grant.second {
        SecondConfirmation::NotNeeded => Ok(true),
        SecondConfirmation::Needed => {
            let mut page = Page::new();
            page.text("It carries high risk in the whole project. Type `yes` to confirm: ");
            Ok(terminal.ask(&page)? == "yes")
        }
    }
}

fn build_request(grant: &SuggestedGrant) -> Result<ApplySuggestionRequest, Failure> {
    let session = SessionName::parse(&grant.session)
        .map_err(|error| Failure::new(error.to_string(), "list the suggestions again"))?;
    Ok(ApplySuggestionRequest {
        session,
        request: grant.request,
        covers: grant.covers,
        scope: match grant.scope {
            Scope::Project => SuggestedScope::Project,
            Scope::Once | Scope::Until | Scope::Run | Scope::Session => SuggestedScope::Session,
        },
        confirm: match grant.second {
            SecondConfirmation::NotNeeded => None,
            SecondConfirmation::Needed => Some(fit_bounds("confirmation", "yes".to_owned())?),
        },
    })
}

fn applied_page(response: &GrantResponse) -> Page {
    let mut page = added_page(response);
    let id = response.grant.id.to_string();
    page.text(&format!("undo: `countersign grants revoke {}`", short_id(&id))).end();
    page
}
