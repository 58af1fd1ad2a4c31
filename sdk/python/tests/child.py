"""An application of its own, which a test kills or lets end."""

from __future__ import annotations

import sys

from countersign import Pending, requires_consent
from countersign.context import running_call
from tests import test_scenarios as functions


@requires_consent("tasks.list")
def hang() -> None:
    call = running_call.get()
    assert call is not None
    print(call.operation_id, flush=True)
    sys.stdin.read()


def park() -> None:
    for function, args in [(functions.create_task, ("from the child",)),
                           (functions.pay, ("printer", "42.00")), (functions.sign, ("key",)),
                           (functions.log_in, ("hunter2",))]:
        try:
            function(*args)
        except Pending as pending:
            print(pending.operation_id, flush=True)


if __name__ == "__main__":
    {"hang": hang, "park": park}[sys.argv[1]]()
