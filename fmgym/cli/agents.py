"""Agents that are asked turn by turn, as the command line names them: by options, or in a seat of an Arena."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fmgym.cli import common
from fmgym.errors import BadInput

if TYPE_CHECKING:
    from fmgym.baselines.llm.policy import AgentPolicy
    from fmgym.baselines.llm.protocol import Agent

SEAT = "llm:"  # how a seat names one: llm:MODEL,option=value,...
PROVIDERS = ("openai", "anthropic", "process", "local")
LOCAL_CONTEXT = 7_500  # tokens of a conversation with the local model, as the harness estimates them
DEFAULTS: dict[str, Any] = {  # of fmgym llm and of seats; text, or None for what is left to the endpoint
    "provider": "openai",
    "base-url": None,
    "speaks": "tools",
    "temperature": None,
    "reasoning": None,
    "max-output": None,
    "timeout": "600",
    "memory": "stop",
    "max-context": "100000",
    "patience": "600",
    "on-failure": "pause",
    "max-usd": None,
    "max-tokens": None,
    "prices": None,
}


def policy(model: str, options: Mapping[str, str | None]) -> AgentPolicy:
    """A policy that asks ``model``, which for the provider ``process`` is a command.

    ``options`` as ``fmgym llm`` has them, ``DEFAULTS`` where one is lacking.
    """
    from fmgym.baselines.llm.account import prices
    from fmgym.baselines.llm.policy import AgentPolicy, Patience

    o = DEFAULTS | dict(options)
    context = count(o["max-context"], "max-context") or 1
    return AgentPolicy(
        _agent(model, o),
        memory=str(o["memory"]),
        on_failure=str(o["on-failure"]),
        patience=Patience(number(o["patience"], "patience") or 0.0),
        max_usd=number(o["max-usd"], "max-usd"),
        max_tokens=count(o["max-tokens"], "max-tokens"),
        max_context=min(context, LOCAL_CONTEXT) if o["provider"] == "local" else context,
        prices=prices(Path(o["prices"]) if o["prices"] else None),
    )


def _agent(model: str, o: Mapping[str, str | None]) -> Agent:
    from fmgym.baselines.llm.anthropic_messages import AnthropicAgent
    from fmgym.baselines.llm.openai_chat import OpenAIAgent

    if o["provider"] not in PROVIDERS:
        raise BadInput(f"--provider takes {' or '.join(PROVIDERS)}, not {o['provider']!r}")
    if o["speaks"] not in ("tools", "json"):
        raise BadInput(f"--speaks takes tools or json, not {o['speaks']!r}")
    settings: dict[str, Any] = {
        "base_url": o["base-url"],
        "speaks": o["speaks"],
        "temperature": number(o["temperature"], "temperature"),
        "reasoning": o["reasoning"],
        "max_output": count(o["max-output"], "max-output"),
        "timeout": number(o["timeout"], "timeout"),
    }
    if o["provider"] in ("process", "local"):
        return _here(model, o, settings["timeout"])
    agent: Agent = (AnthropicAgent if o["provider"] == "anthropic" else OpenAIAgent)(model, **settings)
    return agent


def _here(model: str, o: Mapping[str, str | None], timeout: float) -> Agent:
    """What needs no endpoint: a program, or the local model."""
    from fmgym.baselines.llm.local import LocalAgent, shared_server
    from fmgym.baselines.llm.process import ProcessAgent

    for name in ("base-url", "temperature", "reasoning", "max-output"):
        if o[name] is not None:
            raise BadInput(f"--{name} is for models behind endpoints, not for --agent-cmd and --local")
    if o["provider"] == "local":
        return LocalAgent(shared_server(), timeout=timeout)
    speaks: Literal["tools", "json"] = "json" if o["speaks"] == "json" else "tools"
    return ProcessAgent(model, speaks=speaks, kept=o["memory"] == "session", timeout=timeout)


def in_seat(text: str) -> AgentPolicy:
    """The policy that ``llm:MODEL,option=value,...`` means in a seat."""
    model, *given = text.removeprefix(SEAT).split(",")
    options: dict[str, str | None] = {}
    for part in given:
        name, equals, value = part.partition("=")
        if not equals or name.strip() not in DEFAULTS:
            raise BadInput(f"a seat takes {SEAT}MODEL,OPTION=VALUE with one of {', '.join(DEFAULTS)}, not {part!r}")
        options[name.strip()] = value.strip()
    if not model.strip():
        raise BadInput(f"a seat takes {SEAT}MODEL, not {text!r}")
    return policy(model.strip(), options)


def number(text: str | None, name: str) -> float | None:
    """A number from 0 given as text."""
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise BadInput(f"--{name} takes a number from 0, not {text!r}")
    return value


def count(text: str | None, name: str) -> int | None:
    """A whole number from 1 given as text."""
    if text is None:
        return None
    value = common.whole(text, name)
    if value < 1:
        raise BadInput(f"--{name} takes a whole number from 1, not {value}")
    return value
