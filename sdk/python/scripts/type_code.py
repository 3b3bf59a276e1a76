"""Writes the schemas of an OpenAPI document as `TypedDict`s and type aliases."""

from __future__ import annotations

import json
import keyword
import re
import textwrap
from typing import Any

Schema = dict[str, Any]

HEAD = '''"""What is sent and received, named as in the OpenAPI document. Fields have the names of the wire."""

from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypeAlias
else:
    from typing_extensions import NotRequired, TypeAlias
'''

SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class TypeWriter:
    """Renders schemas; inline objects become classes of their own."""

    def __init__(self, *, prefix: str = "", list_name: str = "list") -> None:
        self.classes: dict[str, str] = {}
        self._prefix = prefix
        self._list = list_name

    def define(self, name: str, schema: Schema) -> None:
        """Writes a schema under a name."""
        if _is_object(schema) and schema.get("properties"):
            self._write_class(name, schema)
            return
        self.classes[name] = ""  # keeps the place, before the classes of its variants
        text = self.render(schema, name)
        doc = f"\n{_doc(schema, '')}" if schema.get("description") else ""
        self.classes[name] = f"{name}: TypeAlias = {_alias(text)}{doc}"

    def render(self, schema: Schema | bool, name: str) -> str:
        """The annotation of a schema. `name` is for the class of an inline object."""
        if isinstance(schema, bool):
            return "Any"
        if "$ref" in schema:
            return self._prefix + str(schema["$ref"]).rsplit("/", 1)[1]
        if "const" in schema:
            return _literal([schema["const"]])
        if "enum" in schema:
            return _literal(schema["enum"])
        for union in ("oneOf", "anyOf"):
            if union in schema:
                return self._union(schema, schema[union], name)
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return _join([self.render({**schema, "type": kind}, name) for kind in kinds])
        if kinds == "array":
            return f"{self._list}[{self._items(schema, name)}]"
        if kinds == "object":
            return self._object(schema, name)
        return SIMPLE.get(str(kinds), "Any")

    def _items(self, schema: Schema, name: str) -> str:
        if "prefixItems" in schema:
            return _join([self.render(item, f"{name}Item") for item in schema["prefixItems"]])
        return self.render(schema.get("items", {}), f"{name}Item")

    def _object(self, schema: Schema, name: str) -> str:
        if schema.get("properties"):
            self._write_class(name, schema)
            return self._prefix + name
        values = schema.get("additionalProperties")
        inner = self.render(values, f"{name}Value") if isinstance(values, dict) else "Any"
        return f"dict[str, {inner}]"

    def _union(self, schema: Schema, variants: list[Schema], name: str) -> str:
        if all("const" in variant for variant in variants):
            return _literal([variant["const"] for variant in variants])
        shared = schema.get("properties", {})
        parts = []
        for number, variant in enumerate(variants, 1):
            if shared:
                variant = {
                    **variant,
                    "type": "object",
                    "properties": {**shared, **variant.get("properties", {})},
                    "required": [*schema.get("required", []), *variant.get("required", [])],
                }
            parts.append(self.render(variant, name + _variant_name(variant, number)))
        return _join(parts)

    def _write_class(self, name: str, schema: Schema) -> None:
        required = set(schema.get("required", []))
        fields: list[tuple[str, str, str]] = []
        self.classes[name] = ""
        for field, inner in sorted(schema["properties"].items()):
            annotation = self.render(inner, name + _pascal(field))
            fields.append((field, annotation if field in required else f"NotRequired[{annotation}]", _doc(inner, "    ")))
        doc = _doc(schema, "    ")
        if any(keyword.iskeyword(field) or not field.isidentifier() for field, _, _ in fields):
            rows = "\n".join(f"    {json.dumps(field)}: {_quoted(annotation)}," for field, annotation, _ in fields)
            text = f'{name} = TypedDict("{name}", {{\n{rows}\n}})' + (f"\n{_doc(schema, '')}" if doc else "")
        else:
            rows = "\n".join(f"    {field}: {annotation}" + (f"\n{told}" if told else "") for field, annotation, told in fields)
            text = f"class {name}(TypedDict):\n" + (f"{doc}\n\n" if doc else "") + rows
        self.classes[name] = text


def types_module(document: Schema) -> str:
    """All schemas as one module."""
    writer = TypeWriter()
    for name, schema in document["components"]["schemas"].items():
        writer.define(name, schema)
    names = ",\n".join(f'    "{name}"' for name in sorted(writer.classes))
    parts = [writer.classes[name] for name in sorted(writer.classes)]
    return HEAD + f"\n__all__ = [\n{names},\n]\n\n\n" + "\n\n\n".join(parts) + "\n"


def _is_object(schema: Schema) -> bool:
    return schema.get("type") == "object" and "oneOf" not in schema and "anyOf" not in schema


def _literal(values: list[Any]) -> str:
    return f"Literal[{', '.join(json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value) for value in values)}]"


def _join(parts: list[str]) -> str:
    """A union without repetitions; `None` comes last."""
    if "Any" in parts:
        return "Any"
    found = list(dict.fromkeys(parts))
    if "None" in found:
        found = [*(part for part in found if part != "None"), "None"]
    return " | ".join(found)


def _quoted(annotation: str) -> str:
    """An annotation that is evaluated late, since it may name what follows."""
    return annotation if annotation in SIMPLE.values() or annotation == "Any" else json.dumps(annotation).replace('\\"', "'")


def _alias(annotation: str) -> str:
    """The value of an alias: evaluated at once, with the names in it evaluated late."""
    if annotation.startswith("Literal["):
        head, _, rest = annotation.partition("] | ")
        return annotation if not rest else f"Union[{head}], {', '.join(map(_quoted, rest.split(' | ')))}]"
    if annotation.startswith("list["):
        return f"list[{_quoted(annotation[5:-1])}]"
    parts = annotation.split(" | ")
    return _quoted(annotation) if len(parts) == 1 else f"Union[{', '.join(map(_quoted, parts))}]"


def _pascal(text: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", text))


def _variant_name(variant: Schema, number: int) -> str:
    """Named for the constant that tells it apart, for its only field, or numbered."""
    properties = variant.get("properties", {})
    for inner in properties.values():
        if isinstance(inner, dict) and isinstance(inner.get("const"), str):
            return _pascal(inner["const"])
    required = variant.get("required", [])
    return _pascal(required[0]) if len(required) == 1 else f"Variant{number}"


def _doc(schema: Schema | bool, indent: str) -> str:
    if isinstance(schema, bool):
        return ""
    text = " ".join(str(schema.get("description", "")).split())
    if not text:
        return ""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    if text.endswith('"'):
        text += " "
    lines = textwrap.wrap(text, 116 - len(indent))
    if len(lines) == 1:
        return f'{indent}"""{lines[0]}"""'
    return f'{indent}"""' + f"\n{indent}".join(lines) + f'\n{indent}"""'
