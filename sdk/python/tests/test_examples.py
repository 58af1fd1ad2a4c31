"""The examples, as a person runs them, with an operator who answers. Their output is in the guide."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

from countersign_operator import Operator
from tests.daemon import Daemon

EXAMPLES = Path(__file__).parents[1] / "examples"
GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "python.md"
RIGHTS = ["--actions", "tasks.*,files.*,notes.*,shop.*,docs.*", "--gestures", "tasks.create"]
# What the operator answers, question by question.
ANSWERS = {
    "task_manager": [("once", ""), ("decline", "only with its task")],
    "daily_briefing": [],
    "checkout": [("once", ""), ("decline", "one is enough")],
    "publish": [("once", ""), ("decline", "prices are not final")],
    "button": [],
}


class Examples(unittest.TestCase):
    def test_every_example_has_answers(self) -> None:
        self.assertEqual({path.stem for path in EXAMPLES.glob("*.py")}, set(ANSWERS))

    def test_every_example_prints_what_the_guide_says(self) -> None:
        guide = GUIDE.read_text()
        with Daemon(graph=(EXAMPLES / "graph.yaml").read_text()) as daemon:
            only = os.environ.get("COUNTERSIGN_EXAMPLES", ",".join(ANSWERS)).split(",")
            for name, answers in [(name, ANSWERS[name]) for name in only]:
                with self.subTest(name):
                    token = daemon.run("agent", "add", name, "--application", *RIGHTS).strip()
                    output = self.play(daemon, name, token, answers)
                    self.assertIn(f"```text\n{output}```", guide)
                    lines = (EXAMPLES / f"{name}.py").read_text().splitlines()
                    self.assertLess(len(lines), 60)

    def play(self, daemon: Daemon, name: str, token: str, answers: list[tuple[str, str]]) -> str:
        environment = {**os.environ, "COUNTERSIGN_DATA": str(daemon.folder / "data"),
                       "COUNTERSIGN_TOKEN": token}
        environment.pop("COUNTERSIGN_SOCKET", None)
        interpreter = os.environ.get("COUNTERSIGN_PYTHON", sys.executable)
        child = subprocess.Popen([interpreter, str(EXAMPLES / f"{name}.py")], env=environment,
                                 stdout=subprocess.PIPE, text=True)
        for choice, note in answers:
            answer(daemon.operator, daemon, choice, note)
        output, _ = child.communicate()
        self.assertEqual(child.returncode, 0, output)
        for card in daemon.operator.requests():
            daemon.operator.answer(card, "decline")
        return output


def answer(operator: Operator, daemon: Daemon, choice: str, note: str) -> None:
    card = daemon.wait_for_card()
    operator.mark_shown(card.request_id, "test", whole=True)
    items = [item["action"] for item in card.fields["items"]]
    if len(items) > 1:
        operator.answer_items(card, {action: choice for action in items}, note=note)
        return
    confirm = (card.fields["confirm"] or {}).get("typed") if choice != "decline" else None
    operator.answer(card, choice, note=note, confirm=confirm, surface="test")


if __name__ == "__main__":
    unittest.main()
