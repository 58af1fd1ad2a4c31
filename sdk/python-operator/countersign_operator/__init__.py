"""For programs of the person who answers Countersign's questions.

This is a distribution of its own, so that an application does not carry it. The boundary is the
credential: the operator's socket takes only the operator's user, and its port only the token in
`operator.token`. Keep both out of reach of agents and applications.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from countersign.errors import CountersignError
from countersign.http import Connections, Refused, Request
from countersign.locate import Place, find_place

__all__ = ["Card", "Grant", "Operator", "OperatorError"]


class OperatorError(CountersignError):
    """The daemon did not do what was asked; the sentence says why, and what to do."""


class Card(NamedTuple):
    """A question, as a person should see it before they answer."""

    request_id: str
    risk: str
    digest: str
    lines: list[str]
    fields: dict[str, Any]


class Grant(NamedTuple):
    """A stored permission."""

    grant_id: str
    fields: dict[str, Any]


class Operator:
    """The operator's plane of the daemon on this machine."""

    def __init__(self, token: str | None = None, socket: str | None = None) -> None:
        if socket is None:
            socket = str(Path(find_place().socket).with_name("operator.sock"))
        self._connections = Connections(Place(socket, token))

    def requests(self) -> list[Card]:
        """The open questions, the oldest first."""
        return [_read_card(view) for view in self._pages("/v1/requests", "requests", "after")]

    def mark_shown(self, request_id: str, surface: str, *, whole: bool = False) -> None:
        """Reports that this program has shown a card to the person: all of it, if `whole`."""
        shown = "whole" if whole else "card"
        body = {"request": request_id, "surface": surface, "evidence": "requested", "shown": shown}
        self._post("/v1/deliveries", body)

    def answer(
        self,
        card: Card,
        choice: str,
        *,
        note: str = "",
        confirm: str | None = None,
        surface: str | None = None,
    ) -> None:
        """Answers a question as its card was shown: `once`, `run`, `15m`, `session`, `project` or
        `decline`. A call that has changed meanwhile is not covered."""
        body: dict[str, Any] = {"digest": card.digest, "choice": choice, "note": note}
        if confirm is not None:
            body["confirm"] = confirm
        if surface is not None:
            body["surface"] = surface
        self._post(f"/v1/requests/{quote(card.request_id)}/answer", body)

    def answer_items(
        self, card: Card, choices: dict[str, str], *, note: str = "", surface: str | None = None
    ) -> None:
        """Answers a question with several items: a choice for each action."""
        body: dict[str, Any] = {"digest": card.digest, "items": choices, "note": note}
        if surface is not None:
            body["surface"] = surface
        self._post(f"/v1/requests/{quote(card.request_id)}/answer", body)

    def list_active_grants(self) -> list[Grant]:
        """The grants in force, the newest first."""
        views = self._pages("/v1/grants", "grants", "before")
        return [Grant(str(view.get("id", view.get("grant_id"))), view) for view in views]

    def revoke_grant(self, grant_id: str) -> bool:
        """Ends a grant at once. False if it was not in force any more."""
        return bool(self._post("/v1/revoke", {"grant": grant_id})["revoked"])

    def _pages(self, path: str, key: str, cursor: str) -> Iterator[dict[str, Any]]:
        query = ""
        while True:
            page = self._send(Request("GET", path + query))
            yield from page[key]
            if not page.get("next"):
                return
            query = f"?{cursor}={quote(str(page['next']))}"

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._send(Request("POST", path, body))

    def _send(self, request: Request) -> dict[str, Any]:
        try:
            reply: dict[str, Any] = self._connections.send(request)
        except Refused as refused:
            raise OperatorError(str(refused)) from None
        return reply


def _read_card(view: dict[str, Any]) -> Card:
    return Card(view["request"], view["risk"], view["digest"], view["lines"], view)
