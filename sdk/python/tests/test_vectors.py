"""The shared vectors: what is sent, and what the caller gets, in every language the same."""

from __future__ import annotations

import json
import socket
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

import countersign
from countersign import Denied, requires_consent

VECTORS = Path(__file__).parents[2] / "vectors" / "calls.json"


class Boom(Exception):
    """What a function of a vector raises."""


class Exchange(threading.Thread):
    """Plays one exchange: compares each request, and sends the reply of the vector."""

    def __init__(self, path: str, steps: list[dict[str, Any]]) -> None:
        super().__init__(daemon=True)
        self.steps = steps
        self.problems: list[str] = []
        self.played = 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.start()

    def run(self) -> None:
        while self.played < len(self.steps):
            stream, _ = self.listener.accept()
            with stream, stream.makefile("rb") as reader:
                while (request := _read(reader)) is not None:
                    step = self.steps[self.played]
                    self.played += 1
                    self.problems += _compare(request, step["request"])
                    if step["reply"] == "lost":
                        break
                    stream.sendall(_render(step["reply"]))


def _read(reader: Any) -> dict[str, Any] | None:
    first = reader.readline().decode().split()
    if not first:
        return None
    length = 0
    while line := reader.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return {"method": first[0], "path": first[1], "body": json.loads(reader.read(length))}


def _render(reply: Any) -> bytes:
    status = 200 if reply == "garbled" else reply["status"]
    body = b"<html>" if reply == "garbled" else json.dumps(reply["body"]).encode()
    return b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n%s" % (status, len(body), body)


def _compare(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    problems = [f"{key}: {found[key]!r} != {wanted[key]!r}"
                for key in ("method", "path") if found[key] != wanted[key]]
    for key in found["body"].keys() | wanted["body"].keys():
        one, other = found["body"].get(key), wanted["body"].get(key)
        is_default = other is None and one in ([], "", False, 0, "allowed", None)
        if one != other and other != "*" and not is_default:
            problems.append(f"{key}: {one!r} != {other!r}")
    return problems


class Vectors(unittest.TestCase):
    def test_every_vector(self) -> None:
        vectors = json.loads(VECTORS.read_text())
        self.assertGreater(len(vectors), 15)
        for vector in vectors:
            with self.subTest(vector["name"]), tempfile.TemporaryDirectory() as folder:
                self.play(vector, folder + "/agent.sock")

    def play(self, vector: dict[str, Any], path: str) -> None:
        exchange = Exchange(path, vector["exchange"])
        countersign.configure(socket=path, token="cs_application_test", session="main")
        found = self.outcome_of(vector)
        countersign.configure(socket=path)
        self.assertEqual(exchange.problems, [])
        self.assertEqual(exchange.played, len(vector["exchange"]))
        wanted = vector["result"]
        self.assertEqual({key: found.get(key) for key in wanted}, wanted)

    def outcome_of(self, vector: dict[str, Any]) -> dict[str, Any]:
        described = vector["function"]
        names = described["params"]
        source = f"def f({', '.join(names)}):\n    return check([{', '.join(names)}])"

        def check(values: list[Any]) -> list[Any]:
            if vector.get("fails"):
                raise Boom
            return values

        space: dict[str, Any] = {"check": check, "__name__": "vectors"}
        exec(source, space)
        gated = requires_consent(name=described["name"], **described["options"])(space["f"])
        try:
            return {"value": gated(*vector["args"])}
        except Boom:
            return {"error": "raised"}
        except Denied as denied:
            return {"error": "Denied", "reason": denied.reason, "note": denied.note,
                    "operation_id": denied.operation_id, "message": str(denied)}
        except countersign.CountersignError as error:
            return {"error": type(error).__name__}


if __name__ == "__main__":
    unittest.main()
