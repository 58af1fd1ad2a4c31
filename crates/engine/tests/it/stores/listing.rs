//! Lists of grants and ids by a part of them: the same from every store, a page at a time.

use super::contract::Backend;
use crate::world::{call, on, owner, session, yes};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::ids::{GrantId, RequestId};
use countersign_core::model::names::{Action, Agent, Project, SessionKey, SessionName};
use countersign_core::model::request::{Answer, AnswerChoices, RequestState, Subject};
use countersign_core::model::words::{Choice, Effect, Ending};
use countersign_core::steps::grant_directly::DirectGrantRefusal;
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{
    AnswerTarget, CheckResult, ClosedRequestQuery, DirectGrant, DirectGrantResult, Engine,
    GrantOwnerFilter, GrantQuery, GrantStatusFilter, Memory, ObjectKind, SessionOwner, Store,
    UselessGrantPolicy,
};

fn named(name: &str) -> SessionKey {
    SessionKey::parse(&format!("agent-1 {name}")).unwrap()
}

fn writing() -> Coverage {
    Coverage::Action(Action::parse("files.write").unwrap())
}

fn give<S: Store>(
    engine: &Engine<S>,
    session: &str,
    coverage: Coverage,
    (scope, confirmation): (Scope, Confirmation),
) -> DirectGrantResult {
    let (session, ends_at, if_useless) = (named(session), None, UselessGrantPolicy::Refuse);
    let wanted = DirectGrant { session, coverage, scope, ends_at, confirmation, if_useless };
    engine.grant_directly(&wanted).unwrap()
}

fn given<S: Store>(engine: &Engine<S>, session: &str, scope: Scope) -> GrantId {
    let done = give(engine, session, writing(), (scope, Confirmation::Plain));
    let DirectGrantResult::Granted { grant, .. } = done else { panic!("{done:?}") };
    grant.id
}

/// All pages, each of so many.
fn all<S: Store>(
    engine: &Engine<S>,
    which: GrantStatusFilter,
    of: GrantOwnerFilter,
    most: usize,
) -> Vec<GrantId> {
    let mut listing = GrantQuery { status: which, owner: of, before: None, limit: most };
    let mut found = Vec::new();
    loop {
        let page = engine.list_grants(&listing).unwrap();
        assert!(page.grants.len() <= most);
        assert!(page.grants.iter().all(|id| page.state.grants.get(*id).is_some()));
        found.extend(page.grants);
        let Some(next) = page.next else { return found };
        listing.before = Some(next);
    }
}

pub(super) fn grants_are_listed_page_by_page(backend: &impl Backend) {
    let engine = on(backend.open());
    let project = Project::parse("/w").unwrap();
    engine.open_session(&SessionOwner::from_key(named("s2")), Some(&project)).unwrap();
    let pending = engine.check(&call("files.write")).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    engine.answer(AnswerTarget::Call(operation), &yes()).unwrap();
    let redeemed = engine.retry(operation, &owner()).unwrap();
    let CheckResult::Allowed { permit, .. } = redeemed else { panic!("{redeemed:?}") };
    engine.complete(&permit.complete(Effect::Done)).unwrap();
    let used = all(&engine, GrantStatusFilter::Used, GrantOwnerFilter::Anyone, 10);
    let one = given(&engine, session().name(), Scope::Session);
    let two = given(&engine, "s2", Scope::Project);
    let three = given(&engine, "s2", Scope::Once);
    let taken = given(&engine, "s2", Scope::Session);
    engine.revoke(&named("s2"), &Revoke::Grants(vec![taken])).unwrap();

    // What was given in the same millisecond comes in any order, and always in the same.
    let newest = |ids: &[GrantId]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable_by(|one, two| two.cmp(one));
        ids
    };
    for most in [1, 2, 10] {
        let list = |which, of| all(&engine, which, of, most);
        assert_eq!(
            list(GrantStatusFilter::InForce, GrantOwnerFilter::Anyone),
            newest(&[three, two, one]),
            "{most}"
        );
        assert_eq!(
            list(GrantStatusFilter::InForce, GrantOwnerFilter::Session(named("s2"))),
            newest(&[three, two])
        );
        assert_eq!(
            list(GrantStatusFilter::InForce, GrantOwnerFilter::Project(project.clone())),
            [two]
        );
        assert_eq!(list(GrantStatusFilter::InForce, GrantOwnerFilter::AnyProject), [two]);
        assert_eq!(list(GrantStatusFilter::Used, GrantOwnerFilter::Anyone), used);
        assert_eq!(
            list(GrantStatusFilter::Used, GrantOwnerFilter::Session(named("s2"))),
            Vec::<GrantId>::new()
        );
        assert_eq!(
            list(GrantStatusFilter::All, GrantOwnerFilter::Anyone),
            newest(&[taken, three, two, one, used[0]])
        );
        assert_eq!(
            list(GrantStatusFilter::All, GrantOwnerFilter::Session(named("s2"))),
            newest(&[taken, three, two])
        );
        assert_eq!(
            list(GrantStatusFilter::All, GrantOwnerFilter::Session(named("nobody"))),
            Vec::<GrantId>::new()
        );
    }
    let listing = GrantQuery {
        status: GrantStatusFilter::Used,
        owner: GrantOwnerFilter::Anyone,
        before: None,
        limit: 5,
    };
    let page = engine.list_grants(&listing).unwrap();
    let spent = page.state.grants.get(used[0]).unwrap();
    assert_eq!(spent.used.unwrap().by, operation);
    assert!(page.state.requests.get(&spent.request.unwrap()).is_some());
    assert!(page.state.calls.contains_key(&operation));
    let sessions: Vec<SessionKey> =
        engine.sessions_with_grants().unwrap().iter().cloned().collect();
    assert_eq!(sessions, [session(), named("s2")]);
}

pub(super) fn closed_requests_are_listed_page_by_page(backend: &impl Backend) {
    let engine = on(backend.open());
    let ask = |agent: &str, target: &str| {
        let mut draft = call("files.write");
        draft.agent = Agent::parse(agent).unwrap();
        draft.session = SessionKey::parse(&format!("{agent} s1")).unwrap();
        draft.target = vec![target.to_owned()];
        let pending = engine.check(&draft).unwrap();
        let CheckResult::Pending { call, .. } = pending else { panic!("{pending:?}") };
        (call, engine.read_call(call).unwrap().calls.get(&call).unwrap().requests[0])
    };
    let mut closed: Vec<RequestId> = ["a", "b", "c"]
        .iter()
        .map(|target| {
            let (operation, request) = ask("agent-1", target);
            let say = if *target == "b" { Choice::Decline } else { Choice::Once };
            let answer = Answer { say: AnswerChoices::One(say), ..yes() };
            engine.answer(AnswerTarget::Call(operation), &answer).unwrap();
            request
        })
        .collect();
    closed.sort_unstable_by(|one, two| two.cmp(one));
    ask("agent-1", "open");
    let (other, others_request) = ask("agent-2", "a");
    engine.answer(AnswerTarget::Call(other), &yes()).unwrap();
    let list = |agent: &str, limit| {
        let agent = Agent::parse(agent).unwrap();
        let mut query = ClosedRequestQuery { agent, before: None, limit };
        let mut found = Vec::new();
        loop {
            let page = engine.list_closed_requests(&query).unwrap();
            assert!(page.requests.len() <= limit);
            for id in &page.requests {
                let Subject::Calls(calls) = &page.state.requests.get(id).unwrap().subject else {
                    panic!("{id}")
                };
                assert!(page.state.calls.contains_key(&calls[0]));
            }
            found.extend(page.requests);
            let Some(next) = page.next else { return found };
            query.before = Some(next);
        }
    };
    for limit in [1, 2, 3, 10] {
        assert_eq!(list("agent-1", limit), closed, "{limit}");
        assert_eq!(list("agent-2", limit), [others_request]);
        assert_eq!(list("agent-3", limit), Vec::<RequestId>::new());
    }
    // A card comes with the approvals of its agent.
    let (_, asking) = ask("agent-1", "d");
    let state = engine.read_cards(&[asking]).unwrap();
    let is_approved = |id: &&RequestId| {
        let request = state.requests.get(id);
        request.is_some_and(|r| r.state == RequestState::Closed(Ending::Approved))
    };
    assert_eq!(closed.iter().filter(is_approved).count(), 2);
}

pub(super) fn an_id_is_found_by_its_beginning(backend: &impl Backend) {
    let engine = on(backend.open());
    engine.check(&call("files.read")).unwrap();
    let id = given(&engine, session().name(), Scope::Session).to_string();
    for part in [id.as_str(), &id[..30], &id[..12], &id[..7], &id[..3], "g"] {
        let found = engine.find_ids(ObjectKind::Grant, part, 5).unwrap();
        assert_eq!(found.as_slice(), std::slice::from_ref(&id), "{part}");
        assert_eq!(engine.find_ids(ObjectKind::Request, part, 5).unwrap(), Vec::<String>::new());
    }
    let middle = format!("g{}", &id[14..24]);
    assert_eq!(engine.find_ids(ObjectKind::Grant, &middle, 5).unwrap(), Vec::<String>::new());
    let end = &id[id.len() - 6..];
    assert_eq!(engine.find_ids(ObjectKind::Grant, end, 5).unwrap(), Vec::<String>::new());
    assert_eq!(engine.find_ids(ObjectKind::Grant, "%", 5).unwrap(), Vec::<String>::new());
    assert_eq!(engine.find_ids(ObjectKind::Grant, "' OR 1", 5).unwrap(), Vec::<String>::new());
    given(&engine, session().name(), Scope::Once);
    assert_eq!(engine.find_ids(ObjectKind::Grant, "g", 5).unwrap().len(), 2);
    assert_eq!(engine.find_ids(ObjectKind::Grant, "g", 1).unwrap().len(), 1);
}

#[test]
fn what_no_grant_carries_is_not_given() {
    let engine = on(Memory::empty());
    engine.check(&call("files.read")).unwrap();
    let give_here = |coverage, scope, confirmation| {
        give(&engine, session().name(), coverage, (scope, confirmation))
    };
    let action = |name: &str| Coverage::Action(Action::parse(name).unwrap());
    let plain = |coverage| give_here(coverage, Scope::Session, Confirmation::Plain);
    let blocked = DirectGrantRefusal::Blocked(Action::parse("files.wipe").unwrap());
    assert_eq!(plain(action("files.wipe")), DirectGrantResult::Withheld(blocked));
    let unlisted = DirectGrantRefusal::Unlisted(Action::parse("nobody.knows").unwrap());
    assert_eq!(plain(action("nobody.knows")), DirectGrantResult::Withheld(unlisted));
    let category = |name: &str| {
        Coverage::Category(countersign_core::model::category::Category::parse(name).unwrap())
    };
    let critical = DirectGrantRefusal::Critical("category purchase".to_owned());
    assert_eq!(plain(category("purchase")), DirectGrantResult::Withheld(critical));
    let twice = DirectGrantRefusal::NotConfirmed("category git_push".to_owned());
    let project = |confirmation| give_here(category("git_push"), Scope::Project, confirmation);
    assert_eq!(project(Confirmation::Plain), DirectGrantResult::Withheld(twice));
    assert!(matches!(project(Confirmation::Confirmed), DirectGrantResult::Granted { .. }));
    assert!(matches!(
        plain(Coverage::Everything),
        DirectGrantResult::Withheld(DirectGrantRefusal::NotNamed(_))
    ));
    let nobody = give(&engine, "nobody", writing(), (Scope::Session, Confirmation::Plain));
    assert_eq!(nobody, DirectGrantResult::NoSession);
}

#[test]
fn only_a_projects_grant_that_stands_is_kept_at_its_review() {
    let engine = on(Memory::empty());
    engine
        .open_session(&SessionOwner::from_key(named("s2")), Some(&Project::parse("/w").unwrap()))
        .unwrap();
    let (of_project, of_session) =
        (given(&engine, "s2", Scope::Project), given(&engine, "s2", Scope::Session));
    assert_eq!(engine.keep_grants(&[of_project, of_session]).unwrap(), [of_project]);
    engine.revoke(&named("s2"), &Revoke::Grants(vec![of_project])).unwrap();
    assert_eq!(engine.keep_grants(&[of_project]).unwrap(), Vec::<GrantId>::new());
}

pub(super) fn sessions_of_all_agents_are_found_by_their_name(backend: &impl Backend) {
    let engine = on(backend.open());
    for key in ["bolt run", "a/b run", "bolt b/run", "bolt other"] {
        let owner = SessionOwner::from_key(SessionKey::parse(key).unwrap());
        engine.open_session(&owner, None).unwrap();
    }
    let found = |text: &str| -> Vec<String> {
        let found = engine.find_sessions(&SessionName::parse(text).unwrap()).unwrap();
        found.iter().map(|session| session.as_str().to_owned()).collect()
    };
    assert_eq!(found("run"), ["a/b run", "bolt run"]);
    assert_eq!(found("bolt/run"), ["bolt run"]);
    assert_eq!(found("a/b/run"), ["a/b run"]);
    assert_eq!(found("b/run"), ["bolt b/run"]);
    assert_eq!(found("bolt/b/run"), ["bolt b/run"]);
    assert!(found("nobody/run").is_empty() && found("nothing").is_empty());
}
