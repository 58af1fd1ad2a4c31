"""What of a call's arguments is sent, and what is refused. No daemon is needed."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

from countersign import Denied
from countersign.arguments import HELD, ArgumentRules, Arguments


def plain(a: Any, /, b: Any = 2, *rest: Any, c: Any = 3, **more: Any) -> None: ...


def bind(rules: ArgumentRules, *args: Any, **kwargs: Any) -> Arguments:
    return rules.bind(args, kwargs)


class Sent(unittest.TestCase):
    def test_defaults_and_every_kind_of_parameter_are_sent_and_restored(self) -> None:
        rules = ArgumentRules(plain, None, (), {})
        arguments = bind(rules, 1, 2, "x", "y", c=[True, None], d={"k": 1.5})
        sent = {"a": 1, "b": 2, "rest": ["x", "y"], "c": [True, None], "more": {"d": {"k": 1.5}}}
        self.assertEqual(arguments.sent, sent)
        bound = rules.from_record(json.loads(json.dumps(sent)))
        assert bound is not None
        self.assertEqual(bound.args, (1, 2, "x", "y"))
        self.assertEqual(bound.kwargs, {"c": [True, None], "d": {"k": 1.5}})

    def test_what_is_not_json_needs_an_encoder(self) -> None:
        rules = ArgumentRules(plain, None, (), {})
        deep: Any = []
        for _ in range(100):
            deep = [deep]
        for value in [object(), b"x", {1: 2}, {1, 2}, float("nan"), float("inf"), 2**60, Path("x"),
                      [object()], {"k": b"x"}, deep]:
            with self.assertRaisesRegex(Denied, "encode=") as caught:
                bind(rules, value)
            self.assertEqual(caught.exception.reason, "not_json")

    def test_an_encoded_value_is_hashed_and_its_beginning_shown(self) -> None:
        rules = ArgumentRules(plain, None, (), {"a": lambda path: Path(path).name + "x" * 500})
        held = bind(rules, Path("/srv/file")).sent["a"][HELD]
        self.assertEqual((held["bytes"], held["shown"][:5], len(held["shown"])), (504, "filex", 200))
        self.assertEqual(len(held["sha256"]), 64)
        other = bind(rules, Path("/srv/other")).sent["a"][HELD]
        self.assertNotEqual(held["sha256"], other["sha256"])

    def test_a_parameter_that_is_not_shown_still_counts(self) -> None:
        rules = ArgumentRules(plain, ["a"], (), {})
        first, second = bind(rules, 1, "body one").sent, bind(rules, 1, "body two").sent
        self.assertEqual(first["a"], 1)
        self.assertNotIn("body", json.dumps(first))
        self.assertNotEqual(first["b"], second["b"])
        self.assertIsNone(rules.from_record(first))

    def test_a_secret_stands_where_the_daemon_seals_it(self) -> None:
        rules = ArgumentRules(plain, None, ["b"], {})
        sent = bind(rules, 1, 4321).sent
        self.assertEqual(sent["b"], {"secret": "4321"})
        self.assertIsNone(rules.from_record(sent))

    def test_arguments_that_change_after_they_were_sent_stop_the_call(self) -> None:
        rules = ArgumentRules(plain, None, (), {})
        tags = ["a"]
        arguments = bind(rules, tags)
        arguments.check_unchanged("c0")
        kept = arguments.keep()
        tags.append("b")
        with self.assertRaises(Denied) as caught:
            arguments.check_unchanged("c0")
        self.assertEqual(caught.exception.reason, "arguments_changed")
        kept.check_unchanged("c0")
        self.assertEqual(kept.bound.args[0], ["a"])

    def test_no_error_shows_an_argument(self) -> None:
        rules = ArgumentRules(plain, None, (), {})
        with self.assertRaises(Denied) as caught:
            bind(rules, {"hunter2": b"hunter2"})
        self.assertNotIn("hunter2", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
