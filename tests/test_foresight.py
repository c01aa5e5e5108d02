"""A short look ahead: the same as the greedy bot sees, and nothing that the seat may not know."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import starboard
from starboard import dispatch
from starboard.agents import load_agent
from starboard.agents.agent import Agent, describe
from starboard.agents.network import Network
from starboard.benchmark import training
from starboard.bots import GreedyBot, choose_actions
from starboard.foresight import MOST, Foresight
from starboard.sb3 import SeatVecEnv
from starboard.state import view
from starboard.testing import walk
from starboard.training.policy import BoardPolicy

GAMES = [("asteria", {}), ("asterion", {"players": 3}), ("astralis", {"size": 4})]
FIRST = np.arange(1)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_what_it_says(name, options):
    """Zero where illegal; one ply ahead and without chance, the greedy bot's choice is a greatest entry."""
    spec = starboard.load(name, **options)
    foresight, greedy = Foresight(spec), GreedyBot(spec, seed=0)
    differences = 0
    for game in walk(spec, seed=0, games=2):
        if game.state.over:
            continue
        before = game.state.to_bytes()
        seen = foresight(game.state.records, FIRST)
        assert game.state.to_bytes() == before
        assert seen.dtype == np.int8
        assert seen.shape == (1, spec.num_actions)
        assert not seen[0, game.state.mask == 0].any()
        assert np.abs(seen.astype(int)).max() <= MOST
        legal = seen[0, game.state.mask != 0].astype(int)
        differences += legal.min() < legal.max()
        if name == "astralis":
            assert seen[0, greedy.act(game.state.records, FIRST)[0]] == legal.max()
    assert differences > 5


def guessed_alike(state, decoded):
    """Is the same dealt for what is hidden? Not where an observation leaves open which of two like cards is which."""
    resample = dispatch.kernel(state.spec.state_dtype, "resample")
    guesses = [state.records.copy(), decoded.copy()]
    for guess in guesses:
        resample(state.spec.params[0], guess[0], state.to_move, np.uint64(0))
    return all(
        (guesses[0][name] == guesses[1][name]).all() for name in ("hand", "deck") if name in guesses[0].dtype.names
    )


@pytest.mark.parametrize(("name", "options"), GAMES[:2])
def test_it_never_peeks(name, options):
    """Whatever is hidden from the seat to move, foresight is the same; and from its observation alone, too."""
    spec = starboard.load(name, **options)
    foresight = Foresight(spec)
    resample = dispatch.kernel(spec.state_dtype, "resample")
    compared = 0
    for game in walk(spec, seed=1, games=3):
        if game.state.over:
            continue
        seen = foresight(game.state.records, FIRST)
        for seed in range(3):
            other = game.state.records.copy()
            resample(spec.params[0], other[0], game.state.to_move, np.uint64(seed))
            assert (foresight(other, FIRST) == seen).all()
        decoded = spec.decode(game.state.observed)
        if guessed_alike(game.state, decoded):
            compared += 1
            assert (foresight(decoded, FIRST) == seen).all()
    assert compared > 5


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_agents_decide_alike_from_records_and_observations(name, options, tmp_path):
    spec = starboard.load(name, **options)
    kind = "mlp" if spec.grid is None else "grid"
    network = Network(spec, kind, 8)
    if spec.foresight:
        network.trust.data[:] = 0.3
    Agent(network, spec, describe(spec, kind, 8)).save(tmp_path / "agent.zip")
    agent = load_agent(tmp_path / "agent.zip")
    agent.temperature = 0.0
    compared = 0
    for game in walk(spec, seed=2, games=1):
        if not game.state.over:
            observations, masks = view(spec, game.state.records, FIRST)
            action = choose_actions(agent, game.state.records, FIRST, observations, masks)[0]
            again = agent(game.state.observed, game.state.mask)
            assert again == agent.probabilities(observations, masks)[0].argmax()
            if guessed_alike(game.state, spec.decode(game.state.observed)):
                compared += 1
                assert action == again
    assert compared > 5


def test_networks_and_policies_ask_for_it():
    spec = starboard.load("asterion", discard="random")
    network = Network(spec, "grid", 8)
    with pytest.raises(AssertionError):
        network(torch.zeros((1, *spec.observation_shape), dtype=torch.int8))
    envs = SeatVecEnv(spec, num_envs=2, seed=0)
    with pytest.raises(ValueError, match="made with foresight=True"):
        BoardPolicy(envs.observation_space, envs.action_space, lambda _: 0.001, spec, "grid", 8)


def test_the_benchmark_trains_with_it():
    assert training(starboard.load("asterion", discard="random"), quick=True)() > 0


def test_environments_show_it_beside_the_observation():
    envs = SeatVecEnv("asterion", num_envs=4, seed=0, foresight=True, discard="random")
    plain = SeatVecEnv("asterion", num_envs=4, seed=0, discard="random")
    seen, observed = envs.reset(), plain.reset()
    spec, size = plain.game_spec, plain.game_spec.observation_high.size
    assert envs.observation_space.shape == (size + spec.num_actions,)
    finals = 0
    for _ in range(40):
        assert all(row in envs.observation_space for row in seen)
        assert (seen[:, :size] == observed.reshape(4, -1)).all()
        assert (seen[:, size:] == Foresight(spec)(envs.games.records, np.arange(4))).all()
        assert (envs.look() == seen).all()
        actions = np.array([np.flatnonzero(mask)[0] for mask in envs.action_masks()])
        seen, _, _, infos = envs.step(actions)
        observed, _, _, _ = plain.step(actions)
        for info in infos:
            if "terminal_observation" in info:
                finals += 1
                assert info["terminal_observation"] in envs.observation_space
    assert finals
