"""What every adapter has to do: with the real framework, and a model that follows a script."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import countersign
from tests.daemon import Daemon

ACTIONS = {"list_tasks": "tasks.list", "create_task": "tasks.create", "wipe": "tasks.wipe"}


class Scenario:
    """A framework's test has `ask`: the model calls one tool, and this is what it then reads."""

    ran: list[str]
    daemon: Daemon

    def setUp(self) -> None:
        self.ran = []
        self.daemon = Daemon()
        self.addCleanup(self.daemon.__exit__, None, None, None)

    async def ask(self, tool: str, title: str) -> str:
        raise NotImplementedError

    def list_tasks(self, title: str) -> str:
        """Lists tasks."""
        self.ran.append(title)
        return f"listed {title}"

    def create_task(self, title: str) -> str:
        """Creates a task."""
        self.ran.append(title)
        return f"created {title}"

    def wipe(self, title: str) -> str:
        """Deletes all tasks."""
        self.ran.append(title)
        return "wiped"

    def run_with_answer(self, choice: str, note: str) -> str:
        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(asyncio.run, self.ask("create_task", "letter"))
            self.daemon.answer(choice, note=note)
            return found.result(60)

    def test_an_allowed_call_runs(self) -> None:
        self.assertIn("listed home", asyncio.run(self.ask("list_tasks", "home")))
        self.assertEqual((self.ran, self.daemon.ends()), (["home"], ["done"]))

    def test_a_blocked_call_does_not_run(self) -> None:
        self.assertIn("Not carried out", asyncio.run(self.ask("wipe", "all")))
        self.assertEqual(self.ran, [])

    def test_a_declined_call_does_not_run_and_the_note_reaches_the_model(self) -> None:
        self.assertIn("use the draft", self.run_with_answer("decline", "use the draft"))
        self.assertEqual(self.ran, [])

    def test_a_call_that_asks_runs_after_the_yes(self) -> None:
        self.assertIn("created letter", self.run_with_answer("once", ""))
        self.assertEqual((self.ran, self.daemon.ends()), (["letter"], ["done"]))

    def test_without_a_daemon_the_call_is_blocked(self) -> None:
        countersign.configure(socket="/nonexistent/agent.sock")
        self.assertIn("countersign serve", asyncio.run(self.ask("list_tasks", "home")))
        self.assertEqual(self.ran, [])
        self.daemon.connect()
