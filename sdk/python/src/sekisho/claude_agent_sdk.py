"""Approvals for the Claude Agent SDK: `options = with_approval(ClaudeAgentOptions(...))`.

The SDK itself is imported only when a helper is used.
"""

from __future__ import annotations

import dataclasses
import json
import os
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._questions import Asker
from .client import AsyncSekisho
from .denial import Decision, denial

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions
    from claude_agent_sdk.types import CanUseTool as CanUseToolCallback
    from claude_agent_sdk.types import HookCallback

_BYPASS = "bypassPermissions"
# A day, which is the longest that a question may wait, and a margin. Without it the CLI gives a hook 60 s.
_HOOK_TIMEOUT = 86_400 + 600
# Options of the CLI that skip permissions, or replace what is set here.
_SKIPS = ("dangerously-skip-permissions", "allow-dangerously-skip-permissions", "permission-prompt-tool")


def create_tool_approval_handler(
    client: AsyncSekisho | None = None,
    *,
    workspace_id: str | None = None,
    conversation_id: str | None = None,
    agent_id: str | None = None,
    cwd: str | os.PathLike[str] | None = None,
    timeout_ms: int | None = None,
    patience: float | None = 30.0,
) -> CanUseToolCallback:
    """A `can_use_tool` that asks sekisho.

    The SDK does not call it for calls that its own settings allow: use `with_approval`, which sees those too.
    The third argument may be the SDK's context or a call id. Cancelling withdraws the question. A server that
    cannot be reached for `patience` seconds denies. `timeout_ms` is how long a human has; by default the rule says it.
    """
    asker = _asker(workspace_id, conversation_id, agent_id, cwd, timeout_ms)
    return _Approval(client or AsyncSekisho(), asker, patience).can_use_tool


def create_pre_tool_use_hook(
    client: AsyncSekisho | None = None,
    *,
    workspace_id: str | None = None,
    conversation_id: str | None = None,
    agent_id: str | None = None,
    cwd: str | os.PathLike[str] | None = None,
    timeout_ms: int | None = None,
    patience: float | None = 30.0,
) -> HookCallback:
    """A `PreToolUse` hook that asks sekisho about every call, those that the SDK's settings allow included.

    Add it as `HookMatcher(hooks=[hook], timeout=87_000, on_failure="block")`: the default of 60 s is too short for humans.
    """
    asker = _asker(workspace_id, conversation_id, agent_id, cwd, timeout_ms)
    return _Approval(client or AsyncSekisho(), asker, patience).pre_tool_use


def with_approval(
    options: ClaudeAgentOptions | None = None,
    client: AsyncSekisho | None = None,
    *,
    workspace_id: str | None = None,
    conversation_id: str | None = None,
    agent_id: str | None = None,
    timeout_ms: int | None = None,
    patience: float | None = 30.0,
) -> ClaudeAgentOptions:
    """A copy of the options in which every tool call asks sekisho.

    It adds `can_use_tool` and a `PreToolUse` hook, and removes what would skip them: `bypassPermissions` of the options, of
    sub-agents and of settings, `--dangerously-skip-permissions`, and `disableAllHooks`. A follow-up message to the same
    `ClaudeSDKClient` is gated as the first one is.
    """
    from claude_agent_sdk import ClaudeAgentOptions, HookMatcher

    options = options or ClaudeAgentOptions()
    if "bare" in options.extra_args:
        raise ValueError("`--bare` switches off the hook that asks sekisho; remove it from `extra_args`")
    asker = _asker(workspace_id, conversation_id, agent_id, options.cwd, timeout_ms)
    approval = _Approval(client or AsyncSekisho(), asker, patience)
    fields = {field.name for field in dataclasses.fields(HookMatcher)}
    blocks: dict[str, Any] = {"on_failure": "block"} if "on_failure" in fields else {}
    matcher = HookMatcher(hooks=[approval.pre_tool_use], timeout=_HOOK_TIMEOUT, **blocks)
    hooks = dict(options.hooks or {})
    hooks["PreToolUse"] = [matcher, *hooks.get("PreToolUse", [])]
    return dataclasses.replace(
        options,
        can_use_tool=approval.can_use_tool,
        hooks=hooks,
        permission_mode="default" if options.permission_mode == _BYPASS else options.permission_mode,
        permission_prompt_tool_name=None,
        extra_args=_arguments(options.extra_args),
        settings=_settings(options.settings, options.cwd),
        agents=_agents(options.agents),
    )


class _Approval:
    """Asks once for each call, whether the SDK calls the hook, the callback or both."""

    def __init__(self, client: AsyncSekisho, asker: Asker, patience: float | None) -> None:
        self._client = client
        self._asker = asker
        self._patience = patience
        # By call id: the input that may run, after an allow of the hook.
        self._allowed: dict[str, dict[str, Any]] = {}

    async def can_use_tool(self, tool_name: str, input: dict[str, Any], context: Any) -> Any:
        from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny

        call_id = _call_id(context)
        if call_id is not None and self._allowed.pop(call_id, None) == input:
            return PermissionResultAllow(updated_input=input)
        decision = await self._decide(tool_name, input, call_id, None)
        if decision["behavior"] == "allow":
            return PermissionResultAllow(updated_input=decision.get("updatedInput", input))
        return PermissionResultDeny(message=decision["message"], interrupt=decision.get("interrupt", False))

    async def pre_tool_use(self, input: Any, tool_use_id: str | None, context: Any) -> Any:
        try:
            told, tool = dict(input["tool_input"]), str(input["tool_name"])
            call_id = _joined(input.get("agent_id"), input.get("tool_use_id") or tool_use_id)
            decision = await self._decide(tool, told, call_id, input.get("cwd"))
        except Exception as error:  # a hook that fails would be skipped by an old CLI
            decision = denial(error, self._client.address)
            told, call_id = {}, None
        output: dict[str, Any] = {"hookEventName": "PreToolUse"}
        if decision["behavior"] == "allow":
            output["permissionDecision"] = "allow"
            updated = decision.get("updatedInput")
            if updated is not None:
                output["updatedInput"] = updated
            if call_id is not None:
                self._remember(call_id, told if updated is None else updated)
            return {"hookSpecificOutput": output}
        output["permissionDecision"] = "deny"
        output["permissionDecisionReason"] = decision["message"]
        answer: dict[str, Any] = {"hookSpecificOutput": output}
        if decision.get("interrupt"):
            answer |= {"continue_": False, "stopReason": decision["message"]}
        return answer

    async def _decide(self, tool: str, input: dict[str, Any], call_id: str | None, cwd: str | None) -> Decision:
        try:
            server, name = mcp_tool(tool)
        except ValueError as error:
            return denial(error, self._client.address)
        asker = dataclasses.replace(self._asker, cwd=cwd) if cwd else self._asker
        # Without an id nothing can be joined: every request is a question of its own.
        call = asker.call(name, input, call_id or f"call-{uuid.uuid4()}", server=server)
        decision = await self._client.ask_or_deny(call, patience=self._patience)
        if decision["behavior"] == "allow" and not isinstance(decision.get("updatedInput", {}), dict):
            return denial(TypeError("the edited input is no object"), self._client.address)
        return decision

    def _remember(self, call_id: str, input: dict[str, Any]) -> None:
        while len(self._allowed) >= 1000:
            self._allowed.pop(next(iter(self._allowed)))
        self._allowed[call_id] = input


def mcp_tool(name: str) -> tuple[str | None, str]:
    """The MCP server and the tool of a name such as `mcp__github__create_issue`; no server for any other name.

    A name that fits several tools of several servers is refused: a deny that names one of them could be missed.
    """
    if not name.startswith("mcp__"):
        return None, name
    rest = name.removeprefix("mcp__")
    server, _, tool = rest.partition("__")
    joints = sum(rest.startswith("__", at) for at in range(len(rest)))
    if not server or not tool or joints != 1:
        raise ValueError(f"`{name}` is ambiguous or names no tool; use server and tool names without `__`")
    return server, tool


def _call_id(context: Any) -> str | None:
    if isinstance(context, str):
        return context or None
    if isinstance(context, dict):
        return _joined(context.get("agent_id"), context.get("tool_use_id"))
    return _joined(getattr(context, "agent_id", None), getattr(context, "tool_use_id", None))


def _joined(agent: str | None, call: str | None) -> str | None:
    """Sub-agents may repeat the ids of others."""
    if not call:
        return None
    return f"{agent}/{call}" if agent else call


def _asker(
    workspace_id: str | None,
    conversation_id: str | None,
    agent_id: str | None,
    cwd: str | os.PathLike[str] | None,
    timeout_ms: int | None,
) -> Asker:
    place = str(Path(cwd or os.curdir).absolute())
    conversation = conversation_id or str(uuid.uuid4())
    return Asker(workspace_id, conversation, agent_id, place, place, timeout_ms)


def _arguments(given: dict[str, str | None]) -> dict[str, str | None]:
    return {
        name: value
        for name, value in given.items()
        if name not in _SKIPS and not (name == "permission-mode" and value == _BYPASS)
    }


def _settings(given: str | None, cwd: str | os.PathLike[str] | None) -> str:
    """Settings that switch hooks on and the bypass off. They outrank those of the project and of the user."""
    settings: dict[str, Any] = {}
    if given is not None:
        text = given.strip()
        if not text.startswith("{"):
            text = (Path(cwd or "") / text).read_text(encoding="utf-8-sig")
        settings = json.loads(text)
    permissions = dict(settings.get("permissions") or {})
    if permissions.get("defaultMode") == _BYPASS:
        del permissions["defaultMode"]
    permissions["disableBypassPermissionsMode"] = "disable"
    return json.dumps({**settings, "permissions": permissions, "disableAllHooks": False})


def _agents(given: dict[str, Any] | None) -> dict[str, Any] | None:
    if given is None:
        return None
    return {
        name: dataclasses.replace(agent, permissionMode="default") if getattr(agent, "permissionMode", None) == _BYPASS else agent
        for name, agent in given.items()
    }


CanUseTool = Callable[[str, dict[str, Any], Any], Awaitable[Any]]
"""The type of `can_use_tool`, for programs that do not install the SDK."""
