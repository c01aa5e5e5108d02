"""One learner's seat: whose reward, when, and what it sees."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import astralis_envs  # noqa: F401 - registers the game
import starboard
from starboard.bots import GreedyBot, RandomBot, RecordBot, Team
from starboard.seat import SeatEnv, SeatGames
from starboard.spec import GameSpec
from starboard.state import GameState

ID = "astralis_envs/Astralis-v0"
SMALL = {"size": 3, "stall_limit": 6}


class Scripted:
    """Plays fixed actions in turn, whatever it sees; remembers what it was shown."""

    def __init__(self, actions: list[int]) -> None:
        self.actions = list(actions)
        self.seen: list[tuple[np.ndarray, np.ndarray]] = []

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        assert len(observations) == 1
        self.seen.append((observations, masks))
        return np.array([self.actions.pop(0)])


def lines(seat: int, wins: int | None, **options: object) -> tuple[list[int], list[int], GameState]:
    """A random whole game that ends on a move of ``seat``, and is won by seat ``wins`` (None: drawn)."""
    spec = starboard.load("astralis", **{**SMALL, **options})
    for seed in range(3000):
        rng = np.random.default_rng(seed)
        state = GameState(spec, seed=0)
        moves: list[list[int]] = [[], []]
        mover = 0
        while not state.over:
            mover = state.to_move
            moves[mover].append(int(rng.choice(state.legal_actions())))
            state.step(moves[mover][-1])
        won = None if not state.returns().any() else int(state.returns().argmax())
        if mover == seat and won == wins:
            return moves[0], moves[1], state
    raise AssertionError("no such game was met")


@pytest.mark.parametrize("learner", [0, 1])
@pytest.mark.parametrize("last_mover", [0, 1])
@pytest.mark.parametrize("winner", [0, 1, None])
def test_reward_timeline(learner: int, last_mover: int, winner: int | None) -> None:
    """Games won, lost and drawn, ended by the learner's move or the opponent's: one reward, its own, at the end."""
    options = {"komi": 0.0} if winner is None else {}
    moves = lines(last_mover, winner, **options)
    state = moves[2]
    opponent = Scripted(moves[1 - learner])
    env = gymnasium.make(ID, opponent=opponent, seat=learner, **{**SMALL, **options})
    observation, info = env.reset(seed=0)
    assert observation[-1, 2] == learner
    rewards = []
    for number, action in enumerate(moves[learner]):
        assert info["action_mask"][action] == 1
        observation, reward, terminated, truncated, info = env.step(action)
        rewards.append(reward)
        assert terminated == (number == len(moves[learner]) - 1)
        assert truncated is False
    assert opponent.actions == []
    assert rewards[:-1] == [0.0] * (len(rewards) - 1)
    assert rewards[-1] == state.returns()[learner] == (0.0 if winner is None else 1.0 if winner == learner else -1.0)
    np.testing.assert_array_equal(observation, state.observation(learner))
    assert info["scores"] == state.spec.final_info(state.record)["scores"]
    assert not info["action_mask"].any()
    assert not env.unwrapped.action_masks().any()


def test_opponents_see_their_own_side() -> None:
    """An opponent is shown what its own seat may know, with its own mask."""
    first, second, _ = lines(0, 0)
    opponent = Scripted(second)
    env = gymnasium.make(ID, opponent=opponent, seat=0, **SMALL)
    env.reset(seed=0)
    for action in first:
        env.step(action)
    for observations, masks in opponent.seen:
        assert observations[0, -1, 1] == 1  # to move
        assert observations[0, -1, 2] == 1  # as player_1
        assert masks.any()


def test_two_episodes_after_each_ending() -> None:
    """After a natural end and after an illegal move the next episode is as on a fresh environment."""
    for ending in ("natural", "illegal"):
        env = gymnasium.make(ID, opponent="random", **SMALL)
        _, info = env.reset(seed=1)
        over = False
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            action = int(legal[0]) if ending == "natural" else int(np.flatnonzero(info["action_mask"] == 0)[0])
            _, reward, over, _, info = env.step(action)
        assert ("illegal" in info) == (ending == "illegal")
        if ending == "illegal":
            assert reward == -1.0
        fresh = gymnasium.make(ID, opponent="random", **SMALL)
        observations, infos = zip(env.reset(seed=9), fresh.reset(seed=9), strict=True)
        over = False
        while not over:
            np.testing.assert_array_equal(*observations)
            action = int(np.flatnonzero(infos[0]["action_mask"])[-1])
            observations, rewards, (over, also), _, infos = zip(env.step(action), fresh.step(action), strict=True)
            assert (rewards[0], over) == (rewards[1], also)


def test_gymnasium_check_env(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # it makes a window, too
    monkeypatch.setitem(SeatEnv.metadata, "render_fps", 1000)
    check_env(gymnasium.make(ID, opponent="random", size=4).unwrapped)
    check_env(gymnasium.make(ID, opponent="greedy", size=4, render_mode="ansi").unwrapped)


def test_make_with_module_prefix() -> None:
    """The form that imports the game by itself."""
    env = gymnasium.make(f"astralis_envs:{ID}", size=3)
    assert env.reset(seed=0)[0].shape == (8, 19)


def test_seats_fixed_alternating_random() -> None:
    spec = starboard.load("astralis", **SMALL)
    bot = RandomBot(spec, seed=1)

    def seats(seat: int | str, steps: int = 40) -> list[list[int]]:
        games = SeatGames(spec, 4, "random", seat, seed=5)
        now = games.reset()
        taken = [[int(s)] for s in games.seats]
        for _ in range(steps):
            now = games.step(bot(now.observations, now.action_masks))
            for game, info in zip(now.ended.tolist(), now.final_infos, strict=True):
                assert info["seat"] == taken[game][-1]
                taken[game].append(int(games.seats[game]))
        return taken

    assert all(set(game) == {1} for game in seats(1))
    for number, game in enumerate(seats("alternate")):
        assert len(game) > 3
        assert game == [(number + episode) % 2 for episode in range(len(game))]
    drawn = [seat for game in seats("random", 200) for seat in game]
    assert 0.3 < np.mean(drawn) < 0.7


def test_vector_env_is_the_single_one_many_times() -> None:
    """Rows of the vector environment's arrays, replayed on the game itself, terminal observations included."""
    envs = gymnasium.make_vec(ID, num_envs=5, opponent="random", seat="alternate", **SMALL)
    spec = envs.unwrapped.game_spec
    observations, infos = envs.reset(seed=3)
    assert envs.observation_space.contains(observations)
    bot = RandomBot(spec, seed=2)
    ends = 0
    for _ in range(60):
        seats = infos["seat"]
        masks = infos["action_mask"]
        np.testing.assert_array_equal(observations[:, -1, 2], seats)
        np.testing.assert_array_equal(observations[:, -1, 1], 1)
        np.testing.assert_array_equal(envs.unwrapped.action_masks(), masks.astype(bool))
        actions = bot(observations, masks)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert not truncated.any()
        assert ((rewards != 0) <= terminated).all()
        for game in np.flatnonzero(terminated):
            ends += 1
            final = infos["final_obs"][game]
            assert infos["_final_obs"][game]
            assert final[-1, 10] == 1  # over
            assert final[-1, 2] == seats[game]
            scores = infos["final_info"]["scores"][game]
            assert rewards[game] == np.sign(scores[seats[game]] - scores[1 - seats[game]])
    assert ends > 20


def test_arrays_are_never_written_again() -> None:
    envs = gymnasium.make_vec(ID, num_envs=8, opponent="random", **SMALL)
    bot = RandomBot(envs.unwrapped.game_spec, seed=2)
    observations, infos = envs.reset(seed=3)
    kept = []
    for _ in range(10):
        kept += [(array, array.copy()) for array in (observations, infos["action_mask"], infos["seat"])]
        observations, rewards, terminated, truncated, infos = envs.step(bot(observations, infos["action_mask"]))
        kept += [(array, array.copy()) for array in (rewards, terminated, truncated)]
    for array, copy in kept:
        np.testing.assert_array_equal(array, copy)


def test_same_seed_same_games() -> None:
    def play(seed: int) -> list[bytes]:
        envs = gymnasium.make_vec(ID, num_envs=4, opponent=["greedy", "random"], **SMALL)
        bot = RandomBot(envs.unwrapped.game_spec, seed=2)
        observations, infos = envs.reset(seed=seed)
        out = []
        for _ in range(20):
            observations, *_, infos = envs.step(bot(observations, infos["action_mask"]))
            out.append(observations.tobytes())
        return out

    assert play(1) == play(1)
    assert play(1) != play(2)


def test_state_as_bytes() -> None:
    """Games go on the same after from_bytes, opponents' generators included."""
    spec = starboard.load("astralis", **SMALL)
    games = SeatGames(spec, 6, ["random", "greedy"], "random", seed=4)
    now = games.reset()
    bot = RandomBot(spec, seed=1)
    for _ in range(7):
        now = games.step(bot(now.observations, now.action_masks))
    data = games.to_bytes()
    other = SeatGames(spec, 6, ["random", "greedy"], "random", seed=99)
    other.from_bytes(data)
    for _ in range(20):
        actions = bot(now.observations, now.action_masks)
        now, twin = games.step(actions), other.step(actions)
        for a, b in zip(now[:6], twin[:6], strict=True):
            np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match="number of games"):
        SeatGames(spec, 5, ["random", "greedy"], seed=1).from_bytes(data)
    with pytest.raises(ValueError, match="options"):
        SeatGames(starboard.load("astralis", size=4), 6, ["random", "greedy"]).from_bytes(data)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"opponent": "nobody"}, "nobody"),
        ({"opponent": []}, "opponent"),
        ({"seat": 2}, "seat=2"),
        ({"seat": "first"}, "seat='first'"),
        ({"illegal": "ignore"}, "illegal='ignore'"),
        ({"render_mode": "human!"}, "render_mode"),
        ({"size": 9}, "size=9"),
    ],
)
def test_bad_arguments(kwargs: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SeatEnv("astralis", **kwargs)


def test_bad_actions_change_nothing() -> None:
    spec = starboard.load("astralis", **SMALL)
    games = SeatGames(spec, 3, "random", illegal="raise", seed=1)
    now = games.reset()
    good = RandomBot(spec, seed=1)(now.observations, now.action_masks)
    before = games.to_bytes()
    illegal, outside = good.copy(), good.copy()
    illegal[1] = np.flatnonzero(now.action_masks[1] == 0)[0]
    outside[2] = spec.num_actions
    for actions, error in (
        (illegal, ValueError),
        (outside, ValueError),
        (-good - 1, ValueError),
        (good.astype(float), TypeError),
        (good[:2], ValueError),
        ("abc", TypeError),
    ):
        with pytest.raises(error, match="actions"):
            games.step(actions)
        assert games.to_bytes() == before
    env = gymnasium.make(ID, size=3, disable_env_checker=True).unwrapped
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)


def test_opponent_that_cheats_is_named() -> None:
    def cheat(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.zeros(len(masks), int)

    games = SeatGames(starboard.load("astralis", **SMALL), 3, cheat, seat=1)
    with pytest.raises(ValueError, match=r"cheat.*illegal"):
        games.reset(seed=0)


@pytest.mark.parametrize("illegal", [False, True])
def test_shaping_adds_the_change_of_the_heuristic(illegal: bool) -> None:
    """From one of the learner's turns to its next, or to the end; the game's own reward is still in it."""
    spec = starboard.load("astralis", **SMALL)
    plain = SeatGames(spec, 8, "random", "alternate", seed=4)
    shaped = SeatGames(spec, 8, "random", "alternate", seed=4, shaping=3.0)
    now, twin = plain.reset(), shaped.reset()
    bot = RandomBot(spec, seed=1)

    def control(observations: np.ndarray) -> np.ndarray:
        return observations[:, 2].sum(axis=1) - observations[:, 3].sum(axis=1)

    for number in range(40):
        before = control(now.observations)
        actions = bot(now.observations, now.action_masks)
        if illegal and number % 5 == 4:
            actions[3] = np.flatnonzero(now.action_masks[3] == 0)[0]
        now, twin = plain.step(actions), shaped.step(actions)
        after = control(now.observations)
        after[now.ended] = control(now.final_observations)
        np.testing.assert_array_equal(now.observations, twin.observations)
        np.testing.assert_allclose(twin.rewards - now.rewards, 3.0 * (after - before) / 19, atol=1e-12)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
def test_in_gymnasium_async_vector_env() -> None:
    """Gymnasium's own vector environments hold single ones; forked workers play as this process does."""

    def play(mode: str) -> list[bytes]:
        envs = gymnasium.make_vec(ID, num_envs=2, vectorization_mode=mode, opponent="random", **SMALL)
        try:
            observations, infos = envs.reset(seed=5)
            out = []
            for _ in range(4):
                observations, rewards, *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
                out.append(observations.tobytes() + rewards.tobytes())
            return out
        finally:
            envs.close()

    assert play("async") == play("sync")


@pytest.mark.parametrize("setup", ["fixed", "random"])
def test_games_that_end_before_the_learners_turn(setup: str) -> None:
    """They are no episodes of the learner's: the next one begins at once, and no reward is carried over."""
    games = SeatGames(starboard.load("astralis", size=3, stall_limit=1, setup=setup), 4, "random", 1, seed=0)
    now = games.reset()
    for _ in range(30):
        np.testing.assert_array_equal(now.observations[:, -1, 1], 1)
        placing = np.array([np.flatnonzero(row)[-1] for row in now.action_masks])
        now = games.step(placing)
        assert (np.abs(now.rewards) == now.terminated).all()


def test_a_learner_that_never_comes_to_move() -> None:
    spec = starboard.load("astralis", size=3, stones=0, stall_limit=1, setup="fixed")
    with pytest.raises(RuntimeError, match="before the learner's first turn"):
        SeatGames(spec, 2, "random", 1, seed=0).reset()


def test_an_opponent_that_fails() -> None:
    """Its error comes through; the games cannot go on half played, and are whole again after reset."""

    class Fails(RandomBot):
        armed = False

        def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
            if self.armed:
                raise ZeroDivisionError("boom")
            return super().__call__(observations, masks)

    spec = starboard.load("astralis", **SMALL)
    opponent = Fails(spec, seed=1)
    games = SeatGames(spec, 3, opponent, seed=2)
    with pytest.raises(RuntimeError, match="reset"):
        games.step([0, 0, 0])
    now = games.reset()
    opponent.armed = True
    with pytest.raises(ZeroDivisionError):
        games.step(now.action_masks.argmax(axis=1))
    with pytest.raises(RuntimeError, match="reset"):
        games.step(now.action_masks.argmax(axis=1))
    opponent.armed = False
    now = games.reset(seed=2)
    games.step(now.action_masks.argmax(axis=1))


def test_stable_baselines_makes_it_by_name() -> None:
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env(f"astralis_envs:{ID}", n_envs=2, env_kwargs={"size": 3})
    assert envs.reset().shape == (2, 8, 19)


def test_a_spec_in_place_of_a_name() -> None:
    spec = starboard.load("astralis", size=4)
    assert SeatEnv(spec).game_spec is spec
    with pytest.raises(ValueError, match="size"):
        SeatEnv(spec, size=5)
    with pytest.raises(TypeError, match=r"spec='astralis'.*starboard\.load"):
        SeatGames("astralis", 2)  # type: ignore[arg-type]


def test_record_bots_are_checked_too() -> None:
    class Wild(RecordBot):
        def act(self, records: np.ndarray, games: np.ndarray) -> np.ndarray:
            return np.full(len(games), 10**11)

    spec = starboard.load("astralis", **SMALL)
    with pytest.raises(ValueError, match="illegal"):
        SeatGames(spec, 2, Wild(spec), seat=1, seed=0).reset()


class Pair(Team):
    """Two greedy bots, which remember what they were asked."""

    def __init__(self, spec: GameSpec) -> None:
        super().__init__(spec, 2)
        self.calls: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def choose(self, who, records, games, observations, action_masks):  # type: ignore[no-untyped-def]
        self.calls.append((who, games, observations))
        return GreedyBot(self.spec, 0).choose(records, games, observations, action_masks)


def test_a_team_chooses_in_one_call() -> None:
    """For all of its members, each in the games in which it is to move; other players are asked beside it."""
    spec = starboard.load("astralis", **SMALL)
    team = Pair(spec)
    games = SeatGames(spec, 32, [team.members[1], "random", team.members[0]], seed=0, seat=1)
    games.reset()
    ((who, asked, observations),) = team.calls
    names = np.array([1, -1, 0])[games.drawn[:, 0]]
    np.testing.assert_array_equal(asked, np.flatnonzero(names >= 0))
    np.testing.assert_array_equal(who, names[asked])
    assert set(who) == {0, 1}
    assert observations.shape == (len(asked), *spec.observation_shape)
    alone = team.members[1].act(games.records, np.arange(3))
    assert alone.shape == (3,)
    assert (team.calls[-1][0] == 1).all()


@pytest.mark.parametrize("bad", [{"seat": True}, {"seat": 1.0}, {"shaping": float("nan")}, {"shaping": -1}])
def test_bad_arguments_of_seat_games(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        SeatGames(starboard.load("astralis", size=3), 2, **bad)
