"""An agent of the Claude Agent SDK whose tool calls are put to sekisho.

Start it with a server and a scripted model of its own: python sdk/python/frameworks/start.py claude-agent-sdk-python
With your own: set SEKISHO_URL, SEKISHO_TOKEN and ANTHROPIC_API_KEY, and run this file.
"""

import asyncio

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

from sekisho.claude_agent_sdk import with_approval


async def main() -> None:
    # Approvals, in one line: whatever the options allow, sekisho decides.
    options = with_approval(ClaudeAgentOptions(permission_mode="bypassPermissions"), workspace_id="example")
    async for message in query(prompt="Write a greeting into hello.txt", options=options):
        if isinstance(message, ResultMessage):
            print(message.result)


asyncio.run(main())
