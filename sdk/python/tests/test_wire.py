"""The types of `wire` against the API's document."""

from __future__ import annotations

import json
import types
import typing
import unittest
from pathlib import Path
from typing import Any

from countersign import wire

DOCUMENT = Path(__file__).parents[3] / "docs" / "openapi" / "agent.json"
KINDS = {str: "string", int: "integer", bool: "boolean", list: "array", dict: "object"}


class Wire(unittest.TestCase):
    def setUp(self) -> None:
        self.schemas = json.loads(DOCUMENT.read_text())["components"]["schemas"]

    def test_every_field_is_in_the_document_with_its_type(self) -> None:
        compared = 0
        for name, kind in vars(wire).items():
            if not typing.is_typeddict(kind):
                continue
            properties = self.find(name)["properties"]
            for field, hint in typing.get_type_hints(kind).items():
                self.assertIn(field, properties, name)
                self.compare(f"{name}.{field}", hint, properties[field])
                compared += 1
        self.assertGreater(compared, 60)

    def find(self, name: str) -> dict[str, Any]:
        """The schema of this name; of a response, the one that is sent."""
        found = self.schemas.get(name) or self.schemas.get(f"{name}Output")
        self.assertIsNotNone(found, f"the document has no {name}")
        return dict(found)

    def compare(self, where: str, hint: Any, schema: dict[str, Any]) -> None:
        if hint is Any:
            return
        kinds = self.kinds_of(schema)
        for one in typing.get_args(hint) if isinstance(hint, types.UnionType) else [hint]:
            origin = typing.get_origin(one) or one
            if origin is typing.Literal:
                self.assertEqual(set(typing.get_args(one)), self.words_of(schema), where)
            elif one is type(None):
                self.assertIn("null", kinds, where)
            else:
                expected = "object" if typing.is_typeddict(origin) else KINDS[origin]
                self.assertTrue(not kinds or expected in kinds, f"{where}: {expected} {kinds}")

    def kinds_of(self, schema: dict[str, Any]) -> set[str]:
        kinds = schema.get("type", [])
        found = {kinds} if isinstance(kinds, str) else set(kinds)
        for one in [*schema.get("anyOf", []), *schema.get("oneOf", []), *schema.get("allOf", [])]:
            found |= self.kinds_of(one)
        if "$ref" in schema:
            found |= self.kinds_of(self.schemas[schema["$ref"].rsplit("/", 1)[1]])
        if not found and ("enum" in schema or "const" in schema):
            found = {"string"}
        return found

    def words_of(self, schema: dict[str, Any]) -> set[str]:
        if "$ref" in schema:
            return self.words_of(self.schemas[schema["$ref"].rsplit("/", 1)[1]])
        words = set(schema.get("enum", [])) | ({schema["const"]} if "const" in schema else set())
        for one in schema.get("oneOf", []):
            words |= self.words_of(one)
        return words


if __name__ == "__main__":
    unittest.main()
