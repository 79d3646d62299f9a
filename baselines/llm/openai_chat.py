"""Any endpoint that speaks OpenAI's chat completions, by the ``openai`` client (extra ``openai``)."""

from __future__ import annotations

import json
from typing import Any

from fmgym.baselines.llm.client import ClientAgent
from fmgym.baselines.llm.protocol import Ended, Failure, Message, Reply, Request, ToolUse, Usage


class OpenAIAgent(ClientAgent):
    """A model behind chat completions."""

    package = "openai"
    client = "OpenAI"
    key_name = "OPENAI_API_KEY"

    def _send(self, request: Request) -> Reply:
        completion = self._client.chat.completions.create(
            model=self._model, messages=_messages(request), **self._options(request)
        )
        return _reply(completion)

    def _options(self, request: Request) -> dict[str, Any]:
        limit = "max_completion_tokens" if self._base_url is None else "max_tokens"
        options = {
            "temperature": self._setting("temperature"),
            "reasoning_effort": self._setting("reasoning"),
            limit: self._setting("max_output"),
            "tools": _tools(request.tools) if self.speaks == "tools" else None,
        }
        return {name: value for name, value in options.items() if value is not None}


def _tools(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": t["name"], "description": t["description"], "parameters": t["inputSchema"]},
        }
        for t in tools
    ]


def _messages(request: Request) -> list[dict[str, Any]]:
    """The conversation in the form of chat completions."""
    out: list[dict[str, Any]] = [{"role": "system", "content": request.system}]
    for message in request.messages:
        if message.role == "results":
            out += [{"role": "tool", "tool_call_id": i, "content": text} for i, text in message.results.items()]
        else:
            out.append(_said(message))
    return out


def _said(message: Message) -> dict[str, Any]:
    if not message.calls:
        return {"role": message.role, "content": message.text}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": _arguments(call)}}
        for call in message.calls
    ]
    return {"role": "assistant", "content": message.text or None, "tool_calls": calls}


def _arguments(call: ToolUse) -> str:
    """Arguments as JSON. Servers read them again, and some fall over what is none: its answer says so already."""
    if not isinstance(call.args, str):
        return json.dumps(call.args)
    try:
        return call.args if isinstance(json.loads(call.args), dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"


def _reply(completion: Any) -> Reply:
    """What came back. Raises ``Failure`` where that is no whole turn."""
    if not getattr(completion, "choices", None):
        raise Failure(Ended.SERVER, f"the reply has no choices: {completion!r:.200}")
    choice, usage = completion.choices[0], _usage(completion.usage)
    message = choice.message
    if choice.finish_reason == "length":
        raise Failure(Ended.TRUNCATED, "the reply was cut off at the limit of output tokens", usage=usage)
    if choice.finish_reason == "content_filter" or getattr(message, "refusal", None):
        raise Failure(Ended.FILTERED, "the endpoint withheld the reply", usage=usage)
    calls = [
        ToolUse(call.id or "", call.function.name or "", call.function.arguments or "")
        for call in message.tool_calls or []
        if call.function
    ]
    text = message.content or ""
    if not calls and not text.strip():
        raise Failure(Ended.EMPTY, "the reply is empty", usage=usage)
    thought = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None) or ""
    return Reply(text, str(thought), calls, usage, completion.model)


def _usage(usage: Any) -> Usage | None:
    if usage is None:
        return None
    told = usage.prompt_tokens_details
    thought = usage.completion_tokens_details
    return Usage(
        input=usage.prompt_tokens or 0,
        output=usage.completion_tokens or 0,
        cached=(told.cached_tokens or 0) if told else 0,
        reasoning=(thought.reasoning_tokens or 0) if thought else 0,
    )
