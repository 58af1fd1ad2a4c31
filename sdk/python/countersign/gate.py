"""`requires_consent`: a function that runs only after a durable allow."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, ParamSpec, TypeVar, cast

from . import context, parked
from .arguments import ArgumentRules, Arguments, Encoder
from .errors import CountersignError, Pending
from .flows import Allowed, check, report
from .runtime import Runtime, current, logger
from .wire import CallContext, CheckRequest

P = ParamSpec("P")
R = TypeVar("R")

RISKS = ("read_only", "low", "moderate", "high", "critical")
# Where a gated function keeps its gate.
GATE = "__countersign_gate__"


class Gate:
    """One function and how its calls are decided."""

    def __init__(
        self,
        function: Callable[..., Any],
        action: str,
        rules: ArgumentRules,
        fields: CheckRequest,
        target: str | Callable[..., str] | None,
        seconds: float | None,
    ) -> None:
        self.function = function
        self.action = action
        self.rules = rules
        self.fields = fields
        self.target = target
        self.seconds = seconds
        self.is_coroutine = inspect.iscoroutinefunction(function)

    def request(self, arguments: Arguments, session: str) -> CheckRequest:
        """The question about one call."""
        call = self.fields.copy()
        call["session"] = session
        call["args"] = arguments.sent
        if self.target is not None:
            call["target"] = [self._find_target(arguments)]
        place = context.run_place.get()
        if place is not None:
            call["run"] = place.run_id
            if place.step is not None:
                call["step"] = place.step
        inside = _find_place()
        if inside:
            call["context"] = inside
        return call

    def _find_target(self, arguments: Arguments) -> str:
        bound = arguments.bound
        if callable(self.target):
            return str(self.target(*bound.args, **bound.kwargs))
        return str(bound.arguments[cast(str, self.target)])

    def call(self, arguments: Arguments) -> Any:
        """Asks, and runs the function if it may run."""
        runtime = current()
        try:
            allowed = runtime.run(check(self.request(arguments, runtime.session), self.seconds))
        except Pending as pending:
            parked.attend(self, pending.operation_id, arguments, runtime)
            raise
        return self.execute(allowed, arguments, runtime)

    async def call_async(self, arguments: Arguments) -> Any:
        """The same for a coroutine."""
        runtime = current()
        flow = check(self.request(arguments, runtime.session), self.seconds)
        try:
            allowed = await runtime.run_async(flow)
        except Pending as pending:
            parked.attend(self, pending.operation_id, arguments, runtime)
            raise
        return await self.execute_async(allowed, arguments, runtime)

    def execute(self, allowed: Allowed, arguments: Arguments, runtime: Runtime) -> Any:
        """Runs the function and reports how it ended."""
        running = Running(allowed, arguments)
        try:
            with running:
                return self.function(*arguments.bound.args, **arguments.bound.kwargs)
        finally:
            try:
                runtime.run(report(allowed.operation_id, runtime.session, running.effect))
            except CountersignError as error:
                _warn_unreported(self, allowed, error)

    async def execute_async(self, allowed: Allowed, arguments: Arguments, runtime: Runtime) -> Any:
        """The same for a coroutine."""
        running = Running(allowed, arguments)
        try:
            with running:
                return await self.function(*arguments.bound.args, **arguments.bound.kwargs)
        finally:
            ended = report(allowed.operation_id, runtime.session, running.effect)
            try:
                await runtime.run_async(ended)
            except CountersignError as error:
                _warn_unreported(self, allowed, error)


class Running:
    """A call while its function runs, and what became of it."""

    def __init__(self, allowed: Allowed, arguments: Arguments) -> None:
        outer = context.find_parent()
        self.frame = context.RunningCall(allowed.operation_id, allowed.parent_token, outer)
        self.arguments = arguments
        self.effect = "failed"

    def __enter__(self) -> None:
        self.arguments.check_unchanged(self.frame.operation_id)
        self._token = context.running_call.set(self.frame)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.frame.is_running = False
        context.running_call.reset(self._token)
        if kind is None:
            self.effect = "done"
        elif not issubclass(kind, Exception):
            # Interrupted or cancelled: how far it came is not known.
            self.effect = "unknown"


def _find_place() -> CallContext:
    inside: CallContext = {}
    parent = context.find_parent()
    if parent is not None and parent.parent_token:
        inside["parent"] = parent.parent_token
    click = context.click.get()
    if click is not None and click.is_open:
        inside["gesture"] = click.gesture_id
    return inside


def _warn_unreported(gate: Gate, allowed: Allowed, error: CountersignError) -> None:
    name, operation = gate.rules.name, allowed.operation_id
    logger.warning("the end of %s (%s) could not be reported: %s", name, operation, error)


def requires_consent(
    action: str,
    *,
    risk: str | None = None,
    target: str | Callable[..., str] | None = None,
    args: Iterable[str] | None = None,
    secret: Iterable[str] = (),
    encode: Mapping[str, Encoder] | None = None,
    categories: Iterable[str] = (),
    declares: Iterable[str] = (),
    irreversible: bool = False,
    reason: str = "",
    wait: float | None = None,
    on_pending: Literal["wait", "raise"] = "wait",
    name: str | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Gates a function or a coroutine: it runs only after Countersign has allowed the call.

    action      what the graph calls the deed, `domain.verb`.
    risk        raises the risk of the graph; it never lowers it.
    target      the name of a parameter, or a function of the arguments: path, recipient, branch.
    args        the parameters that the operator sees; of the others only a hash is sent.
    secret      parameters whose values the daemon seals before it writes anything.
    encode      for parameters that are not JSON: a function to bytes or text. The bytes are hashed
                and their beginning is shown.
    categories  kinds of harm that this call adds.
    declares    actions of gated calls inside: they are asked about together, before it runs.
    wait        seconds to wait for an answer; without it until the question ends.
    on_pending  `"raise"` raises `Pending` instead of waiting. When the answer is yes, this process
                runs the function in the background, with the same arguments.
    name        how the record names the function; by default its module and qualified name.

    The function raises `Denied`, `Pending` or `Unavailable` where it did not run.
    """
    if risk is not None and risk not in RISKS:
        raise TypeError(f"risk is one of {', '.join(RISKS)}")
    if on_pending not in ("wait", "raise"):
        raise TypeError('on_pending is "wait" or "raise"')
    seconds = wait if on_pending == "wait" or wait is not None else 0.0

    def gate_function(function: Callable[P, R]) -> Callable[P, R]:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError("gate the function that does the deed, not a generator")
        rules = ArgumentRules(function, args, secret, encode or {})
        if isinstance(target, str) and target not in rules.signature.parameters:
            raise TypeError(f"{rules.name} has no parameter {target!r} to take as the target")
        fields: CheckRequest = {
            "tool": name or f"{function.__module__}.{rules.name}",
            "actions": [action],
            "declares": list(declares),
            "categories": list(categories),
            "irreversible": irreversible,
            "reason": reason,
        }
        if risk is not None:
            fields["risk"] = risk
        gate = Gate(function, action, rules, fields, target, seconds)
        parked.register(fields["tool"], gate)
        gated = _wrap(gate)
        functools.update_wrapper(gated, function)
        setattr(gated, GATE, gate)
        return cast(Callable[P, R], gated)

    return gate_function


def _wrap(gate: Gate) -> Callable[..., Any]:
    if gate.is_coroutine:

        async def gated_coroutine(*args: Any, **kwargs: Any) -> Any:
            return await gate.call_async(gate.rules.bind(args, kwargs))

        return gated_coroutine

    def gated(*args: Any, **kwargs: Any) -> Any:
        return gate.call(gate.rules.bind(args, kwargs))

    return gated


def find_gate(function: Callable[..., Any]) -> Gate | None:
    """The gate of a gated function."""
    gate = getattr(function, GATE, None)
    return gate if isinstance(gate, Gate) else None


__all__ = ["Gate", "find_gate", "requires_consent"]

