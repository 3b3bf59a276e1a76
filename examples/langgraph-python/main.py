"""A LangGraph graph whose tool calls are put to sekisho. Its model is a script.

Start it with a server of its own: python sdk/python/frameworks/start.py langgraph-python
With your own server: set SEKISHO_URL and SEKISHO_TOKEN, and run this file.
"""

from pathlib import Path
from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from sekisho import Sekisho
from sekisho.langgraph import ToolApproval, ToolDenied, approve_tool_call


class State(TypedDict, total=False):
    call: dict[str, Any]
    said: str


def model(state: State) -> State:
    """A model would choose the call."""
    return {"call": {"path": "hello.txt", "content": "Hello!\n"}}


def write_file(state: State) -> State:
    try:
        args = approve_tool_call("write_file", state["call"])
    except ToolDenied as reason:
        return {"said": f"I did not write it: {reason}"}
    Path(args["path"]).write_text(args["content"])
    return {"said": f"I wrote {args['path']}."}


graph = StateGraph(State)
graph.add_node("model", model)
graph.add_node("write_file", write_file)
graph.add_edge(START, "model")
graph.add_edge("model", "write_file")
graph.add_edge("write_file", END)
app = graph.compile(checkpointer=InMemorySaver())

result = ToolApproval(Sekisho(), workspace_id="example").invoke(app, {}, {"configurable": {"thread_id": "1"}})
print(result["said"])
