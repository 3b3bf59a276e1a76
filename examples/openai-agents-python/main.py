"""An agent of the OpenAI Agents SDK whose tool calls are put to sekisho.

Start it with a server and a scripted model of its own: python sdk/python/frameworks/start.py openai-agents-python
With your own: set SEKISHO_URL, SEKISHO_TOKEN and OPENAI_API_KEY, and run this file.
"""

import asyncio
from pathlib import Path

from agents import Agent, function_tool, set_tracing_disabled

from sekisho.openai_agents import ToolApproval

set_tracing_disabled(True)


@function_tool
def write_file(path: str, content: str) -> str:
    """Writes a file."""
    Path(path).write_text(content)
    return f"wrote {path}"


async def main() -> None:
    approval = ToolApproval(workspace_id="example")
    agent = Agent(name="writer", instructions="Write files.", tools=approval.tools([write_file]))
    result = await approval.run(agent, "Write a greeting into hello.txt")
    print(result.final_output)


asyncio.run(main())
