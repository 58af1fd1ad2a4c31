"""Gate your own functions: one decorator, and a function waits for a person when it matters.

    from countersign import requires_consent

    @requires_consent("tasks.create", risk="moderate", target="title")
    def create_task(title: str) -> None: ...

Code that shares the process of an application shares its authority: an agent that can run code here
is the application.
"""

from .arguments import Encoder
from .asking import Permission, request_permission, request_permission_async
from .errors import CountersignError, Denied, NotReplayable, Pending, Unavailable
from .gate import requires_consent
from .gestures import user_initiated
from .parked import resume_parked, retry, retry_async
from .reducers import RiskReducer, list_risk_reducers, reduces_risk_for
from .runtime import configure
from .workflows import workflow

__all__ = [
    "CountersignError",
    "Denied",
    "Encoder",
    "NotReplayable",
    "Pending",
    "Permission",
    "RiskReducer",
    "Unavailable",
    "configure",
    "list_risk_reducers",
    "reduces_risk_for",
    "request_permission",
    "request_permission_async",
    "requires_consent",
    "resume_parked",
    "retry",
    "retry_async",
    "user_initiated",
    "workflow",
]
