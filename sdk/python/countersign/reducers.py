"""Functions that call something risky in a safe way.

A declaration here marks the caller. Only the graph's `reducers` reduce anything, and only the operator
writes them: code that could lower its own risk would need no gate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, ParamSpec, TypeVar

from .flows import Flow
from .gate import find_gate
from .http import Request
from .runtime import current
from .wire import ApplicationView

P = ParamSpec("P")
R = TypeVar("R")


class RiskReducer(NamedTuple):
    """While `caller` runs, `action` counts as the risk `to`: if the graph says so."""

    caller: str
    action: str
    to: str
    declared: bool
    in_force: bool


_declared: set[tuple[str, str, str]] = set()


def reduces_risk_for(
    action: str, to: Literal["read_only", "low", "moderate"]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declares a gated function as a safe caller of an action.

    It stands above `@requires_consent`, because the gated call is what the daemon sees around the
    inner one:

        @reduces_risk_for("obsidian.eval_js", "low")
        @requires_consent("briefing.daily")
        def daily_briefing(): ...
    """
    if to not in ("read_only", "low", "moderate"):
        raise TypeError("a risk is reduced to read_only, low or moderate")

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        gate = find_gate(function)
        if gate is None:
            name = getattr(function, "__qualname__", repr(function))
            raise TypeError(f"{name} is not gated: put @requires_consent below @reduces_risk_for")
        _declared.add((gate.action, action, to))
        return function

    return mark


def list_risk_reducers() -> list[RiskReducer]:
    """What is declared in code and what is in force by the graph, between own actions."""
    view = current().run(_read_application())
    in_force = {(one["caller"], one["action"], one["to"]) for one in view["reducers"]}
    return [
        RiskReducer(*one, declared=one in _declared, in_force=one in in_force)
        for one in sorted(_declared | in_force)
    ]


def _read_application() -> Flow[ApplicationView]:
    view: ApplicationView = yield Request("GET", "/v1/application")
    return view
