"""Writes the methods of the clients, and the routes that they call."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from names import BY_HAND, GROUPS, METHODS, NOT_OFFERED, OPTIONAL_BODIES, TIMEOUTS, WAITS
from type_code import Schema, TypeWriter

HEAD = '''"""One method for every operation, {kind}."""

from __future__ import annotations

import builtins
from typing import Any

from .._http import CLIENT_DEFAULT, {http}, Timeout
from . import types as t
'''


def operations(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Method, path and operation, in the order of the document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def routes_module(document: Schema) -> str:
    """The method and path of every operation."""
    rows = sorted(f'    "{operation["operationId"]}": ("{method}", "{path}"),' for method, path, operation in operations(document))
    return (
        '"""The method and path of every operation."""\n\nfrom __future__ import annotations\n\n'
        "ROUTES: dict[str, tuple[str, str]] = {\n" + "\n".join(rows) + "\n}\n"
    )


def client_module(document: Schema, *, is_async: bool) -> str:
    """The groups of methods of one client."""
    known = {operation["operationId"] for _, _, operation in operations(document)}
    missing = known - METHODS.keys() - BY_HAND.keys() - NOT_OFFERED
    gone = (METHODS.keys() | BY_HAND.keys() | NOT_OFFERED) - known
    if missing or gone:
        raise SystemExit(f"scripts/names.py: no method for {sorted(missing)}; no operation for {sorted(gone)}")
    http = "AsyncHttp" if is_async else "Http"
    by_group: dict[str, list[str]] = {group: [] for group in GROUPS}
    for _, _, operation in operations(document):
        if operation["operationId"] in METHODS:
            group, _, name = METHODS[operation["operationId"]].rpartition(".")
            by_group[group].append(_method(operation, name, is_async))
    classes = []
    for group, doc in GROUPS.items():
        if group == "":
            made = "\n".join(f"        self.{one} = {_class(one, is_async)}(http)\n        {_doc_of(one)}" for one in GROUPS if one)
            init = f"        self._http = http\n{made}"
        else:
            init = "        self._http = http"
        classes.append(
            f'class {_class(group, is_async)}:\n    """{doc}"""\n\n    def __init__(self, http: {http}) -> None:\n{init}\n\n'
            + "\n\n".join(by_group[group])
        )
    return HEAD.format(kind="asynchronous" if is_async else "blocking", http=http) + "\n\n" + "\n\n\n".join(classes) + "\n"


def _doc_of(group: str) -> str:
    return f'"""{GROUPS[group]}"""'


def _class(group: str, is_async: bool) -> str:
    name = "".join(word.capitalize() for word in group.split("_")) or "Methods"
    return f"Async{name}" if is_async else name


def _snake(name: str) -> str:
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return f"{snake}_" if snake == "from" else snake


def _method(operation: Schema, name: str, is_async: bool) -> str:
    types = TypeWriter(prefix="t.", list_name="builtins.list")
    key = operation["operationId"]
    parameters = operation.get("parameters", [])
    signature, sent, docs = ["self"], [], []
    paths = [one["name"] for one in parameters if one["in"] == "path"]
    signature += [f"{_snake(one)}: str | int" if one == "seq" else f"{_snake(one)}: str" for one in paths]
    if paths:
        sent.append("path={" + ", ".join(f'"{one}": str({_snake(one)})' for one in paths) + "}")
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body is not None:
        annotation = types.render(body, "Body")
        if key in OPTIONAL_BODIES:
            signature.append(f"body: {annotation} | None = None")
            sent.append("body={} if body is None else body")
        else:
            signature.append(f"body: {annotation}")
            sent.append("body=body")
    signature.append("*")
    queries = [one for one in parameters if one["in"] == "query"]
    for one in queries:
        signature.append(f"{_snake(one['name'])}: {types.render(one['schema'], 'Query')} | None = None".replace("None | None", "None"))
        docs.append(f"`{_snake(one['name'])}`: {_first(one.get('description', 'see the OpenAPI document.'))}")
    if queries:
        sent.append("query={" + ", ".join(f'"{one["name"]}": {_snake(one["name"])}' for one in queries) + "}")
    signature.append("timeout: Timeout = CLIENT_DEFAULT")
    default = TIMEOUTS.get(key) or ("CLIENT_DEFAULT if wait is False else None" if key in WAITS else None)
    sent.append("timeout=timeout" + (f", default={default}" if default else ""))
    result = _result(types, operation)
    (lead, waits) = ("async def", "await ") if is_async else ("def", "")
    called = f'{waits}self._http.call("{key}", {", ".join(sent)})'
    lines = [f"    {lead} {name}(", *(f"        {one}," for one in signature), f"    ) -> {result}:", *_docs(operation, docs)]
    if result == "None":
        lines.append(f"        {called}")
    else:
        lines += [f"        result: {result} = {called}", "        return result"]
    return "\n".join(lines)


def _result(types: TypeWriter, operation: Schema) -> str:
    found: list[str] = []
    for status, response in operation["responses"].items():
        if not status.startswith("2"):
            continue
        content: dict[str, Any] = response.get("content", {})
        if "application/json" in content:
            found.append(types.render(content["application/json"].get("schema", {}), "Result"))
        else:
            found.append("str" if content else "None")
    return " | ".join(dict.fromkeys(found)) or "None"


def _first(text: str) -> str:
    return " ".join(text.split())


def _docs(operation: Schema, more: list[str]) -> list[str]:
    head = _first(operation["summary"]).rstrip(".") + "."
    told = " ".join(operation.get("description", "").split("\n\n")[-1].split())
    if told and told not in head:
        more = [told, *more]
    if not more:
        return [f'        """{head}"""']
    lines = [f'        """{head}', ""]
    for one in more:
        lines += textwrap.wrap(one, 108, initial_indent="        ", subsequent_indent="        ")
    return [*lines, '        """']
