"""Astralis, for two players: ships fly over a hexagonal space, leave stones and take control of the hexes around.

[table of facts]

The rules stand in [RULES.md](RULES.md), clause by clause. Numbers such as AL-3.3 on this page are clauses there.

In a turn, a player flies their ship along a straight line and may then put a stone next to it. The stone takes
control of its hex and of the hexes around. A hex next to stones of both players is contested and counts for nobody.
When every hex is controlled or contested the game is over, and who controls more hexes has won. The second player
gets 3.5 points for going second.

## Playing a game

The loop is the one of every PettingZoo AEC environment. The mask says which actions are legal.

>>> import numpy as np
>>> from astralis_envs import astralis_v0
>>> env = astralis_v0.env(size=8)
>>> env.reset(seed=0)
>>> rng = np.random.default_rng(0)
>>> total = {agent: 0.0 for agent in env.agents}
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     total[agent] += reward
...     if termination or truncation:
...         action = None
...     else:
...         action = rng.choice(np.flatnonzero(observation["action_mask"]))
...     env.step(action)
>>> sorted(total.values())
[-1.0, 1.0]

``raw_env()`` is the same environment without PettingZoo's order-enforcing wrapper, and faster. Both take

- ``illegal``: ``"terminate"`` (the default) or ``"raise"``, see "Illegal moves";
- ``mask_in``: ``"observation"`` (the default) or ``"info"``, see "Observations";
- ``render_mode``: None (the default), ``"ansi"``, ``"rgb_array"`` or ``"human"``, and ``viewer``, see "Drawing";

and the options of the game. A value that is not allowed raises ValueError, an unknown option TypeError.

[table of options]

What depends on the size:

[table of sizes]

## Actions

An action is one whole number. ``cell * 7 + k`` flies the ship to hex ``cell`` and, with ``k`` from 1 to 6, puts a
stone on that hex's neighbour in direction ``k - 1``. ``k = 0`` puts no stone. The last action is the pass, which is
legal only for a ship that cannot move (AL-3.5). In the setup, ``cell * 7`` puts the ship on ``cell`` (AL-2.1).

Hexes are numbered row by row from the top, each row from the left. Directions 0 to 5 are east, south-east,
south-west, west, north-west and north-east. The top row, ``a``, is the second player's edge. The first player's is
the bottom row.

In notation, ``d5*e5`` flies to the fifth hex of row d and puts a stone on the fifth hex of row e. On the full board
d5 is hex 8 + 9 + 10 + 4 = 31. From there e5 lies south-west, direction 2, so ``k`` is 3 and the action 31 * 7 + 3 =
220.

>>> env.describe_action(220), env.parse_action("d5*e5"), divmod(220, 7)
('d5*e5', 220, (31, 3))
>>> env.parse_action("pass"), env.action_space("player_0")
(1183, Discrete(1184))

``astralis_envs.state.coordinates(size)`` lists the hexes' axial coordinates (q, r),
``astralis_envs.state.neighbours(size)`` their neighbours by direction.

## Observations

``env.observe(agent)`` is a dictionary:

- ``"observation"``: int8, shape (planes, hexes), which is (8, 169) on the full board. Entry i of a plane is about
  hex i, except in the last plane, which holds counters.
- ``"action_mask"``: int8, shape (actions,). 1 where an action is legal, else 0. Before the end, the mask of the
  agent to move is never empty. All others' masks are zeros, and so are all masks after the end.

With ``mask_in="info"`` the observation is the array of planes alone, and the mask is
``infos[agent]["action_mask"]``.

Each agent sees the game from its own point of view: what is its own comes first. Only the colours are swapped. The
board is not turned, and an action means the same for both agents. Nothing is hidden, so each agent sees everything,
at any time.

[table of planes]

Control includes the hexes of the stones themselves. A ship not yet on the board is on no hex of its plane.

[table of counters]

All other entries of that plane are 0. An observation and its mask say all that the rest of the game depends on.

An array that was handed out is never written again. ``env.state()`` stacks both agents' observations, for central
critics: int8, shape (2, planes, hexes).

Networks that want a picture can lay the hexes out by their coordinates:

>>> from astralis_envs.state import coordinates
>>> q, r = np.array(coordinates(8)).T
>>> picture = np.zeros((7, 15, 15), np.int8)
>>> picture[:, r + 7, q + 7] = observation["observation"][:7]

## Rewards

Rewards are 0 until the game ends. Then:

| how it ends | reward |
|---|---|
| one player has the higher score | +1 for that player, -1 for the other |
| the scores are equal (only if ``komi`` is a whole number) | 0 for both |
| an illegal move, with ``illegal="terminate"`` | -1 for the player who made it, 0 for the other |

## End of a game

The game terminates for both agents at once

- when no hex is left without a tile (AL-5.1), or
- after ``stall_limit`` turns in a row without a new stone (AL-5.3), or
- after an illegal move, with ``illegal="terminate"``.

It is never truncated. Each agent then takes one ``step(None)``, as PettingZoo has it; ``agent_iter`` sees to that.

## Infos

At the end, ``infos[agent]`` has the key ``"scores"``: a list of the first and the second player's score, with the
komi added. Until then infos are empty, except for the mask with ``mask_in="info"``.

>>> first, second = info["scores"]
>>> total["player_0"] == (1 if first > second else -1)
True

## Illegal moves

With ``illegal="terminate"``, the default, an illegal action ends the game and its player loses; observations then still
show the position before it, in which the game was not over. With
``illegal="raise"`` it raises ValueError and changes nothing. An action that is out of range or no whole number
always raises.

>>> strict = astralis_v0.env(size=8, illegal="raise")
>>> strict.reset(seed=0)
>>> strict.step(0)
Traceback (most recent call last):
    ...
ValueError: action=0 (a1): is illegal here; legal_actions() lists the legal ones
>>> strict.step(strict.parse_action("o4"))

## Drawing

With ``render_mode="ansi"``, ``env.render()`` returns the board as text, with ``"rgb_array"`` as pixels; ``"human"``
opens a window. In a notebook, an environment shows itself. [drawing.md](../docs/drawing.md) says more.

In the text, a hex is ``.`` unexplored, ``a`` or ``b`` controlled, ``x`` contested, ``A`` or ``B`` a stone; ``1`` or
``2`` after it is a ship.

>>> small = astralis_v0.env(size=3, render_mode="ansi")
>>> small.reset(seed=0)
>>> for text in ("e2", "a2", "d2*c2"):
...     small.step(small.parse_action(text))
>>> print(small.render())
a     .   .2  .
b   a   a   .   .
c a   A   a   .   .
d   a   a1  .   .
e     .   .   .
control 7 : 0, komi 3.5 for player 1
stones left 29 : 30, stall 0 of 60
player 1 (B, ship 2) to move, last d2*c2

## The record behind it

``env.unwrapped.record`` is the game itself, one element of a NumPy structured array
(``astralis_envs.state.STATE``). ``env.unwrapped.clone()``, ``to_bytes()`` and ``from_bytes()``,
``copy.deepcopy(env)`` and pickle keep the whole game.

``decode`` reads an observation back into a record. It knows nothing of what observations do not show: the number of
plies, the last action, and the generator.

>>> spec = small.unwrapped.spec
>>> records = spec.decode(small.observe("player_1")["observation"])
>>> records.shape, records["stones_left"].tolist(), records["to_move"].tolist()
((1,), [[29, 30]], [1])
>>> spec.final_info(records[0])
{'scores': [7.0, 3.5]}

## Many games at once

A batch plays N games with one compiled call a ply. Games that end start anew in the same step.

>>> import starboard
>>> from starboard.batch import Batch
>>> batch = Batch(starboard.load("astralis", size=8), 64, seed=0)
>>> now = batch.reset()
>>> wins = np.zeros(2, int)
>>> for _ in range(300):
...     now = batch.step(batch.sample(now.action_masks))
...     wins += (now.rewards > 0).sum(axis=0)
>>> now.observations.shape, now.action_masks.shape, now.to_move.shape, now.rewards.shape
((64, 8, 169), (64, 1184), (64,), (64, 2))

## One seat, training, opponents

``gymnasium.make("astralis_envs/Astralis-v0")`` is one learner's seat for Gymnasium,
``starboard.sb3.SeatVecEnv("astralis")`` for stable-baselines3. ``starboard train astralis`` trains an agent by
self-play. The bots are ``random`` and ``greedy``. The latter plays the action after which its own score less the
opponent's is highest, and looks no further.

## Symmetries

The hexagon has twelve symmetries (AL-6.2). ``cell_symmetries(size)[g, cell]`` is the hex where symmetry g takes
``cell``, ``action_symmetries(size)[g, action]`` the action it makes of ``action``. They hold after the setup. Where
a training sample is turned, the counters stay as they are:

>>> from astralis_envs import action_symmetries, cell_symmetries
>>> planes, mask = small.last()[0]["observation"], small.last()[0]["action_mask"]
>>> action = small.parse_action("a3*b4")
>>> g = 1  # 60 degrees clockwise
>>> turned, turned_mask = planes.copy(), mask.copy()
>>> turned[:7, cell_symmetries(3)[g]] = planes[:7]
>>> turned_mask[action_symmetries(3)[g]] = mask
>>> turned_action = action_symmetries(3)[g, action]
>>> small.describe_action(turned_action)
'c5*d4'
>>> int(mask[action]), int(turned_mask[turned_action])
(1, 1)

## How strong players are

Each against each, 200 games a pairing, from the same starts and with sides swapped, by `starboard arena` (see
[arena.md](../docs/arena.md)). 400 points of rating are odds of 10 to 1, and random has 0. ``greedy`` plays what leaves
it the best score on the board (AL-5.2) one ply ahead, and says nothing about where ships and stones can go next.
``mcts:N`` is the tree search with N simulations (see [search.md](../docs/search.md)). Speeds are of two busy cores.

[table of players]

## Rulings

[section Rulings of RULES.md]

## Version history

A version changes when a game with the same options could go otherwise.

- v0: first version (starboard-envs 0.1.0).
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from astralis_envs.game import GAME
from starboard.aec import BoardGameEnv, wrapped


def raw_env(
    *,
    illegal: str = "terminate",
    mask_in: str = "observation",
    render_mode: str | None = None,
    viewer: str = "mover",
    **options: Any,
) -> BoardGameEnv:
    """The environment without PettingZoo's order-enforcing wrapper.

    :param illegal: ``"terminate"`` or ``"raise"``, see :class:`starboard.aec.BoardGameEnv`.
    :param mask_in: ``"observation"`` or ``"info"``.
    :param render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"``.
    :param viewer: ``"mover"``, ``"all"`` or the name of an agent.
    :param options: ``size``, ``stones``, ``komi``, ``stall_limit``, ``setup``, ``bonus_stones``, see above.
    :raises TypeError: for an unknown option.
    :raises ValueError: for a value that is not allowed; the message says what is.
    """
    return BoardGameEnv(GAME.spec(**options), illegal, mask_in, render_mode, viewer)


def env(**kwargs: Any) -> OrderEnforcingWrapper:
    """:func:`raw_env` in PettingZoo's order-enforcing wrapper; the same arguments."""
    return wrapped(raw_env(**kwargs))
