"""`fmgym tokens`: what a run of a chat agent reads, in tokens."""

from __future__ import annotations

from typing import Any

from fmgym.cli import common


def tokens(
    seed: common.Seed = "1",
    seasons: common.Seasons = "20",
    opponents: common.Opponents = "tiered",
    set_: common.Changes = None,
    json_: common.JsonFile = None,
) -> None:
    """Count the tokens of a run at five calls a stop: a scripted chat agent, and the tokenizer of --local's model.

    Fresh input is what an endpoint whose cache of prefixes holds within a stop reads anew.

    Example: fmgym tokens --seed 1 --json tokens.json
    """
    from fmgym.baselines.llm.local import LocalServer
    from fmgym.baselines.llm.policy import AgentPolicy
    from fmgym.baselines.llm.scripted import ScriptedAgent
    from fmgym.run import run

    common.check_outputs(json_)
    chosen, length, params = common.seed(seed), common.whole(seasons, "seasons"), common.changes(set_)
    server = LocalServer()
    try:
        policy = AgentPolicy(ScriptedAgent(server.tokens))
        with common.Bar("tokens:", "days") as bar:

            def watch(session: Any) -> None:
                bar.move(int(session.world.w.day), int(session.world.w.last_day))

            result = run(policy, chosen, length, opponents, params=params, progress=watch)
    finally:
        server.close()
    account = policy.account()
    content = {
        "seed": chosen,
        "seasons_played": round(result.settle_year, 2),
        "settle": result.settle,
        "stops": result.stops,
        "turns": result.turns,
        "errors": account["text"]["errors"],
        "usage": account["usage"],
    }
    common.write_json(json_, content)
    usage = account["usage"]
    print(
        f"seed {chosen}: {result.settle} after {result.settle_year:g} years, {result.stops} stops, {result.turns} turns"
    )
    print(f"input {usage['input']:,} tokens, fresh {usage['fresh_input']:,}, output {usage['output']:,}")
    print(f"fresh a stop {usage['fresh_input'] / result.stops:,.0f}")
