"""Clicks: what a person started in this application needs no second question.

The right is separate from calling the functions: the operator gives it to a credential, for named
actions (`countersign agent add NAME --application --actions … --gestures …`). Use it only where a
person's click leads, never in code that an agent can reach.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import Token
from types import TracebackType

from . import context
from .errors import CountersignError, Denied
from .flows import Flow
from .http import Refused, Request
from .reducers import _read_application
from .runtime import Runtime, current, logger
from .wire import GestureResponse


class user_initiated:
    """Covers the declared actions while the block runs, a minute at most, and nothing critical.

        with user_initiated("dashboard.click", declares=["tasks.create"]):
            create_task(title)

    Without `declares` it covers the single actions that the credential names. Raises `Denied` where
    the credential has no right to it. Also as `async with`.
    """

    def __init__(self, label: str, *, declares: Iterable[str] | None = None) -> None:
        self.label = label
        self.declares = None if declares is None else list(declares)
        self._click: context.Click | None = None
        self._token: Token[context.Click | None] | None = None
        self._runtime: Runtime = current()

    def __enter__(self) -> None:
        self._enter(self._runtime.run(self._open()))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()
        try:
            self._runtime.run(self._close())
        except CountersignError as failure:
            logger.warning("the click %s could not be closed: %s", self.label, failure)

    async def __aenter__(self) -> None:
        self._enter(await self._runtime.run_async(self._open()))

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()
        try:
            await self._runtime.run_async(self._close())
        except CountersignError as failure:
            logger.warning("the click %s could not be closed: %s", self.label, failure)

    def _enter(self, click: context.Click) -> None:
        self._click = click
        self._token = context.click.set(click)

    def _leave(self) -> None:
        # Tasks that were started inside keep the context, but not the click.
        if self._click is not None:
            self._click.is_open = False
        if self._token is not None:
            context.click.reset(self._token)

    def _open(self) -> Flow[context.Click]:
        declares = self.declares
        try:
            if declares is None:
                view = yield from _read_application()
                named = view["rights"].get("gestures", [])
                declares = [action for action in named if not action.endswith(".*")]
            session = self._runtime.session
            body = {"session": session, "label": self.label, "declares": declares}
            made: GestureResponse = yield Request("POST", "/v1/application/gestures", body)
        except Refused as refused:
            raise Denied(refused.code, str(refused)) from None
        return context.Click(made["gesture_id"], frozenset(declares))

    def _close(self) -> Flow[None]:
        if self._click is not None:
            body = {"session": self._runtime.session, "label": self.label}
            yield Request("POST", f"/v1/application/gestures/{self._click.gesture_id}/close", body)
