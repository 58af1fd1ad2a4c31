"""Where the daemon is, and as whom this process speaks: found as `countersign gate` finds them.

`pathlib` is not used: it takes longer to import than this library.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

START = "start it with `countersign serve`, in a terminal of its own"


class Place(NamedTuple):
    """How to reach the daemon."""

    socket: str
    token: str | None


def find_place(socket: str | None = None, token: str | None = None) -> Place:
    """The named socket and token, else those of the environment, the settings and the defaults."""
    socket = socket or os.environ.get("COUNTERSIGN_SOCKET") or _socket_of_settings()
    if not socket:
        socket = os.path.join(_data_folder(), "agent.sock")
    return Place(socket, token or os.environ.get("COUNTERSIGN_TOKEN") or None)


def describe_missing(socket: str) -> str:
    """The sentence for a daemon that does not answer."""
    return f"no Countersign daemon answers at {socket}, so nothing runs; {START}"


def default_session() -> str:
    """The name of the program: the same program takes up its own session again."""
    named = os.environ.get("COUNTERSIGN_SESSION")
    if named:
        return named
    script = sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-c", "-m") else "python"
    stem = os.path.splitext(os.path.basename(script))[0]
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in stem)[:100] or "python"


def _data_folder() -> str:
    named = os.environ.get("COUNTERSIGN_DATA") or _settings().get("data")
    if named:
        return os.path.expanduser(named)
    return os.path.join(_base_folder("XDG_DATA_HOME", "~/.local/share"), "countersign")


def _socket_of_settings() -> str | None:
    named = _settings().get("agent.socket")
    return os.path.expanduser(named) if named else None


def _base_folder(variable: str, otherwise: str) -> str:
    named = os.environ.get(variable, "")
    return named if named.startswith("/") else os.path.expanduser(otherwise)


def _settings() -> dict[str, str]:
    """The plain texts of the settings file. The daemon checks the file; only two keys count here."""
    base = _base_folder("XDG_CONFIG_HOME", "~/.config")
    try:
        with open(os.path.join(base, "countersign", "settings.toml"), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return {}
    found: dict[str, str] = {}
    table = ""
    for line in map(str.strip, lines):
        if line.startswith("[") and line.endswith("]"):
            table = line[1:-1].strip() + "."
        elif "=" in line and not line.startswith("#"):
            key, _, value = (part.strip() for part in line.partition("="))
            if len(value) > 1 and value[0] in "\"'" and value[0] in value[1:]:
                found[table + key] = value[1 : value.index(value[0], 1)]
    return found
