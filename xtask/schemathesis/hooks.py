"""Lets what Schemathesis tries reach things that exist.

Before the first case a few calls, runs, proposals and records are made. Afterwards two of three
ids and sessions that are valid are replaced by those; what is wrong on purpose stays as it is.
"""

import hashlib
import http.client
import itertools
import json
import os
import re
import urllib.parse

import schemathesis
from doors import TOKEN, operators
from schemathesis.generation.meta import TestPhase

# Who has both tokens of the agents' plane.
AGENT = "tried"
# Each round has one of its own.
SESSION = f"known-{TOKEN.split('_')[1]}"
# For what follows from an earlier case: nothing is stopped there, so that each step is possible.
FOLLOWING = f"{SESSION}-following"
COUNT = itertools.count()
NAME = re.compile(r"^[A-Za-z0-9._-]{1,64}$")
ID = re.compile(r"^(op|run|req|grant|ges|prop|notice)_[0-9a-f]{32}$")
DIGEST = re.compile(r"^([0-9a-f]{6}…[0-9a-f]{6}|[0-9a-f]{64})$")


def ask(plane, method, path, body=None):
    place = urllib.parse.urlsplit(os.environ[f"COUNTERSIGN_{plane}"])
    token = operators() if plane == "OPERATOR" else os.environ["COUNTERSIGN_AGENT_TOKEN"]
    line = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    line.request(method, path, None if body is None else json.dumps(body), headers)
    answer = line.getresponse()
    said = json.loads(answer.read())
    line.close()
    if answer.status != 200:
        raise RuntimeError(f"{method} {path}: {said}")
    return said


def open_cards():
    """All open requests, page by page."""
    cards, after = [], ""
    while True:
        page = ask("OPERATOR", "GET", f"/v1/requests?limit=500{after}")
        cards.extend(page["requests"])
        if page.get("next") is None:
            return cards
        after = f"&after={page['next']}"


def known():
    """Ids by their prefix, and the digest of each request."""
    def check(**call):
        return ask("AGENT", "POST", "/v1/check", {"session": SESSION, **call})

    # An earlier case may have said stop, which holds for the next sessions of the agent too.
    if check(tool="Write", args={"path": "/srv/first"})["reason"] == "stopped":
        ask("OPERATOR", "POST", "/v1/resume", {"agent": AGENT})
    calls = [check(tool="Write", args={"path": f"/srv/{n}"})["operation_id"] for n in range(12)]
    calls.append(check(tool="Pay", args={"payee": "Acme", "amount": "42.00 USD"})["operation_id"])
    reads = [check(tool="Read", args={"path": f"/srv/{n}"})["operation_id"] for n in range(8)]
    calls.extend(reads)
    check(actions=["files.wipe"])
    runs = [
        ask("AGENT", "POST", "/v1/runs", {"session": SESSION, "workflow": name})["run_id"]
        for name in ["tidy", "publish"]
    ]
    change = {
        "session": SESSION,
        "action": "self.prompt",
        "diff": {"before": "kind", "after": "brief"},
        "undo": "put it back",
    }
    proposed = [ask("AGENT", "POST", "/v1/proposals", change)["proposal_id"] for _ in range(3)]
    cards = open_cards()
    first = next(card for card in cards if calls[0] in card["calls"])
    answer = {"digest": first["digest"], "choice": "session"}
    ask("OPERATOR", "POST", f"/v1/requests/{first['request']}/answer", answer)
    grants = ask("OPERATOR", "GET", "/v1/grants")["grants"]
    notices = ask("OPERATOR", "GET", "/v1/notices")["notices"]
    return {
        "op": calls,
        "run": runs,
        "prop": proposed,
        "req": [card["request"] for card in cards],
        "grant": [grant["id"] for grant in grants],
        "notice": [notice["id"] for notice in notices],
    }, {card["request"]: card["digest"] for card in cards}


KNOWN, DIGESTS = known()


def chance(*about):
    """A number that only depends on what is tried, so that a run can be repeated."""
    text = json.dumps(about, sort_keys=True, default=str)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def replaced(value, seed):
    found = ID.match(value) if isinstance(value, str) else None
    several = KNOWN.get(found.group(1)) if found else None
    return several[seed % len(several)] if several and seed % 3 else value


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from texts(name)
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what a schema cannot say: names are 256 bytes long at most, and not only 256
    characters; and they hold no tag characters, which few patterns can name."""
    for text in texts([case.path_parameters, case.query, case.body]):
        if any(0xE0000 <= ord(c) <= 0xE0FFF for c in text):
            return False
        if len(text) <= 256 < len(text.encode("utf-8", "replace")):
            return False
    return True


# What the graph of these trials knows, by the field that names it.
SENSIBLE = {
    "workflow": ["tidy", "publish"],
    "tool": ["Read", "Write", "Bash", "Pay"],
    "action": ["self.prompt", "files.read", "files.write"],
    "actions": [["files.read"], ["files.write"], ["files.read", "files.write"]],
    "text": ["stop", "/publish", "Show active allowlist", "DRY RUN: look", "yes"],
}


# What leads on from there, always.
STEPS = {"workflow": ["tidy"], "tool": ["Read", "Write"], "action": ["self.prompt"]}


def sensible(fields, seed, known):
    """Two of three values that fit are replaced by such as lead somewhere."""
    for place, name in enumerate(list(fields)):
        several = known.get(name)
        if several and fields[name] and (known is STEPS or chance(seed, place) % 3):
            fields[name] = several[seed % len(several)]


def waiting():
    """A call that asks, whatever was granted before: nobody knows its tool."""
    call = {"session": SESSION, "tool": f"Fresh{next(COUNT)}"}
    return ask("AGENT", "POST", "/v1/check", call)["operation_id"]


def allowed():
    call = {"session": SESSION, "tool": "Read", "args": {"path": "/srv/fresh"}}
    return ask("AGENT", "POST", "/v1/check", call)["operation_id"]


def running():
    return ask("AGENT", "POST", "/v1/runs", {"session": SESSION, "workflow": "tidy"})["run_id"]


def asked():
    call = waiting()
    cards = open_cards()
    card = next(card for card in cards if call in card["calls"])
    DIGESTS[card["request"]] = card["digest"]
    return card["request"]


# Things that one case uses up: each gets its own.
FRESH = {
    "/v1/operations/{id}/outcome": allowed,
    "/v1/operations/{id}/cancel": waiting,
    "/v1/runs/{id}/end": running,
    "/v1/requests/{id}/answer": asked,
}


# What only means something as a whole.
WHOLE = {
    "/v1/requests/{id}/answer": [
        {"digest": "0" * 64, "choice": "once", "note": "only this one"},
        {"digest": "0" * 64, "choice": "decline"},
        {"digest": "0" * 64, "choice": "session", "surface": "desk"},
    ],
    "/v1/grants": [
        {"session": SESSION, "action": "files.write"},
        {"session": SESSION, "command": "git status", "seconds": 60},
        {"session": SESSION, "action": "files.read", "scope": "once"},
    ],
}


@schemathesis.hook
def map_case(context, case):
    body = case.body if isinstance(case.body, dict) else {}
    seed = chance(case.path_parameters, case.query, body)
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if fits and body and seed % 4 and case.path in WHOLE:
        case.body = body = dict(WHOLE[case.path][seed % len(WHOLE[case.path])])
    # What follows from an earlier case has its ids from there.
    follows = case.meta is not None and case.meta.phase.name == TestPhase.STATEFUL
    if isinstance(case.path_parameters, dict) and "id" in case.path_parameters and not follows:
        fresh = FRESH.get(case.path) if fits and seed % 3 else None
        id = fresh() if fresh else replaced(case.path_parameters["id"], seed)
        case.path_parameters["id"] = id
    for fields in [case.query, body]:
        if not isinstance(fields, dict):
            continue
        for name in list(fields):
            fields[name] = fields[name] if follows else replaced(fields[name], seed)
        session = fields.get("session")
        if isinstance(session, str) and (fits or NAME.match(session)) and (seed % 3 or follows):
            fields["session"] = FOLLOWING if follows else SESSION
        if fits:
            sensible(fields, seed, STEPS if follows else SENSIBLE)
    if fits and isinstance(case.query, dict) and "from" in case.query and seed % 3:
        case.query["from"] = seed % 30
    # Waiting is not what is looked at here.
    wait = body.get("wait_ms")
    if isinstance(wait, (int, float)) and not isinstance(wait, bool):
        if 0 <= wait <= 86_400_000 and wait == int(wait):
            body["wait_ms"] = int(wait) % 3
    request = (case.path_parameters or {}).get("id")
    digest = body.get("digest")
    if isinstance(digest, str) and DIGEST.match(digest):
        body["digest"] = DIGESTS.get(request, digest)
    return case
