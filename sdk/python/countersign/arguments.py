"""The arguments of a call: what is sent, what is shown, and whether they are still the same.

JSON is sent as it is. Another value needs a declared encoder: its bytes are hashed, and their
beginning is shown. What the operator approves is what they could see, so the arguments are encoded
once more before the function runs, and a change stops the call.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .errors import Denied

Encoder = Callable[[Any], "bytes | str"]

# A value that is not sent itself has this key instead.
HELD = "countersign:held"
# Of what an encoder returns, this much is shown.
SHOWN_CHARACTERS = 200
MAX_DEPTH = 64
# JSON numbers beyond this are not the same number to every reader.
MAX_EXACT = 2**53


class ArgumentRules:
    """How the arguments of one function are sent."""

    def __init__(
        self,
        function: Callable[..., Any],
        shown: Iterable[str] | None,
        secret: Iterable[str],
        encoders: Mapping[str, Encoder],
    ) -> None:
        self.name = getattr(function, "__qualname__", repr(function))
        self.signature = inspect.signature(function)
        self.shown = None if shown is None else frozenset(shown)
        self.secret = frozenset(secret)
        self.encoders = dict(encoders)
        named = (self.shown or frozenset()) | self.secret | frozenset(self.encoders)
        for name in sorted(named - frozenset(self.signature.parameters)):
            raise TypeError(f"{self.name} has no parameter {name!r}")

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments of one call, with those that have a default."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return Arguments(self, bound)

    def from_record(self, record: Any) -> inspect.BoundArguments | None:
        """The arguments of a stored call. None if only another process has them."""
        if self.secret or not isinstance(record, dict) or _holds_mark(record):
            return None
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            if name not in record:
                return None
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(record[name])
            elif parameter.kind is parameter.VAR_KEYWORD:
                named.update(record[name])
            elif parameter.kind is parameter.KEYWORD_ONLY:
                named[name] = record[name]
            else:
                positional.append(record[name])
        return self.signature.bind(*positional, **named)

    def encode(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as they are sent."""
        return {name: self._encode_one(name, value) for name, value in values.items()}

    def _encode_one(self, name: str, value: Any) -> Any:
        encoder = self.encoders.get(name)
        if name in self.secret:
            # The daemon replaces what stands under this name before it writes anything.
            text = value if isinstance(value, str) else _dump(_require_json(self.name, name, value))
            return {"secret": text}
        if encoder is None:
            value = _require_json(self.name, name, value)
            return value if self.shown is None or name in self.shown else _hold(_dump(value), "")
        encoded = encoder(value)
        data = encoded.encode() if isinstance(encoded, str) else bytes(encoded)
        is_shown = self.shown is None or name in self.shown
        return _hold(data, data.decode("utf-8", "replace") if is_shown else "")


class Arguments:
    """The arguments of one call, live and as they were sent."""

    def __init__(self, rules: ArgumentRules, bound: inspect.BoundArguments) -> None:
        self.rules = rules
        self.bound = bound
        self.sent = rules.encode(bound.arguments)
        self._text = _dump(self.sent)

    def keep(self) -> Arguments:
        """The same with the values that were sent, where they are all that is needed: what the
        caller changes later does not matter then."""
        bound = self.rules.from_record(json.loads(self._text))
        return self if bound is None else Arguments(self.rules, bound)

    def check_unchanged(self, operation_id: str) -> None:
        """Refuses to run with other arguments than those that were decided."""
        if _dump(self.rules.encode(self.bound.arguments)) != self._text:
            raise Denied(
                "arguments_changed",
                f"the arguments of {self.rules.name} changed after they were sent",
                operation_id=operation_id,
            )


def _hold(data: bytes | str, shown: str) -> dict[str, Any]:
    import hashlib

    data = data.encode() if isinstance(data, str) else data
    held: dict[str, Any] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    if shown:
        held["shown"] = shown[:SHOWN_CHARACTERS]
    return {HELD: held}


def _holds_mark(value: Any) -> bool:
    if isinstance(value, dict):
        return HELD in value or any(_holds_mark(one) for one in value.values())
    return isinstance(value, list) and any(_holds_mark(one) for one in value)


def _dump(value: Any) -> str:
    return json.dumps(value, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _require_json(function: str, name: str, value: Any, depth: int = 0) -> Any:
    """A copy in which only the types of JSON occur."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int) and abs(value) <= MAX_EXACT:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    if depth < MAX_DEPTH and isinstance(value, (list, tuple)):
        return [_require_json(function, name, one, depth + 1) for one in value]
    if depth < MAX_DEPTH and isinstance(value, dict) and all(type(key) is str for key in value):
        return {key: _require_json(function, name, one, depth + 1) for key, one in value.items()}
    kind = type(value).__name__
    raise Denied(
        "not_json",
        f"the argument {name!r} of {function} is not JSON ({kind}); declare how it is encoded: "
        f"@requires_consent(…, encode={{{name!r}: function}})",
    )
