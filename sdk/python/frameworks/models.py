"""Scripted models on loopback: they play a list of turns, and keep what they were told.

A turn is a text, or a list of calls `(id, tool, input)`. The number of the turn is the number of assistant turns that the
request already has, so a repeated request gets the same turn.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turn = str | list[tuple[str, str, dict[str, Any]]]


class Model:
    """A server for Anthropic's Messages and OpenAI's Responses."""

    def __init__(self, script: list[Turn]) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if "count_tokens" in self.path:
                    return self.answer([], {"input_tokens": 1}, False)
                model.requests.append(body)
                turns = anthropic if "messages" in self.path else responses
                events, whole = turns(model, body)
                self.answer(events, whole, bool(body.get("stream")))

            def do_HEAD(self) -> None:
                self.answer([], {}, False)

            do_GET = do_HEAD

            def answer(self, events: list[dict[str, Any]], whole: dict[str, Any], stream: bool) -> None:
                frames = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
                content = (frames if stream else json.dumps(whole)).encode()
                self.send_response(200)
                self.send_header("content-type", "text/event-stream" if stream else "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def turn(self, number: int) -> Turn:
        return self.script[number] if number < len(self.script) else "The end."

    def results(self) -> dict[str, str]:
        """The results of calls that the model was told, by call id."""
        found: dict[str, str] = {}
        for body in self.requests:
            for item in body.get("input", []) if isinstance(body.get("input"), list) else []:
                if item.get("type") == "function_call_output":
                    found[item["call_id"]] = str(item["output"])
            for message in body.get("messages", []):
                for part in message["content"] if isinstance(message["content"], list) else []:
                    if part.get("type") == "tool_result":
                        told = part.get("content", "")
                        found[part["tool_use_id"]] = told if isinstance(told, str) else "".join(one.get("text", "") for one in told)
        return found


USAGE = {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def anthropic(model: Model, body: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    number = sum(message["role"] == "assistant" for message in body["messages"])
    turn = model.turn(number) if body.get("tools") else "errand"
    text = isinstance(turn, str)
    blocks: list[dict[str, Any]] = (
        [{"type": "text", "text": turn}] if isinstance(turn, str) else [{"type": "tool_use", "id": i, "name": n, "input": v} for i, n, v in turn]
    )
    stop = "end_turn" if text else "tool_use"
    head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"], "stop_sequence": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**head, "content": [], "stop_reason": None, "usage": USAGE}}]
    for index, block in enumerate(blocks):
        start = {"type": "text", "text": ""} if text else {**block, "input": {}}
        delta = {"type": "text_delta", "text": turn} if text else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    events += [{"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": USAGE}, {"type": "message_stop"}]
    return events, {**head, "content": blocks, "stop_reason": stop, "usage": USAGE}


def responses(model: Model, body: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    items = body["input"] if isinstance(body["input"], list) else []
    answered = {item["call_id"] for item in items if item.get("type") == "function_call_output"}
    # A turn is over when all of its calls have results.
    number = 0
    while not isinstance(model.turn(number), str) and {one[0] for one in model.turn(number)} <= answered:
        number += 1
    turn = model.turn(number)
    output: list[dict[str, Any]] = (
        [{"type": "message", "id": f"m{number}", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": turn, "annotations": []}]}]
        if isinstance(turn, str)
        else [{"type": "function_call", "id": f"fc_{i}", "call_id": i, "name": n, "arguments": json.dumps(v), "status": "completed"} for i, n, v in turn]
    )
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {
        "id": f"resp_{number}", "object": "response", "created_at": 0, "model": body["model"], "status": "completed", "output": output,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage,
    }
    return [{"type": "response.completed", "sequence_number": 0, "response": whole}], whole
