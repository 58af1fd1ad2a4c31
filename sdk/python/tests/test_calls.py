"""One gated call: what runs, what does not, and what the caller sees."""

from __future__ import annotations

import threading
import unittest
from typing import Any

from countersign import Denied, Pending, Unavailable, configure, requires_consent, retry
from tests.daemon import Daemon, state_of


class Calls(unittest.TestCase):
    daemon: Daemon

    @classmethod
    def setUpClass(cls) -> None:
        cls.daemon = Daemon()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.daemon.__exit__(None, None, None)

    def setUp(self) -> None:
        self.ran: list[Any] = []

    def test_an_allowed_function_runs_and_its_end_is_reported(self) -> None:
        @requires_consent("tasks.list")
        def list_tasks(tag: str, *, limit: int = 5) -> str:
            return f"{tag}:{limit}"

        self.assertEqual(list_tasks("home"), "home:5")
        self.assertEqual(list_tasks.__name__, "list_tasks")
        self.assertEqual(self.daemon.ends()[-1], "done")

    def test_a_blocked_function_does_not_run(self) -> None:
        @requires_consent("tasks.wipe")
        def wipe() -> None:
            self.ran.append("wipe")

        with self.assertRaises(Denied) as caught:
            wipe()
        self.assertEqual((caught.exception.reason, caught.exception.rule), ("blocked", "tasks.wipe"))
        self.assertEqual(self.ran, [])

    def test_a_call_waits_for_the_answer(self) -> None:
        @requires_consent("tasks.create", target="title")
        def create(title: str) -> str:
            self.ran.append(title)
            return title

        results: list[str] = []
        thread = threading.Thread(target=lambda: results.append(create("letter")))
        thread.start()
        card = self.daemon.answer("once")
        thread.join()
        self.assertEqual((results, self.ran), (["letter"], ["letter"]))
        self.assertTrue(any("letter" in line for line in card.lines), card.lines)

    def test_a_no_reaches_the_caller_with_its_note(self) -> None:
        @requires_consent("tasks.create", target="title", on_pending="raise")
        def create(title: str) -> None:
            self.ran.append(title)

        with self.assertRaises(Pending) as pending:
            create("no")
        self.daemon.answer("decline", note="not today")
        with self.assertRaises(Denied) as denied:
            retry(pending.exception.operation_id)
        self.assertEqual(denied.exception.note, "not today")
        self.assertEqual(denied.exception.reason, "declined_before")
        # The same call again is declined without a question.
        with self.assertRaises(Denied):
            create("no")
        self.assertEqual(self.ran, [])

    def test_an_exception_is_passed_on_and_reported_as_failed(self) -> None:
        @requires_consent("tasks.list")
        def fail() -> None:
            raise LookupError("no such list")

        with self.assertRaisesRegex(LookupError, "no such list"):
            fail()
        self.assertEqual(self.daemon.ends()[-1], "failed")

    def test_an_interrupted_call_is_unknown(self) -> None:
        @requires_consent("tasks.list")
        def interrupt() -> None:
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            interrupt()
        self.assertEqual(self.daemon.ends()[-1], "unknown")

    def test_a_once_grant_runs_one_call(self) -> None:
        @requires_consent("tasks.toggle", on_pending="raise")
        def toggle(task: int) -> int:
            self.ran.append(task)
            return task

        with self.assertRaises(Pending) as pending:
            toggle(1)
        operation = pending.exception.operation_id
        self.daemon.answer("once")
        results: list[int] = []
        threads = [threading.Thread(target=lambda: results.append(retry(operation)))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((results, self.ran), ([1] * 8, [1]))
        self.assertEqual(state_of(operation), "done")
        with self.assertRaises(Pending) as again:
            toggle(1)
        self.assertNotEqual(again.exception.operation_id, operation)
        self.daemon.answer("decline")

    def test_a_yes_later_runs_the_function_in_the_background(self) -> None:
        done = threading.Event()

        @requires_consent("tasks.create", on_pending="raise")
        def create(tags: list[str]) -> None:
            self.ran.append(list(tags))
            done.set()

        tags = ["a"]
        with self.assertRaises(Pending) as pending:
            create(tags)
        tags.append("b")
        self.assertEqual(state_of(pending.exception.operation_id), "pending")
        self.daemon.answer("once")
        self.assertTrue(done.wait(30))
        self.assertEqual(self.ran, [["a"]], "the arguments of the record, not those of now")

    def test_arguments_that_change_while_the_call_waits_stop_it(self) -> None:
        @requires_consent("tasks.create")
        def create(tags: list[str]) -> None:
            self.ran.append(list(tags))

        errors: list[Exception] = []
        tags = ["harmless"]

        def call() -> None:
            try:
                create(tags)
            except Denied as denied:
                errors.append(denied)

        thread = threading.Thread(target=call)
        thread.start()
        self.daemon.wait_for_card()
        tags[0] = "harmful"
        self.daemon.answer("once")
        thread.join()
        self.assertEqual(self.ran, [])
        self.assertEqual([error.reason for error in errors], ["arguments_changed"])
        self.assertEqual(self.daemon.ends()[-1], "failed")

    def test_a_critical_call_runs_only_by_an_explicit_retry(self) -> None:
        @requires_consent("bank.pay", target="payee", on_pending="raise")
        def pay(payee: str, amount: str) -> str:
            self.ran.append(amount)
            return amount

        with self.assertRaises(Pending) as pending:
            pay("printer", "42.00")
        card = self.daemon.wait_for_card()
        confirm = card.fields["confirm"]["typed"]
        self.daemon.answer("once", confirm=confirm)
        operation = pending.exception.operation_id
        for thread in threading.enumerate():
            if thread.name.endswith(operation[:8]):
                thread.join()
        self.assertEqual((self.ran, state_of(operation)), ([], "approved"))
        self.assertEqual(retry(operation), "42.00")
        self.assertEqual(self.ran, ["42.00"])

    def test_an_unlisted_action_asks_and_the_error_names_the_lines_to_add(self) -> None:
        @requires_consent("new.thing", on_pending="raise")
        def new_thing() -> None: ...

        with self.assertRaises(Pending) as pending:
            new_thing()
        lines = "  new: {autonomous: [], requires_approval: [thing], blocked: []}"
        self.assertIn(lines, str(pending.exception))
        self.daemon.answer("decline")

    def test_an_action_outside_of_the_application_is_denied_with_a_sentence(self) -> None:
        @requires_consent("email.send")
        def send() -> None:
            self.ran.append("send")

        with self.assertRaisesRegex(Denied, "is bound to tasks"):
            send()
        self.assertEqual(self.ran, [])

    def test_risk_only_raises(self) -> None:
        @requires_consent("tasks.list", risk="high", on_pending="raise")
        def raised() -> None: ...

        with self.assertRaises(Pending):
            raised()
        self.daemon.answer("decline")

        @requires_consent("vault.eval", risk="low", on_pending="raise")
        def lowered() -> None: ...

        with self.assertRaises(Pending):
            lowered()
        card = self.daemon.answer("decline")
        self.assertEqual(card.risk, "high")

    def test_without_a_daemon_nothing_runs_and_the_error_says_how_to_start_it(self) -> None:
        @requires_consent("tasks.list")
        def list_tasks() -> None:
            self.ran.append("list")

        configure(socket="/nonexistent/agent.sock")
        try:
            with self.assertRaisesRegex(Unavailable, "countersign serve"):
                list_tasks()
        finally:
            self.daemon.connect()
        self.assertEqual(self.ran, [])

    def test_mistakes_of_a_declaration_are_found_at_once(self) -> None:
        def plain(path: str) -> None: ...

        def items() -> Any:
            yield 1

        for options in [{"target": "nobody"}, {"args": ["nobody"]}, {"secret": ["nobody"]},
                        {"encode": {"nobody": str}}, {"risk": "huge"}, {"on_pending": "hope"}]:
            with self.assertRaises(TypeError, msg=str(options)):
                requires_consent("tasks.list", **options)(plain)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            requires_consent("tasks.list")(items)


if __name__ == "__main__":
    unittest.main()
