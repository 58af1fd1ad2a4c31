"""Several calls: nested ones, threads, coroutines, crashes, restarts, clicks, runs."""

from __future__ import annotations

import asyncio
import contextvars
import os
import subprocess
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from countersign import (
    Denied,
    NotReplayable,
    Pending,
    RiskReducer,
    configure,
    list_risk_reducers,
    parked,
    reduces_risk_for,
    request_permission,
    request_permission_async,
    requires_consent,
    resume_parked,
    retry,
    retry_async,
    user_initiated,
    workflow,
)
from tests.daemon import Daemon, state_of

ran: list[str] = []


@requires_consent("files.write", target="path", on_pending="raise")
def write_file(path: str) -> str:
    ran.append(path)
    return path


@requires_consent("tasks.toggle", declares=["files.write"], target="task")
def toggle_task(task: str) -> str:
    write_file("master.md")
    return write_file("archive.md")


@requires_consent("vault.eval", on_pending="raise")
def evaluate(code: str) -> str:
    return code


@reduces_risk_for("vault.eval", "low")
@requires_consent("tasks.brief")
def daily_briefing() -> str:
    return evaluate("count()")


@requires_consent("tasks.create", target="title", on_pending="raise")
def create_task(title: str) -> str:
    ran.append(title)
    return title


@requires_consent("tasks.create", target="title", on_pending="raise")
async def create_later(title: str) -> str:
    await asyncio.sleep(0)
    ran.append(title)
    return title


@requires_consent("bank.pay", target="payee", on_pending="raise")
def pay(payee: str, amount: str) -> str:
    return amount


@requires_consent("tasks.list")
def list_tasks(number: int) -> int:
    return number


@requires_consent("tasks.list")
async def list_async(number: int) -> int:
    return number


@requires_consent("tasks.create", secret=["key"], on_pending="raise")
def sign(key: str) -> int:
    return len(key)


@requires_consent("tasks.create", on_pending="raise")
def log_in(password: str) -> int:
    return len(password)


class Scenarios(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = Daemon()
        self.addCleanup(self.daemon.__exit__, None, None, None)
        ran.clear()

    def in_thread(self, function: Any, *args: Any) -> ThreadPoolExecutor:
        pool = ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        self.future = pool.submit(function, *args)
        return pool

    def test_calls_inside_a_declared_one_ride_on_its_consent(self) -> None:
        self.in_thread(toggle_task, "letter")
        card = self.daemon.answer_items()
        self.assertIn("files.write", str(card.fields["items"]))
        self.assertEqual(self.future.result(30), "archive.md")
        self.assertEqual(ran, ["master.md", "archive.md"])
        self.assertEqual(self.daemon.ends(), ["done"] * 3)
        # Outside of it the same call asks.
        with self.assertRaises(Pending):
            write_file("master.md")

    def test_a_thread_with_the_context_is_inside_and_one_without_is_not(self) -> None:
        @requires_consent("tasks.brief")
        def brief() -> list[str]:
            found: list[str] = []

            def attempt() -> None:
                try:
                    found.append(evaluate("x"))
                except Pending:
                    found.append("pending")

            for target in (contextvars.copy_context().run, lambda function: function()):
                thread = threading.Thread(target=target, args=(attempt,))
                thread.start()
                thread.join()
            return found

        self.assertEqual(brief(), ["x", "pending"])

    def test_a_task_that_outlives_its_call_is_not_inside_any_more(self) -> None:
        async def scenario() -> str:
            go = asyncio.Event()

            @requires_consent("vault.eval", on_pending="raise")
            async def evaluate_later() -> str:
                return "ran"

            async def late() -> str:
                await go.wait()
                return await evaluate_later()

            @requires_consent("tasks.brief")
            async def brief() -> tuple[str, asyncio.Task[str]]:
                return await evaluate_later(), asyncio.create_task(late())

            inside, task = await brief()
            go.set()
            with self.assertRaises(Pending):
                await task
            return inside

        self.assertEqual(asyncio.run(scenario()), "ran")

    def test_a_reducer_counts_only_if_the_graph_lists_it(self) -> None:
        self.assertEqual(daily_briefing(), "count()")
        with self.assertRaises(Pending):
            evaluate("count()")

        @reduces_risk_for("bank.pay", "low")
        @requires_consent("tasks.list")
        def shop() -> str:
            return pay("printer", "1.00")

        with self.assertRaises(Pending):
            shop()
        listed = list_risk_reducers()
        self.assertIn(RiskReducer("tasks.brief", "vault.eval", "low", True, True), listed)
        self.assertIn(RiskReducer("tasks.list", "bank.pay", "low", True, False), listed)
        with self.assertRaises(TypeError):
            reduces_risk_for("vault.eval", "low")(len)

    def test_a_click_covers_what_it_declares_while_it_is_open(self) -> None:
        with user_initiated("dashboard.click", declares=["tasks.create"]):
            self.assertEqual(create_task("a"), "a")
            with self.assertRaises(Pending):
                write_file("b")
        with self.assertRaises(Pending):
            create_task("c")
        with user_initiated("dashboard.pay", declares=["bank.pay"]), self.assertRaises(Pending):
            pay("printer", "42.00")
        with self.assertRaisesRegex(Denied, "may open no gesture"):
            user_initiated("x", declares=["files.write"]).__enter__()
        plain = self.daemon.run("agent", "add", "plain", "--application", "--actions", "tasks.*")
        configure(socket=self.daemon.socket, token=plain.strip())
        with self.assertRaises(Denied):
            user_initiated("x", declares=["tasks.create"]).__enter__()
        agent = self.daemon.run("agent", "add", "claude")
        configure(socket=self.daemon.socket, token=agent.strip())
        with self.assertRaises(Denied):
            user_initiated("x").__enter__()

    def test_a_run_asks_once_and_carries_its_declared_actions(self) -> None:
        def release() -> str:
            with workflow("release") as run:
                run.step("tag")
                return create_task("v1") + create_task("v2")

        self.in_thread(release)
        self.daemon.answer("once")
        self.assertEqual(self.future.result(30), "v1v2")
        self.in_thread(release)
        self.daemon.answer("decline", note="not on a friday")
        with self.assertRaises(Denied) as denied:
            self.future.result(30)
        self.assertEqual((denied.exception.reason, denied.exception.note),
                         ("consent denied", "not on a friday"))

    def test_asking_ahead_gives_the_fields_of_the_answer(self) -> None:
        self.in_thread(request_permission, "Overwrite api.md", "the schema changed",
                       "this_session", "skip it", "filesystem_write")
        self.daemon.answer("session", note="go on")
        found = self.future.result(30)
        self.assertEqual((found.granted, found.scope_granted), (True, "this_session"))
        again = asyncio.run(request_permission_async("Overwrite it", "again", "this_session",
                                                     category="filesystem_write"))
        self.assertEqual((again.granted, again.grant_id), (True, found.grant_id))
        self.assertTrue(self.daemon.operator.revoke_grant(found.grant_id))
        self.in_thread(request_permission, "Push", "release", "this_call", "", "git_push")
        self.daemon.answer("decline", note="later")
        self.assertEqual(self.future.result(30)[:3], (False, None, "later"))

    def test_a_coroutine_waits_runs_in_the_background_and_is_retried(self) -> None:
        async def scenario() -> None:
            with self.assertRaises(Pending) as pending:
                await create_later("a")
            operation = pending.exception.operation_id
            with self.assertRaises(Pending):
                await retry_async(operation)
            with self.assertRaises(TypeError):
                retry(operation)
            await asyncio.to_thread(self.daemon.answer, "once")
            self.assertEqual(await retry_async(operation), "a")
            with self.assertRaises(Pending) as pending:
                await create_later("b")
            await asyncio.to_thread(self.daemon.answer, "once")
            await asyncio.gather(*parked._tasks)
            self.assertEqual(ran, ["a", "b"])

        asyncio.run(scenario())

    def test_a_cancelled_coroutine_is_unknown(self) -> None:
        async def scenario() -> None:
            started = asyncio.Event()

            @requires_consent("tasks.list")
            async def hang() -> None:
                started.set()
                await asyncio.Event().wait()

            task = asyncio.create_task(hang())
            await started.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(scenario())
        self.assertEqual(self.daemon.ends(), ["unknown"])

    def test_a_thousand_calls_at_once(self) -> None:
        with ThreadPoolExecutor(200) as pool:
            found = list(pool.map(list_tasks, range(500)))
        self.assertEqual(found, list(range(500)))

        async def scenario() -> list[int]:
            return await asyncio.gather(*(list_async(number) for number in range(1000)))

        self.assertEqual(asyncio.run(scenario()), list(range(1000)))
        self.assertEqual(self.daemon.ends(), ["done"] * 1500)

    def test_a_daemon_that_restarts_while_a_call_waits(self) -> None:
        self.in_thread(requires_consent("tasks.create")(create_task.__wrapped__), "a")  # type: ignore[attr-defined]
        self.daemon.wait_for_card()
        self.daemon.stop()
        self.daemon.start()
        self.daemon.answer("once")
        self.assertEqual(self.future.result(60), "a")

    def test_a_killed_process_leaves_its_running_call_unknown(self) -> None:
        child = self.start_child("hang")
        assert child.stdout is not None
        operation = child.stdout.readline().strip()
        self.assertEqual(state_of(operation), "executing")
        child.kill()
        child.wait()
        while (state := state_of(operation)) == "executing":
            pass
        self.assertEqual(state, "unknown")
        child.stdout.close()

    def test_a_new_process_takes_up_what_the_last_one_left(self) -> None:
        child = self.start_child("park")
        output, _ = child.communicate()
        tasks, critical, secret, password = output.split()
        self.assertEqual(child.returncode, 0)
        for _ in range(4):
            card = self.daemon.operator.requests()[0]
            confirm = (card.fields["confirm"] or {}).get("typed")
            self.daemon.operator.mark_shown(card.request_id, "test", whole=True)
            self.daemon.operator.answer(card, "once", confirm=confirm, surface="test")
        self.assertEqual(set(resume_parked()), {tasks, critical})
        self.assertEqual(retry(tasks), "from the child")
        self.assertEqual(retry(critical), "42.00")
        self.assertEqual((ran, state_of(tasks)), (["from the child"], "done"))
        for sealed in (secret, password):
            with self.assertRaises(NotReplayable):
                retry(sealed)
        self.assertEqual(state_of(secret), "approved", "it is left to the process that has the key")

    def test_a_secret_is_in_no_record_and_replays_only_here(self) -> None:
        with self.assertRaises(Pending) as pending:
            sign("tr0ub4dor")
        card = self.daemon.answer("once")
        self.assertNotIn("tr0ub4dor", "".join(card.lines))
        self.assertEqual(retry(pending.exception.operation_id), 9)
        record = b"".join(path.read_bytes() for path in self.daemon.folder.rglob("*")
                          if path.is_file())
        self.assertNotIn(b"tr0ub4dor", record)

    def test_with_an_agent_s_credential_nothing_is_nested_or_reduced(self) -> None:
        agent = self.daemon.run("agent", "add", "claude").strip()
        configure(socket=self.daemon.socket, token=agent, session="main")
        with self.assertRaises(Pending):
            daily_briefing()

    def start_child(self, what: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "COUNTERSIGN_SOCKET": self.daemon.socket,
                       "COUNTERSIGN_TOKEN": self.daemon.token, "COUNTERSIGN_SESSION": "main"}
        return subprocess.Popen([sys.executable, "-m", "tests.child", what], env=environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


if __name__ == "__main__":
    unittest.main()
