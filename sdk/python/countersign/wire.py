"""What travels between an application and the daemon.

The names and types are those of `docs/openapi/agent.json`; a test compares the two.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Json = Any  # JSON has no narrower type that mypy can follow without casts everywhere.


class CallContext(TypedDict, total=False):
    parent: str
    gesture: str


class CheckRequest(TypedDict, total=False):
    session: str
    tool: str
    actions: list[str]
    declares: list[str]
    args: dict[str, Json]
    target: list[str]
    categories: list[str]
    risk: str
    irreversible: bool
    reason: str
    fallback: str
    run: str
    step: str
    project: str
    wait_ms: int
    context: CallContext


class CheckResponse(TypedDict, total=False):
    status: Literal["allowed", "pending", "denied", "already_done"]
    outcome: str
    reason: str
    sentence: str
    operation_id: str
    note: str
    announcements: list[str]
    parent_token: str


class OperationResponse(TypedDict):
    operation_id: str
    state: str


class StoredCallResponse(TypedDict):
    operation_id: str
    state: str
    risk: str
    tool: str | None
    actions: list[str]
    args: Json
    redacted: bool


class OwnOperationView(TypedDict, total=False):
    operation_id: str
    actions: list[str]
    state: str
    risk: str


class ConsentResponse(TypedDict, total=False):
    operations: list[OwnOperationView]


class ReducerView(TypedDict):
    caller: str
    action: str
    to: str


class ApplicationRights(TypedDict, total=False):
    actions: list[str]
    gestures: list[str]


class ApplicationView(TypedDict):
    agent: str
    rights: ApplicationRights
    reducers: list[ReducerView]


class GestureResponse(TypedDict):
    gesture_id: str


class StartRunResponse(TypedDict, total=False):
    run_id: str
    status: str
    outcome: str
    reason: str
    sentence: str
    error: str
    note: str


class AskAheadResponse(TypedDict, total=False):
    status: str
    granted: bool
    scope_granted: str
    operator_note: str
    grant_id: str
    reason: str
    sentence: str
    request_id: str | None


class ErrorDetail(TypedDict):
    code: str
    message: str
    remedy: str
