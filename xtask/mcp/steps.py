"""What every Python client does; see steps.mjs."""

import json
import os
import sys


def read_target():
    """`stdio COMMAND…`, or `http URL` with a token in the environment."""
    kind, first, *rest = sys.argv[1:]
    if kind == "stdio":
        return {"command": first, "args": rest, "env": dict(os.environ)}
    return {"url": first, "headers": {"Authorization": f"Bearer {os.environ['TOKEN']}"}}


def show(step, value):
    print(json.dumps({"step": step, "value": value}), flush=True)


async def play(list_tools, call, version=None):
    """`list_tools()` returns names, `call(name, arguments)` the result as JSON has it."""
    if version:
        show("version", version)
    show("list", await list_tools())
    show("allowed", await call("echo", {"message": "hello"}))
    asked = await call("get-sum", {"a": 2, "b": 3})
    show("asked", asked)
    sys.stdin.readline()
    operation = asked["_meta"]["countersign/operationId"]
    show("retried", await call("retry", {"operation_id": operation}))
