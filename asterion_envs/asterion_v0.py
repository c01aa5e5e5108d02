"""Asterion, for two to four players: labyrinth cards are laid around a Minotaur, who impales whom he can reach.

[table of facts]

The rules stand in [RULES.md](RULES.md), clause by clause. Numbers such as AN-3.3 on this page are clauses there.

In a turn, a player places the card in hand next to others, turned as they like. Corridors that meet are joined.
Asterion must keep a way to the outside. Prisoners whom he can reach are impaled: a point for whoever impales those of
others. At the end, living prisoners escape if they can reach the outside or two wings, and bring a point for each
coin that they can reach. Hands, decks and removed cards are hidden.

## Playing a game

The loop is the one of every PettingZoo AEC environment. The mask says which actions are legal.

>>> import numpy as np
>>> from asterion_envs import asterion_v0
>>> env = asterion_v0.env(players=3)
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
[-0.5, -0.5, 1.0]

``raw_env()`` is the same environment without PettingZoo's order-enforcing wrapper, and faster. Both take

- ``illegal``: ``"terminate"`` (the default) or ``"raise"``, see "Illegal moves";
- ``mask_in``: ``"observation"`` (the default) or ``"info"``, see "Observations";
- ``render_mode``: None (the default), ``"ansi"``, ``"rgb_array"`` or ``"human"``, and ``viewer``, see "Drawing";

and the options of the game. A value that is not allowed raises ValueError, an unknown option TypeError.

[table of options]

``discard`` means nothing in the basic mode, where no card is removed, and ``table_radius`` nothing on the board.

What depends on mode and players:

[table of boards]

The basic rules have no board. Here the table ends where a board of radius ``table_radius`` would, so that actions can
be numbered (AN-2.3). A game notices it only once a card lies on one of the outermost spaces. So often did that come
about at radius 12, the largest there is:

| players | random play, 20,000 games | greedy against itself, 1,000 games |
|---|---|---|
| 2 | 0.3% | 9.7% |
| 3 | 3.9% | 39.8% |
| 4 | 15.7% | 65.5% |

So for players who build long corridors, and for three and four of them above all, the edge is a part of the basic
mode.

On the board of the Crete mode, cards that fit nowhere are common (AN-3.5). With random play, at least one was set
aside in 34% of the games of two players, in 1% of those of three, and in 67% of those of four, of 10,000 games each.
Two players and four have a card for each empty space, three have one less. In the basic mode it did not happen in 500
games each.

## Actions

An action is one whole number. ``space * 4 + rotation`` puts the card in hand on a space, turned clockwise by 0 to 3
quarter turns. After these follow the removals, an action for each of the 17 cards in the order of the set, and the
pass, which is legal only if the card in hand can be placed nowhere (AN-3.5).

Spaces have coordinates (x, y), with Asterion's card at (0, 0), x growing to the east and y to the north. They are
numbered row by row from the north, each row from the west. On the board for two players the numbers are

    y =  3                0
    y =  2           1    2    3
    y =  1      4    5    6    7    8
    y =  0  9  10   11   12   13   14   15
    y = -1     16   17   18   19   20
    y = -2          21   22   23
    y = -3               24

In notation, ``(0,1)2`` puts the card in hand on the space north of Asterion's, upside down, and ``-T05`` removes a
card. On that board (0, 1) is space 6, so the action is 6 * 4 + 2 = 26. There are 25 spaces, so T05, the fifth card,
is removed by 25 * 4 + 4 = 104.

>>> duel = asterion_v0.env()
>>> duel.reset(seed=0)
>>> duel.describe_action(26), duel.parse_action("(0,1)2"), divmod(26, 4)
('(0,1)2', 26, (6, 2))
>>> duel.parse_action("-T05"), duel.parse_action("pass"), duel.action_space("player_0")
(104, 117, Discrete(118))

Removals come first, by rising number, so the first of 5 can be no later than T13 (AN-2.2):

>>> legal = np.flatnonzero(duel.last()[0]["action_mask"])
>>> duel.describe_action(legal[0]), duel.describe_action(legal[-1])
('-T01', '-T13')

``asterion_envs.state.coordinates(radius)`` lists the coordinates of all spaces.

## Observations

``env.observe(agent)`` is a dictionary:

- ``"observation"``: int8, shape (planes, spaces), which is (37, 25) for two players on the board. Entry i of a plane
  is about space i, except in the last planes, which hold counters.
- ``"action_mask"``: int8, shape (actions,). 1 where an action is legal, else 0. Before the end, the mask of the agent
  to move is never empty. All others' masks are zeros, and so are all masks after the end.

With ``mask_in="info"`` the observation is the array of planes alone, and the mask is ``infos[agent]["action_mask"]``.

Each agent sees the game from its own point of view: what is its own comes first, then the next seat, and so on in
order of play. The board is not turned, and an action means the same for all agents.

[table of planes]

For more players there are more planes of cards, one for each seat. Openings are those of the card as it lies there,
turned. Asterion's card has its openings, and belongs to no seat.

The last planes are one list of counters, row after row:

[table of counters]

With more players, each list "of the observer", "of the next seat" is longer, and so is that of cards that may be
hidden. ``asterion_envs.game.counters(players)`` names each entry; the rest of the last plane is 0. Here is what the
observer has in hand and may still draw:

>>> from asterion_envs.cards import load
>>> dealt = asterion_v0.raw_env(discard="random")
>>> dealt.reset(seed=0)
>>> names = [card.name for card in load("reference")]
>>> numbers = dealt.observe("player_0")["observation"][33:].reshape(-1)
>>> [name for name, there in zip(names, numbers[13:30]) if there]
['T05']
>>> [name for name, there in zip(names, numbers[47:64]) if there]
['T02', 'T03', 'T04', 'T06', 'T08', 'T09', 'T10', 'T11', 'T14', 'T15', 'T16']

An observation and its mask say all that an agent may know of the rest of the game.

An array that was handed out is never written again. ``env.state()`` stacks all agents' observations, for central
critics: int8, shape (players, planes, spaces).

Networks that want a picture can lay the spaces out by their coordinates:

>>> from asterion_envs.state import coordinates
>>> x, y = np.array(coordinates(3)).T
>>> picture = np.zeros((33, 7, 7), np.int8)
>>> picture[:, 3 - y, x + 3] = dealt.observe("player_0")["observation"][:33]

## Rewards

Rewards are 0 until the game ends. Then, with ``reward="result"``, they depend on how many players share the victory
(AN-4.5):

| players | winners | each winner | each loser |
|---|---|---|---|
| 2 | 1 | +1 | -1 |
| 3 | 1 | +1 | -1/2 |
| 3 | 2 | +1/4 | -1/2 |
| 4 | 1 | +1 | -1/3 |
| 4 | 2 | +1/3 | -1/3 |
| 4 | 3 | +1/9 | -1/3 |
| any | all | 0 | |

With ``reward="margin"`` a player's reward is the mean of the leads over the others in points, divided by 20 and cut
at -1 and 1. Ties are then not broken.

An illegal move with ``illegal="terminate"`` gives -1 to the player who made it and 0 to the others.

## End of a game

The game terminates for all agents at once

- when all cards have been placed or set aside (AN-4.1), or
- after an illegal move, with ``illegal="terminate"``.

It is never truncated. Each agent then takes one ``step(None)``, as PettingZoo has it; ``agent_iter`` sees to that.
All games with the same options have the same number of actions.

## Infos

At the end, ``infos[agent]`` has these keys, each with a list that has an entry for each seat. Until then infos are
empty, except for the mask with ``mask_in="info"``.

- ``"scores"``: the points, for impaled prisoners and for coins (AN-3.4, AN-4.3);
- ``"escapes"``: the prisoners who escape; ``"coinless_escapes"``: those of them who bring no points, which break
  ties;
- ``"tombs"``: the seat's own prisoners who were impaled.

>>> sorted(info), len(info["scores"])
(['coinless_escapes', 'escapes', 'scores', 'tombs'], 3)
>>> winner = max(total, key=total.get)
>>> info["scores"][int(winner[-1])] == max(info["scores"])
True

## Illegal moves

With ``illegal="terminate"``, the default, an illegal action ends the game and its player loses; observations then
still show the position before it, in which the game was not over. With ``illegal="raise"`` it raises ValueError and
changes nothing. An action that is out of range or no whole number always raises.

>>> strict = asterion_v0.env(illegal="raise")
>>> strict.reset(seed=0)
>>> strict.step(strict.parse_action("-T17"))
Traceback (most recent call last):
    ...
ValueError: action=116 (-T17): is illegal here; legal_actions() lists the legal ones

## Hidden information

Each seat knows its own hand, the cards of its deck, though not their order, and what it removed. Of another seat it
knows which cards were placed or set aside, how many are still to come and how many are still to be removed. So of
each other card of that seat it knows only that it may be in hand, in the deck, or removed. What was removed stays
hidden after the end.

The kernel ``resample`` deals anew what a seat does not know: the hand, deck and removals of each other seat, all
deals that fit equally likely, and what chance brings later. What could be guessed from how others play does not
enter. A seat that is amid its removals has removed the lowest cards of a choice that is drawn whole (AN-2.2). The
bots use it, so they never look at hidden cards. Here seat 1 keeps its hand, and seat 0 gets another one:

>>> from starboard import loops
>>> from starboard.state import GameState
>>> spec = dealt.spec
>>> game = GameState(spec, seed=0)
>>> twin = game.clone()
>>> one = np.zeros(1, np.int64)
>>> loops.resample(spec.params, twin.records, one, one + 1, np.array([7], np.uint64))
>>> game.record["hand"][:2].tolist(), twin.record["hand"][:2].tolist()
([4, 13], [5, 13])
>>> bool((game.observation(1) == twin.observation(1)).all())
True

Removals are secret: ``spec.is_secret(record, action)`` says so of an action, and whoever shows a game to others must
not name it.

## Cards of your own

The option ``tiles`` takes the path of a TOML file, or its text, with exactly 17 cards. The file of the reference set,
``asterion_envs/data/reference.toml``, explains the format, and [asterion-cards.svg](../docs/asterion-cards.svg) shows
its cards. The picture of any set is ``asterion_envs.sheet.sheet(asterion_envs.cards.load(path))``.

>>> from importlib.resources import files
>>> text = (files("asterion_envs") / "data" / "reference.toml").read_text(encoding="utf-8")
>>> own = asterion_v0.env(tiles=text.replace('prisoner = "N" }', 'prisoner = "N", coins = ["N"] }', 1))

A file that is not as it should be raises ValueError:

>>> asterion_v0.env(tiles=text.replace('prisoner = "NE"', 'prisoner = "W"', 1))
Traceback (most recent call last):
    ...
ValueError: tiles: text: card 2 'T02': prisoner: has 'W'; must be one of 'NE'

The value of the option is then the set itself, not the name of the file: saved games and agents carry it with them,
and the file is not needed any more. On the command line it is ``--tiles FILE``.

## Drawing

With ``render_mode="ansi"``, ``env.render()`` returns the table as text, with ``"rgb_array"`` as pixels; ``"human"``
opens a window. In a notebook, an environment shows itself. [drawing.md](../docs/drawing.md) says more.

All of them show what the player to move may see, and everything after the end. With ``viewer="player_0"`` that player
looks, with ``viewer="all"`` nothing is hidden.

In the text, a card is three lines of five characters. On its edges are the openings, a letter for each corridor:
``a`` is the prisoner's, ``b``, ``c`` and ``d`` are the others. Capitals are joined to Asterion. In the middle is the
first letter of the owner's colour, with ``+`` before it for a tomb, or ``@`` for Asterion. The corners count the wings
(left) and coins (right) of a corridor, a upper left, b upper right, c lower left, d lower right. ``.`` is an empty
space.

>>> small = asterion_v0.env(discard="random", render_mode="ansi", viewer="all")
>>> small.reset(seed=0)
>>> for text in ("(0,1)2", "(-1,1)0", "(1,0)1"):
...     small.step(small.parse_action(text))
>>> for line in small.render().splitlines():
...     if line:
...         print(line[:72])
      -2    -1    0     1     2
  2         .     .     .
            b1    b1
  1   .   c G b  +B     .     .
            a     A
                  A     A
  0   .     .   A @ A A+B A   .
                  A     A
 -1   .     .     .     .     .
player 0 (Blue): points -2, cards to come 10, hand T14, deck T02 T03 T04
player 1 (Green): points 0, cards to come 11, hand T13, deck T01 T02 T03
player 1 (Green) to move

Both of Blue's prisoners lie in corridors that lead to Asterion: two tombs, and two points less.

## The record behind it

``env.unwrapped.record`` is the game itself, one element of a NumPy structured array (``asterion_envs.state.STATES``,
one type for each mode). ``env.unwrapped.clone()``, ``to_bytes()`` and ``from_bytes()``, ``copy.deepcopy(env)`` and
pickle keep the whole game, the hidden cards included.

``decode`` reads an observation back into a record. It knows nothing of what observations do not show: the number of
plies, the generator, and the other seats' hidden cards, for which it chooses some that fit.

>>> small_spec = small.unwrapped.spec
>>> records = small_spec.decode(small.observe("player_1")["observation"])
>>> records.shape, records["points"][0, :2].tolist(), records["hand"][0, 1].tolist()
((1,), [-2, 0], 12)

## Many games at once

A batch plays N games with one compiled call a ply. Games that end start anew in the same step.

>>> import starboard
>>> from starboard.batch import Batch
>>> batch = Batch(starboard.load("asterion", players=4), 64, seed=0)
>>> now = batch.reset()
>>> wins = np.zeros(4, int)
>>> for _ in range(300):
...     now = batch.step(batch.sample(now.action_masks))
...     wins += (now.rewards > 0).sum(axis=0)
>>> now.observations.shape, now.action_masks.shape, now.to_move.shape, now.rewards.shape
((64, 38, 61), (64, 262), (64,), (64, 4))

## One seat, training, opponents

``gymnasium.make("asterion_envs/Asterion-v0", players=3)`` is one learner's seat for Gymnasium,
``starboard.sb3.SeatVecEnv("asterion", players=3)`` for stable-baselines3. ``starboard train asterion --players 3``
trains an agent by self-play. The bots are ``random`` and ``greedy``. The latter plays the action after which its lead
over the best of the others is highest, in points, as if the game ended then; an escape without coins counts a tenth
of a point. It looks no further.

## Symmetries

The board has four rotations (AN-5.2). ``cell_symmetries(radius)[g, space]`` is the space where a rotation by g
quarter turns clockwise takes ``space``, ``action_symmetries(radius)[g, action]`` the action it makes of ``action``,
and ``plane_symmetries(players)[g, plane]`` the plane that then shows what ``plane`` showed: openings turn with the
board. Where a training sample is turned, the counters stay as they are:

>>> from asterion_envs import action_symmetries, cell_symmetries, plane_symmetries
>>> planes, mask = small.last()[0]["observation"], small.last()[0]["action_mask"]
>>> action = small.parse_action("(0,-1)3")
>>> g = 1  # 90 degrees clockwise
>>> turned, turned_mask = planes.copy(), mask.copy()
>>> turned[plane_symmetries(2)[g][:, None], cell_symmetries(3)[g]] = planes[:33]
>>> turned_mask[action_symmetries(3)[g]] = mask
>>> turned_action = action_symmetries(3)[g, action]
>>> small.describe_action(turned_action)
'(-1,0)0'
>>> int(mask[action]), int(turned_mask[turned_action])
(1, 1)

Reflections are not offered. The mirror image of T03 has its prisoner on the other side of its coin, and no turn
brings it back: a mirrored board has cards that are not in the set.

## How strong players are

Two players on the Crete board, each against each, 200 games a pairing, with the same cards and seats swapped, by
`starboard arena` (see [arena.md](../docs/arena.md)). 400 points of rating are odds of 10 to 1, and random has 0.
``greedy`` plays what leaves it the best lead in points if the game ended now (AN-4.2, AN-4.3) one ply ahead, and says
nothing about the cards to come. ``mcts:N`` is the tree search with N simulations (see [search.md](../docs/search.md)).
The agent was trained for 18 minutes. Speeds are of two busy cores.

[table of players]

## Rulings

[section Rulings of RULES.md]

## Version history

A version changes when a game with the same options could go otherwise.

- v0: first version (starboard-envs 0.2.0).
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from asterion_envs.game import GAME
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
    :param options: ``players``, ``mode``, ``discard``, ``standard_scoring``, ``reward``, ``table_radius``, ``tiles``.
    :raises TypeError: for an unknown option.
    :raises ValueError: for a value that is not allowed; the message says what is.
    """
    return BoardGameEnv(GAME.spec(**options), illegal, mask_in, render_mode, viewer)


def env(**kwargs: Any) -> OrderEnforcingWrapper:
    """:func:`raw_env` in PettingZoo's order-enforcing wrapper; the same arguments."""
    return wrapped(raw_env(**kwargs))
