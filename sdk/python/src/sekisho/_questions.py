"""What the helpers for the frameworks share: the fields that every question of theirs has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._generated.types import CanUseTool


@dataclass(frozen=True)
class Asker:
    """Who asks, and how long a human has."""

    workspace_id: str | None = None
    conversation_id: str | None = None
    agent_id: str | None = None
    cwd: str | None = None
    project_root: str | None = None
    timeout_ms: int | None = None

    def call(self, tool: str, input: dict[str, Any], call_id: str, *, server: str | None = None) -> CanUseTool:
        """The question about one call."""
        call: CanUseTool = {"toolName": tool, "input": input, "toolUseId": call_id}
        if server is not None:
            call["serverId"] = server
        if self.workspace_id is not None:
            call["workspaceId"] = self.workspace_id
        if self.conversation_id is not None:
            call["conversationId"] = self.conversation_id
        if self.agent_id is not None:
            call["agentId"] = self.agent_id
        if self.cwd is not None:
            call["cwd"] = self.cwd
        if self.project_root is not None:
            call["projectRoot"] = self.project_root
        if self.timeout_ms is not None:
            call["timeoutMs"] = self.timeout_ms
        return call
