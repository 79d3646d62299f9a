"""The evaluation harness: language models, and other agents that are asked turn by turn, play runs.

An **agent** (``protocol.Agent``) is asked for one turn at a time. ``ask`` gets a ``Request``: system text, tools,
and the conversation of the stop so far, its first message the stop's packet. It returns a ``Reply``: the calls it
wants to make (or text in which they stand, if it ``speaks`` JSON), what it used, and how it ended; or it raises
``Failure`` with a typed reason when no reply came. An agent needs no memory: after a resume it is handed the
whole conversation of the running stop again. ``Request.new`` says how many of the messages it has not seen, for
agents that keep their own context.

``policy.AgentPolicy`` makes a policy of an agent, for the one runner (``fmgym.run.run``): it retries, keeps the
record (``transcript.Transcript``), plays turns through ``fmgym.text``, and accounts for what they cost.

    from fmgym.baselines.llm.policy import AgentPolicy
    from fmgym.run import run

    result = run(AgentPolicy(agent), seed=1, out="runs/mine")

| module | what |
|---|---|
| ``protocol`` | requests, replies, failures, the agent protocol |
| ``policy`` | an agent as a policy: turns, retries, budgets, failed turns |
| ``conversation`` | what an agent is sent: the stop so far, earlier ones in memory ``session``, and what is left out |
| ``transcript`` | the record of every request and reply, written before a turn is played |
| ``account`` | tokens, cost, time, counts; ``prices.toml`` |
| ``reader`` | transcripts as a person reads them, as text or a page |
| ``client`` | what agents over HTTP clients share: keys, settings, failures by kind |
| ``openai_chat``, ``anthropic_messages`` | agents over the two clients (extras ``openai`` and ``anthropic``) |
| ``process`` | programs as agents, one JSON line in, one out |
| ``local`` | a small model on this machine, by llama.cpp's server (extra ``local``) |
| ``mcp_server`` | clients of the Model Context Protocol as agents (extra ``mcp``) |
| ``scripted`` | a chat agent without a model, to measure what a run reads |
"""
