"""PettingZoo's conventions, exactly; what is refused, and that it changes nothing."""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces

import starboard
from astralis_envs import astralis_v0
from starboard import registry
from starboard.aec import BoardGameEnv, wrapped
from starboard.state import sealed
from starboard.testing.trace import mask_of, play_env

with warnings.catch_warnings():  # the module makes an environment of PettingZoo's in the old way
    warnings.filterwarnings("ignore", "The old environment creation API has been deprecated", DeprecationWarning)
    from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

MAKERS = [astralis_v0.env, astralis_v0.raw_env]


@pytest.fixture(params=MAKERS, ids=["env", "raw_env"])
def make(request):
    """Makes an environment on a small board, wrapped or not."""
    return lambda **options: request.param(**{"size": 4, **options})


def legal(env):
    """The legal actions of the agent selected."""
    return np.flatnonzero(mask_of(env)).tolist()


def to_the_end(env, seed=0):
    """Play to the end; no agent is stepped out yet."""
    env.reset(seed=seed)
    while not env.unwrapped.game.over:
        play_env(env, seed, plies=1)
    return env


# What a step does.


def test_agents_and_dictionaries(make):
    env = make()
    env.reset(seed=0)
    assert env.possible_agents == ["player_0", "player_1"]
    assert env.agents == env.possible_agents
    assert env.agents is not env.possible_agents
    assert env.max_num_agents == 2
    finished = 0
    while env.agents:
        assert env.num_agents == len(env.agents)
        assert env.agent_selection in env.agents
        for name in ("rewards", "terminations", "truncations", "infos", "_cumulative_rewards"):
            assert list(getattr(env, name)) == env.agents, name
        flags = [*env.terminations.values(), *env.truncations.values()]
        assert all(type(flag) is bool for flag in flags)
        if env.terminations[env.agent_selection]:
            finished += 1
            assert all(env.terminations.values())
            assert env.step(None) is None
        else:
            assert not any(flags)
            assert env.step(legal(env)[0]) is None
    assert finished == 2
    assert env.num_agents == 0
    assert env.rewards == env.terminations == env.truncations == env.infos == env._cumulative_rewards == {}


def test_the_end_of_a_game(make):
    env = to_the_end(make())
    facts = dict(env.infos)
    first = env.agent_selection
    returns = env.unwrapped.game.returns().tolist()
    assert env.rewards == dict(zip(env.agents, returns, strict=True))
    assert all(type(reward) is float for reward in env.rewards.values())
    assert sorted(returns) == [-1, 1]
    assert env._cumulative_rewards == env.rewards
    assert env.terminations == dict.fromkeys(env.agents, True)
    assert env.truncations == dict.fromkeys(env.agents, False)
    for info in facts.values():
        assert [(score > 0) for score in info["scores"]] == [True, True]
        assert json.dumps(info)
    # Each agent learns its result with its last observation, and then takes None.
    seen = {}
    for _ in range(2):
        agent = env.agent_selection
        observation, reward, terminated, truncated, info = env.last()
        seen[agent] = reward
        assert observation["action_mask"].sum() == 0
        assert observation["observation"].any()
        assert (terminated, truncated) == (True, False)
        assert info == facts[agent]
        env.step(None)
        # _was_dead_step clears the rewards, and keeps the cumulative reward of who has not been told yet.
        assert not any(env.rewards.values())
    assert seen == dict(zip(env.possible_agents, returns, strict=True))
    assert first in seen


def test_cumulative_rewards(grab):
    """Zero at the mover's step, added to for all; ``last()`` gives the sum since the agent's own last step."""
    env = BoardGameEnv(grab())
    for seed in range(20):
        env.reset(seed=seed)
        told = Counter()
        earned = Counter()
        while env.agents:
            agent = env.agent_selection
            _, reward, terminated, _, _ = env.last()
            assert reward == env._cumulative_rewards[agent]
            told[agent] += reward
            if terminated:
                env.step(None)
                continue
            before = dict(env._cumulative_rewards)
            env.step(legal(env)[-1])
            for other in env.agents:
                since = 0 if other == agent else before[other]
                assert env._cumulative_rewards[other] == since + env.rewards[other]
                earned[other] += env.rewards[other]
        assert told == earned
        assert sum(told.values()) == 0


def test_players_need_not_alternate(grab):
    """Whose turn it is comes from the game alone: seats move twice in a row, and in any order."""
    env = wrapped(BoardGameEnv(grab()))
    env.reset(seed=0)
    pairs = Counter()
    for seed in range(30):
        env.reset(seed=seed)
        previous = None
        for agent in env.agent_iter():
            _, _, terminated, _, _ = env.last()
            assert agent == env.agent_selection
            if not terminated:
                assert agent == f"player_{env.unwrapped.record['to_move']}"
                pairs[previous, agent] += previous is not None
                previous = agent
            env.step(None if terminated else legal(env)[seed % len(legal(env))])
        assert env.agents == []
    assert len([pair for pair, n in pairs.items() if n]) == 9


def test_last_without_observing(make):
    env = make()
    env.reset(seed=0)
    assert env.last(observe=False) == (None, 0, False, False, {})


def test_spaces(make):
    for mask_in in ("observation", "info"):
        env = make(mask_in=mask_in)
        for agent in env.possible_agents:
            assert env.action_space(agent) is env.action_space(agent)
            assert env.observation_space(agent) is env.observation_space(agent)
            assert env.action_space(agent) == spaces.Discrete(37 * 7 + 1)
            space = env.observation_space(agent)
            planes = space if mask_in == "info" else space["observation"]
            assert planes.shape == (8, 37)
            assert planes.dtype == np.int8
            if mask_in == "observation":
                assert space["action_mask"] == spaces.Box(0, 1, (260,), np.int8)
        one, other = (env.observation_space(agent) for agent in env.possible_agents)
        assert one is not other  # seeding one leaves the other alone
        env.reset(seed=0)
        while not env.unwrapped.game.over:
            for agent in env.agents:
                assert env.observe(agent) in env.observation_space(agent)
            state = env.state()
            assert state in env.unwrapped.state_space
            assert state.dtype == np.int8
            assert legal(env)[0] in env.action_space(env.agent_selection)
            env.step(legal(env)[0])


def test_masks_are_zeros_for_those_not_to_move_and_at_the_end(make):
    for mask_in in ("observation", "info"):
        env = make(mask_in=mask_in)
        env.reset(seed=1)
        while env.agents:
            over = env.unwrapped.game.over
            for agent in env.agents:
                mask = (
                    env.observe(agent)["action_mask"] if mask_in == "observation" else env.infos[agent]["action_mask"]
                )
                assert mask.dtype == np.int8
                assert mask.any() == (agent == env.agent_selection and not over)
            env.step(None if over else legal(env)[0])


def test_the_mask_in_the_info(make):
    env = make(mask_in="info")
    twin = make()
    env.reset(seed=2)
    twin.reset(seed=2)
    while not env.unwrapped.game.over:
        observation, _, _, _, info = env.last()
        assert isinstance(observation, np.ndarray)
        # The same object on each access: `api_test` compares infos with ==, and arrays can't be compared so.
        assert info["action_mask"] is env.last()[4]["action_mask"]
        assert info["action_mask"] is env.infos[env.agent_selection]["action_mask"]
        both = twin.last()[0]
        assert (info["action_mask"] == both["action_mask"]).all()
        assert (observation == both["observation"]).all()
        action = legal(env)[-1]
        env.step(action)
        twin.step(action)


def test_what_was_handed_out_is_never_written_again(make):
    for mask_in in ("observation", "info"):
        env = make(mask_in=mask_in)
        env.reset(seed=3)
        kept = []
        for _ in range(3):
            while env.agents:
                observation, _, terminated, _, info = env.last()
                arrays = [*observation.values()] if mask_in == "observation" else [observation, info["action_mask"]]
                kept += [(array, array.copy()) for array in [*arrays, env.state()]]
                env.step(None if terminated else legal(env)[0])
            env.reset()
        assert all((array == copy).all() for array, copy in kept)


def test_observations_of_both_sides():
    """Colours are swapped to the observer's point of view; :meth:`state` has all seats' planes."""
    env = astralis_v0.raw_env(size=4, setup="fixed")
    env.reset(seed=0)
    env.step(env.parse_action("f3*f4"))
    one, other = (env.observe(agent)["observation"] for agent in env.agents)
    for own, opponent in ((0, 1), (2, 3), (5, 6)):
        assert (one[own] == other[opponent]).all()
        assert (one[opponent] == other[own]).all()
    assert (env.state() == np.stack([one, other])).all()
    assert env.record["ply"] == 1
    assert env.describe_action(env.parse_action("F3 * f4")) == "f3*f4"


def test_reset_takes_any_options_and_seeds(make):
    env = make(setup="random", size=8)
    env.reset(seed=5, options={"anything": 1})
    first = env.state()
    env.reset()
    second = env.state()
    env.reset(options=None)
    third = env.state()
    env.reset(seed=np.int64(5))
    assert (env.state() == first).all()
    env.reset()
    assert (env.state() == second).all()
    assert len({array.tobytes() for array in (first, second, third)}) > 1
    for seed in (-1, 2**64, 0.5, "1", True):
        before = env.unwrapped.to_bytes()
        with pytest.raises(ValueError, match=r"seed=.*must be None or a whole number from 0"):
            env.reset(seed=seed)
        assert env.unwrapped.to_bytes() == before
    env.reset(seed=2**64 - 1)


def test_before_reset(make):
    env = make()
    with pytest.raises(AttributeError):
        _ = env.agents
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.state):
        with pytest.raises((RuntimeError, AssertionError), match="reset"):
            call()
    with pytest.raises(RuntimeError, match=r"reset\(\) must be called first"):
        _ = env.unwrapped.record


# PettingZoo's own tests.

KNOWN = {
    "observation": [
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    ],
    "info": [],
}
"""What `api_test` says about every environment whose observations are dictionaries, PettingZoo's own included."""


@pytest.mark.parametrize("mask_in", KNOWN)
@pytest.mark.parametrize("illegal", ["terminate", "raise"])
@pytest.mark.parametrize("options", [{}, {"size": 8, "setup": "random"}])
def test_api(make, mask_in, illegal, options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make(mask_in=mask_in, illegal=illegal, **options), num_cycles=200)
    assert sorted({str(warning.message) for warning in caught}) == KNOWN[mask_in]


@pytest.mark.parametrize("mask_in", ["observation", "info"])
def test_seed(mask_in):
    seed_test(lambda: astralis_v0.env(size=4, setup="random", mask_in=mask_in), num_cycles=200)


def test_api_and_seed_for_three(grab):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(wrapped(BoardGameEnv(grab())), num_cycles=100)
    assert sorted({str(warning.message) for warning in caught}) == KNOWN["observation"]
    seed_test(lambda: wrapped(BoardGameEnv(grab())), num_cycles=100)


def test_render(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("starboard.aec.RENDER_FPS", 1000)
    render_test(lambda render_mode: astralis_v0.env(size=4, render_mode=render_mode))


def test_performance(monkeypatch, capsys):
    """It runs; a clock that runs fast spares the five seconds."""
    module = sys.modules[performance_benchmark.__module__]
    ticks = iter(range(10000))
    monkeypatch.setattr(module.time, "time", lambda: next(ticks) / 20)
    performance_benchmark(astralis_v0.env(size=4))
    assert "Finished performance benchmark" in capsys.readouterr().out


def test_rendering(make, capsys):
    env = make(render_mode="ansi")
    env.reset(seed=0)
    texts = [env.render()]
    while not env.unwrapped.game.over:
        env.step(legal(env)[0])
        texts.append(env.render())
    assert texts[-1].endswith("over, last " + env.unwrapped.describe_action(int(env.unwrapped.record["last"])))
    assert len(set(texts)) == len(texts)
    assert capsys.readouterr().out == ""
    silent = make()
    silent.reset(seed=0)
    with pytest.warns(UserWarning, match=r"render\(\) does nothing without a render mode"):
        assert silent.render() is None


# Bad input.


def illegal_of(env):
    return int(np.flatnonzero(mask_of(env) == 0)[0])


def test_an_illegal_move_ends_the_game(make, caplog):
    for moves in (0, 1, 5, 6):
        env = make()
        env.reset(seed=0)
        play_env(env, 0, plies=moves)
        mover = env.agent_selection
        before = env.unwrapped.record.copy()
        env.step(illegal_of(env))
        assert "Illegal move made, game terminating with current player losing" in caplog.text
        caplog.clear()
        assert env.rewards == {agent: -1 if agent == mover else 0 for agent in env.possible_agents}
        assert env.terminations == dict.fromkeys(env.possible_agents, True)
        assert env.truncations == dict.fromkeys(env.possible_agents, False)
        assert env.unwrapped.record == before  # the move was not played
        assert all(not env.observe(agent)["action_mask"].any() for agent in env.agents)
        assert env.agent_selection == mover
        assert env.last()[1] == -1
        env.step(None)
        assert env.last()[1] == 0
        env.step(None)
        assert env.agents == []


def test_an_illegal_move_of_one_of_three(grab):
    env = BoardGameEnv(grab())
    env.reset(seed=0)
    play_env(env, 0, plies=2)
    mover = env.agent_selection
    env.step(illegal_of(env))
    seen = {}
    while env.agents:
        seen[env.agent_selection] = env.last()[1:4]
        env.step(None)
    assert seen == {agent: (-1 if agent == mover else 0, True, False) for agent in env.possible_agents}


WRONG = [
    (260, ValueError, r"action=260: must be in 0 \.\. 259"),
    (-1, ValueError, r"action=-1: must be in 0 \.\. 259"),
    (10**30, ValueError, r"must be in 0 \.\. 259"),
    (np.int64(260), ValueError, r"must be in 0 \.\. 259"),
    (1.0, TypeError, r"action=1\.0: must be an int or a NumPy integer, not float"),
    (np.float32(1), TypeError, "must be an int or a NumPy integer, not float32"),
    (True, TypeError, "action=True: must be an int or a NumPy integer, not bool"),
    (np.True_, TypeError, "must be an int or a NumPy integer, not bool"),
    ("1", TypeError, "action='1': must be an int or a NumPy integer, not str"),
    (None, TypeError, "action=None: must be an int or a NumPy integer, not NoneType"),
    ([1], TypeError, "must be an int or a NumPy integer, not list"),
    (np.array([1]), TypeError, "must be an int or a NumPy integer, not ndarray"),
]


@pytest.mark.parametrize(("action", "error", "message"), WRONG, ids=[repr(case[0]) for case in WRONG])
def test_what_is_no_action_changes_nothing(make, action, error, message):
    for illegal in ("terminate", "raise"):
        env = make(illegal=illegal)
        env.reset(seed=0)
        for moves in (0, 1, 4):
            play_env(env, 0, plies=moves)
            before = env.unwrapped.to_bytes()
            with pytest.raises(error, match=message):
                env.step(action)
            assert env.unwrapped.to_bytes() == before
            assert env.agent_selection in env.agents
            assert not any(env.terminations.values())
        play_env(env, 0)
        assert env.agents == []


def test_numpy_integers_are_actions(make):
    for kind in (int, np.int8, np.uint16, np.int32, np.int64, np.uint64, np.array):
        env = make(size=3)
        env.reset(seed=0)
        env.step(kind(legal(env)[0]))
        assert env.unwrapped.record["ply"] == 1


def test_an_illegal_move_that_raises_changes_nothing(make, caplog):
    env = make(illegal="raise")
    env.reset(seed=0)
    play_env(env, 0, plies=6)
    before = env.unwrapped.to_bytes()
    action = illegal_of(env)
    name = env.unwrapped.describe_action(action)
    with pytest.raises(ValueError, match=rf"action={action} \({name}.*\): is illegal here"):
        env.step(action)
    assert env.unwrapped.to_bytes() == before
    assert caplog.text == ""


@pytest.mark.parametrize("action", [0, 5, True, "x", -1])
def test_finished_agents_take_none_and_only_none(make, action):
    env = to_the_end(make())
    for agents_left in (2, 1):
        before = env.unwrapped.to_bytes()
        with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
            env.step(action)
        assert env.unwrapped.to_bytes() == before
        assert env.num_agents == agents_left
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("action", [0, None])
def test_a_step_when_all_agents_are_gone(action, caplog):
    raw = to_the_end(astralis_v0.raw_env(size=4))
    play_env(raw, 0)
    before = raw.to_bytes()
    with pytest.raises(RuntimeError, match=r"the game is over and all agents are gone; call reset\(\)"):
        raw.step(action)
    assert raw.to_bytes() == before
    env = to_the_end(astralis_v0.env(size=4))  # PettingZoo's wrapper warns instead
    play_env(env, 0)
    before = env.unwrapped.to_bytes()
    env.step(action)
    assert "step() called after all agents are terminated or truncated" in caplog.text
    assert env.unwrapped.to_bytes() == before


IMPOSSIBLE = [
    ({"size": 2}, ValueError, "size=2: must be a whole number from 3 to 8"),
    ({"size": 9}, ValueError, "size=9: must be a whole number from 3 to 8"),
    ({"size": 4.5}, ValueError, r"size=4\.5: must be a whole number"),
    ({"size": True}, ValueError, "size=True: must be a whole number"),
    ({"size": "8"}, ValueError, "size='8': must be a whole number"),
    ({"size": None}, ValueError, "size=None: must be a whole number"),
    ({"size": float("nan")}, ValueError, "size=nan: must be a whole number"),
    ({"stones": -1}, ValueError, "stones=-1: must be a whole number from 0 to"),
    ({"stones": 10**9}, ValueError, "stones=1000000000: must be a whole number from 0 to"),
    ({"komi": 0.25}, ValueError, r"komi=0\.25: must be a multiple of 0\.5"),
    ({"komi": 61}, ValueError, r"komi=61: must be a multiple of 0\.5 from -60\.0 to 60\.0"),
    ({"komi": float("inf")}, ValueError, "komi=inf: must be a multiple"),
    ({"komi": "3.5"}, ValueError, "komi='3.5': must be a multiple"),
    ({"stall_limit": 0}, ValueError, "stall_limit=0: must be a whole number from 1 to"),
    ({"setup": "chosen"}, ValueError, "setup='chosen': must be one of 'choose', 'fixed', 'random'"),
    ({"setup": 0}, ValueError, "setup=0: must be one of"),
    ({"bonus_stones": 1}, ValueError, "bonus_stones=1: must be True or False"),
    ({"bonus_stones": "no"}, ValueError, "bonus_stones='no': must be True or False"),
    ({"illegal": "ignore"}, ValueError, "illegal='ignore': must be one of 'terminate', 'raise'"),
    ({"mask_in": "both"}, ValueError, "mask_in='both': must be one of 'observation', 'info'"),
    ({"render_mode": "rgb"}, ValueError, "render_mode='rgb': must be one of None, 'human', 'ansi', 'rgb_array'"),
    ({"viewer": "player_2"}, ValueError, "viewer='player_2': must be one of 'mover', 'all', 'player_0', 'player_1'"),
    ({"viewer": 0}, ValueError, "viewer=0: must be one of 'mover'"),
    ({"siez": 5}, TypeError, "astralis has no option 'siez'; its options are size, stones, komi"),
]


@pytest.mark.parametrize(("options", "error", "message"), IMPOSSIBLE, ids=[str(case[0]) for case in IMPOSSIBLE])
def test_impossible_options(options, error, message):
    for maker in MAKERS:
        with pytest.raises(error, match=message):
            maker(**options)


def test_options_are_keywords():
    with pytest.raises(TypeError, match="positional"):
        astralis_v0.env(5)


def test_numbers_of_other_types_are_the_same_options():
    one, other = starboard.load("astralis", size=np.int32(5), komi=2), starboard.load("astralis", size=5.0, komi=2.0)
    assert one is other
    assert {name: type(value) for name, value in one.options.items()} == {
        "size": int,
        "stones": int,
        "komi": float,
        "stall_limit": int,
        "setup": str,
        "bonus_stones": bool,
    }
    assert one is not starboard.load("astralis", size=5)


# Saving.


def test_bytes_of_others_are_refused():
    env = to_the_end(astralis_v0.raw_env(size=4))
    good = env.to_bytes()
    other = to_the_end(astralis_v0.raw_env(size=5)).to_bytes()
    for data, message in (
        (other, "was played with options"),
        (b"", "is not a saved game"),
        (b"\n", "is not a saved game"),
        (b"{}\n", "is not a saved game"),
        (b"[1]\n" + good, "is not a saved game"),
        (good[:-1], "is cut short or damaged"),
        (good.partition(b"\n")[0] + b"\n", "is cut short or damaged"),
        (sealed(good[9:].partition(b"\n")[0] + b"\n"), "is cut short or damaged"),
        (sealed(good[9:].replace(b"astralis_v0", b"asterion_v0")), "is a game of asterion_v0, not of astralis_v0"),
        (sealed(good[9:].replace(b'"to_move"', b'"to_mov"')), "in another layout"),
        (env.game.to_bytes(), "is a game, but not a saved environment"),
    ):
        with pytest.raises(ValueError, match=message):
            env.from_bytes(data)
        assert env.to_bytes() == good


# PettingZoo's registry.

registered = pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this version of PettingZoo has no registry")


@registered
def test_pettingzoo_makes_it():
    env = pettingzoo.make("aec", "astralis_envs/astralis_v0", size=4, illegal="raise")
    assert type(env) is type(astralis_v0.env())
    assert env.unwrapped.spec is starboard.load("astralis", size=4)
    assert env.unwrapped.illegal == "raise"
    newest = pettingzoo.make("aec", "astralis_envs/astralis")
    assert newest.unwrapped.spec.id == "astralis_v0"
    env.reset(seed=0)
    play_env(env, 0)


@registered
def test_registering_twice_is_quiet():
    registry.register_pettingzoo("astralis_envs/astralis_v0", "astralis_envs.astralis_v0:env")


def test_pettingzoo_without_a_registry(monkeypatch):
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    registry.register_pettingzoo("astralis_envs/other_v0", "astralis_envs.astralis_v0:env")
    assert "astralis_envs/other-v0" not in getattr(pettingzoo, "aec_registry", {})
