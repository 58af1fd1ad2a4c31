"""Where in the program a call is made: inside which call, run and click.

Context variables follow `await` and tasks by themselves, and threads that are started with
`contextvars.copy_context().run`.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class RunningCall:
    """A gated call while its function runs."""

    operation_id: str
    parent_token: str | None
    outer: RunningCall | None
    is_running: bool = True


@dataclass(frozen=True)
class RunPlace:
    """The run and the step that calls belong to."""

    run_id: str
    step: str | None = None


@dataclass
class Click:
    """A click of a person, as long as it is open."""

    gesture_id: str
    declares: frozenset[str] = field(default_factory=frozenset)
    is_open: bool = True


running_call: ContextVar[RunningCall | None] = ContextVar("countersign_call", default=None)
run_place: ContextVar[RunPlace | None] = ContextVar("countersign_run", default=None)
click: ContextVar[Click | None] = ContextVar("countersign_click", default=None)


def find_parent() -> RunningCall | None:
    """The innermost call that still runs. A task can outlive the call that started it."""
    call = running_call.get()
    while call is not None and not call.is_running:
        call = call.outer
    return call
