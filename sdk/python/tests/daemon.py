"""A daemon of one test, with its record in a temporary folder."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

import countersign
from countersign import parked
from countersign_operator import Card, Operator

GRAPH = """
domains:
  tasks:
    autonomous: [list, brief]
    requires_approval: [create, toggle]
    blocked: [wipe]
  files: {autonomous: [], requires_approval: [write], blocked: []}
  vault:
    autonomous: []
    requires_approval: [eval]
    blocked: []
    actions: {eval: {risk: high}}
  bank:
    autonomous: []
    requires_approval: [pay]
    blocked: []
    actions: {pay: {categories: [purchase]}}
reducers: [{caller: tasks.brief, action: vault.eval, to: low}]
workflows:
  release: {actions: [tasks.create], steps: [{name: tag, actions: [tasks.create]}]}
"""
ACTIONS = "tasks.*,files.*,vault.*,bank.*,new.*"
GESTURES = "tasks.create,bank.pay"


class Daemon:
    """`countersign serve`, the operator, and this process as the application `shop`."""

    def __init__(self, *, session: str = "main", graph: str = GRAPH) -> None:
        self.binary = os.environ["COUNTERSIGN_BINARY"]
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        (self.folder / "graph.yaml").write_text(graph)
        self.session = session
        self.start()
        self.token = self.run("agent", "add", "shop", "--application", "--actions", ACTIONS,
                              "--gestures", GESTURES).strip()
        self.connect()

    def environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("COUNTERSIGN")}
        home = str(self.folder / "home")
        return {**kept, "COUNTERSIGN_DATA": str(self.folder / "data"), "HOME": home,
                "COUNTERSIGN_GRAPH": str(self.folder / "graph.yaml")}

    def start(self) -> None:
        self.process = subprocess.Popen(
            [self.binary, "serve", "--no-http"], env=self.environment(),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        output = self.process.stdout
        assert output is not None
        for line in output:
            if line.startswith("ready"):
                return
        raise AssertionError("the daemon did not start")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def run(self, *words: str) -> str:
        done = subprocess.run([self.binary, *words], env=self.environment(), check=True,
                              capture_output=True, text=True)
        return done.stdout

    def connect(self) -> None:
        """This process is the application, as if it had just started."""
        parked._calls.clear()
        self.socket = str(self.folder / "data" / "agent.sock")
        countersign.configure(socket=self.socket, token=self.token, session=self.session)
        self.operator = Operator(socket=str(self.folder / "data" / "operator.sock"))

    def wait_for_card(self) -> Card:
        """The one open question. It has been put, or is about to be."""
        while not (cards := self.operator.requests()):
            pass
        assert len(cards) == 1, [card.lines[1] for card in cards]
        return cards[0]

    def answer(self, choice: str, *, note: str = "", confirm: str | None = None) -> Card:
        card = self.wait_for_card()
        self.operator.mark_shown(card.request_id, "test", whole=True)
        self.operator.answer(card, choice, note=note, confirm=confirm, surface="test")
        return card

    def answer_items(self) -> Card:
        """Allows every item of a bundle once."""
        card = self.wait_for_card()
        self.operator.mark_shown(card.request_id, "test", whole=True)
        choices = {item["action"]: "once" for item in card.fields["items"]}
        self.operator.answer_items(card, choices, surface="test")
        return card

    def ends(self) -> list[str]:
        """How the calls of the record ended, the oldest first."""
        entries = [json.loads(json.loads(line)["entry"])
                   for line in self.run("ledger", "export").splitlines()]
        return [entry["body"]["effect"] for entry in entries if entry["kind"] == "call_completed"]

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.stop()
        self._folder.cleanup()


def state_of(operation_id: str) -> Any:
    """What the daemon says about a call."""
    from countersign.http import Request
    from countersign.runtime import current

    runtime = current()
    path = f"/v1/operations/{operation_id}?session={runtime.session}"
    return runtime.connections.send(Request("GET", path))["state"]
