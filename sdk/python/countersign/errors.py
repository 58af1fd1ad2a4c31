"""What a gated call raises instead of running.

No message contains an argument: errors end up in logs, and arguments can be secrets.
"""

from __future__ import annotations


class CountersignError(Exception):
    """Every error of this library."""


class Denied(CountersignError):
    """The call was not allowed, and the function did not run.

    `reason` is Countersign's word for why (`blocked`, `declined_before`, `expired` …), `note` is what
    the operator wrote, and `rule` names the actions whose rule decided.
    """

    def __init__(
        self,
        reason: str,
        sentence: str = "",
        *,
        note: str = "",
        rule: str = "",
        operation_id: str | None = None,
    ) -> None:
        super().__init__(sentence or reason)
        self.reason = reason
        self.sentence = sentence
        self.note = note
        self.rule = rule
        self.operation_id = operation_id


class NotReplayable(Denied):
    """The call can be carried out only by the process that holds its arguments."""

    def __init__(self, operation_id: str, why: str) -> None:
        super().__init__("not_replayable", why, operation_id=operation_id)


class Pending(CountersignError):
    """The operator is asked, and has not answered yet. The function did not run.

    If the answer is yes, this process runs the function with the same arguments;
    `retry(operation_id)` runs it now, or returns what it returned.
    """

    def __init__(self, operation_id: str, sentence: str = "") -> None:
        super().__init__(sentence or f"the operator is asked about {operation_id}")
        self.operation_id = operation_id
        self.sentence = sentence


class Unavailable(CountersignError):
    """No decision could be had, so the function did not run."""
