"""Saved agents carry the cards that they were trained with (AN-1.3)."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

import starboard
from starboard.agents import Agent, load_agent
from starboard.agents.agent import describe
from starboard.agents.network import Network, default_network
from starboard.arena import choose_spec
from starboard.state import GameState

TEXT = (files("asterion_envs") / "data" / "reference.toml").read_text(encoding="utf-8")


def test_an_agent_knows_its_cards(tmp_path: Path) -> None:
    file, other = tmp_path / "mine.toml", tmp_path / "other.toml"
    file.write_text(TEXT.replace("T03", "Mine"), encoding="utf-8")
    other.write_text(TEXT.replace("T03", "Yours"), encoding="utf-8")
    spec = starboard.load("asterion", tiles=file)
    kind = default_network(spec)
    saved = tmp_path / "agent.zip"
    Agent(Network(spec, kind, 8), spec, describe(spec, kind, 8)).save(saved)
    file.unlink()
    agent = load_agent(saved)
    assert agent.spec is spec
    state = GameState(spec, 0)
    assert agent(state.observed, state.mask) in state.legal_actions()
    assert choose_spec([saved]) is spec
    for options in ({}, {"tiles": other}):
        refused = starboard.load("asterion", **options)
        with pytest.raises(ValueError, match=r"plays <asterion_v0\(.*tiles=<.*>, not <asterion_v0\(.*tiles=") as error:
            load_agent(saved, spec=refused)
        assert "\n" not in str(error.value)
