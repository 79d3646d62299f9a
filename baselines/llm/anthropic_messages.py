"""Anthropic's messages, by the ``anthropic`` client (extra ``anthropic``)."""

from __future__ import annotations

import json
from typing import Any

from fmgym.baselines.llm.client import ClientAgent
from fmgym.baselines.llm.protocol import Ended, Failure, Message, Reply, Request, ToolUse, Usage

MOST_OUTPUT = 16_000  # tokens of a reply, where nothing else is asked for: the endpoint wants a number
_CACHED = {"cache_control": {"type": "ephemeral"}}  # up to here the endpoint may keep what it has read


class AnthropicAgent(ClientAgent):
    """A model behind the messages endpoint.

    ``reasoning`` is a number of tokens to think in, ``off``, or a word for the effort (low, medium, high, ...).
    Rules, tools and the conversation so far are marked for the endpoint's cache.
    """

    package = "anthropic"
    client = "Anthropic"
    key_name = "ANTHROPIC_API_KEY"

    def __init__(self, model: str, **settings: Any) -> None:
        super().__init__(model, **{**settings, "max_output": settings.get("max_output") or MOST_OUTPUT})

    def _send(self, request: Request) -> Reply:
        options = {"tools": request.tools and _tools(request.tools)} if self.speaks == "tools" else {}
        return _reply(
            self._client.messages.create(
                model=self._model,
                max_tokens=self._settings["max_output"],
                system=[{"type": "text", "text": request.system, **_CACHED}],
                messages=_messages(request.messages),
                extra_body=self._extra(),
                **options,
            )
        )

    def _extra(self) -> dict[str, Any]:
        """Settings that not all versions of the client know by name."""
        out: dict[str, Any] = {}
        reasoning, temperature = self._setting("reasoning"), self._setting("temperature")
        if temperature is not None:
            out["temperature"] = temperature
        if reasoning == "off":
            out["thinking"] = {"type": "disabled"}
        elif reasoning and reasoning.isdigit():
            out["thinking"] = {"type": "enabled", "budget_tokens": int(reasoning)}
        elif reasoning:
            out |= {"thinking": {"type": "adaptive"}, "output_config": {"effort": reasoning}}
        return out


def _tools(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": t["name"], "description": t["description"], "input_schema": t["inputSchema"]} for t in tools]


def _messages(messages: list[Message]) -> list[dict[str, Any]]:
    """The conversation as blocks; messages of one side in a row are one."""
    out: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        if out and out[-1]["role"] == role:
            out[-1]["content"] += _blocks(message)
        else:
            out.append({"role": role, "content": _blocks(message)})
    last = out[-1]["content"]
    last[-1] = {**last[-1], **_CACHED}
    return out


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "results":
        return [{"type": "tool_result", "tool_use_id": i, "content": text} for i, text in message.results.items()]
    if message.raw:  # the model's own blocks, thoughts and their signatures included
        return list(message.raw)
    text = [{"type": "text", "text": message.text}] if message.text.strip() else []
    return text + [
        {"type": "tool_use", "id": call.id, "name": call.tool, "input": _object(call.args)} for call in message.calls
    ]


def _object(args: str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(args, dict):
        return args
    value = json.loads(args)
    return value if isinstance(value, dict) else {}


def _reply(message: Any) -> Reply:
    """What came back. Raises ``Failure`` where that is no whole turn."""
    if not hasattr(message, "content") or not hasattr(message, "stop_reason"):
        raise Failure(Ended.SERVER, f"the reply is no message: {message!r:.200}")
    usage = _usage(message.usage)
    if message.stop_reason == "max_tokens":
        raise Failure(Ended.TRUNCATED, "the reply was cut off at the limit of output tokens", usage=usage)
    if message.stop_reason == "model_context_window_exceeded":
        raise Failure(Ended.CONTEXT, "the model's context is full", usage=usage)
    if message.stop_reason == "refusal":
        raise Failure(Ended.FILTERED, "the endpoint withheld the reply", usage=usage)
    calls = [ToolUse(block.id, block.name, dict(block.input)) for block in message.content if block.type == "tool_use"]
    text = "\n\n".join(block.text for block in message.content if block.type == "text")
    if not calls and not text.strip():
        raise Failure(Ended.EMPTY, "the reply is empty", usage=usage)
    raw = [block.model_dump(mode="json", exclude_none=True) for block in message.content]
    thought = "\n\n".join(block.thinking for block in message.content if block.type == "thinking")
    return Reply(text, thought, calls, usage, message.model, raw)


def _usage(usage: Any) -> Usage | None:
    """Anthropic counts what was read from or written to its cache apart from other input."""
    if usage is None:
        return None
    cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    thought = getattr(getattr(usage, "output_tokens_details", None), "thinking_tokens", None) or 0
    return Usage(
        input=usage.input_tokens + cached + written,
        output=usage.output_tokens,
        cached=cached,
        cache_written=written,
        reasoning=thought,
    )
