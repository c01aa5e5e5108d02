"""Asteria, for two players: cards with four sides are played on planets, and where markers meet the planets are fought
for.

[table of facts]

The rules stand in [RULES.md](RULES.md), clause by clause. Numbers such as AT-4.2 on this page are clauses there.

In a turn, a player collects resources, plays at most one card on each open planet, and settles the conflicts. A card
has four sides: Extract brings resources, Expand works for as long as it lies there, Explore does something at once,
and Exterminate is for the fight. Each card played moves the player's marker on its planet. Where both markers meet,
the stronger row of cards wins the planet. Points are scored for conquests, and who has 3 wins at once. Hands and
decks are hidden.

## Playing a game

The loop is the one of every PettingZoo AEC environment. The mask says which actions are legal.

>>> import numpy as np
>>> from asteria_envs import asteria_v0
>>> env = asteria_v0.env()
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
>>> sum(total.values())
0.0

A turn consists of many decisions, and some of them are the other player's (AT-7.2). So agents do not alternate:
``agent_selection`` says whose decision is next.

``raw_env()`` is the same environment without PettingZoo's order-enforcing wrapper, and faster. Both take

- ``illegal``: ``"terminate"`` (the default) or ``"raise"``, see "Illegal moves";
- ``mask_in``: ``"observation"`` (the default) or ``"info"``, see "Observations";
- ``render_mode``: None (the default), ``"ansi"``, ``"rgb_array"`` or ``"human"``, and ``viewer``, see "Drawing";

and the options of the game. A value that is not allowed raises ValueError, an unknown option TypeError.

[table of options]

## Actions

An action is one whole number. The actions are numbered in blocks, each with all combinations of what it takes, the
last one changing fastest. With the reference deck:

[table of blocks]

Cards are numbered from 0 in the order of the deck file, planets likewise, slots from 0 to 2, and sides in the order
``extract``, ``expand``, ``explore``, ``exterminate``. So ``play`` is the action (card * 3 + slot) * 4 + side: with
the first card, on the planet in slot 1, as Explore, it is (0 * 3 + 1) * 4 + 2 = 6. With another deck the blocks have
other lengths.

>>> duel = asteria_v0.env(first_player="0")
>>> duel.reset(seed=0)
>>> duel.describe_action(6), duel.parse_action("play Prospector 1 explore")
('play Prospector 1 explore', 6)
>>> spec = duel.unwrapped.spec
>>> duel.parse_action("decline") == spec.num_actions - 1
True

Which block is legal depends on the decision that is due. Observations show it:

| decision | whose it is | actions |
|---|---|---|
| main | the active player's, in stage 2 | ``play``, ``spend``, ``claim``, ``end`` |
| effect | the player's whose effects are next | ``effect`` |
| rotate, turn, destroy, swap | the player's whose effect it is | of the same name |
| discard_action, discard_planet | the player's who must discard | ``discard`` |
| order | the active player's | ``order`` |
| commit | the active player's, then the other's | ``commit`` |
| give_up | the player's who has more than three Expand cards | ``give_up`` |
| claim | the active player's, after the refill | ``claim``, ``decline`` |

What has a single way out is carried out and not asked. That goes for stage 2, too: with nothing to play, to spend or
to claim, it ends by itself (AT-4.1).

## Observations

``env.observe(agent)`` is a dictionary:

- ``"observation"``: int8, one row of numbers, laid out as below.
- ``"action_mask"``: int8, shape (actions,). 1 where an action is legal, else 0. Before the end, the mask of the agent
  to move is never empty. The other's mask is zeros, and so are both after the end.

With ``mask_in="info"`` the observation is the array alone, and the mask is ``infos[agent]["action_mask"]``.

Each agent sees the game from its own point of view: "own" and "the observer" are itself, whichever seat it has. An
action means the same for both.

First come rows with a number for each action card, one after the other. The first entry of each with the reference
deck:

[table of card rows]

Then rows with a number for each planet card:

[table of planet rows]

Then rows with a number for each of the three slots. Strengths are those of AT-5.2 as if a conflict were counted now,
without planet cards added:

[table of slot rows]

Then counters:

[table of counters]

What an effect does is numbered as in this table, from 1:

[table of effects]

Effects of a side are numbered 0, 1, 2 in the order of the file; where a number stands for a set of them, it is the
sum of 1, 2 and 4. A frame is what is left to do of a card that was played or turned; the one highest on the stack is
done first. A card can have two frames, if it was turned after it was played.

>>> from asteria_envs.cards import load
>>> from asteria_envs.state import CARD_ROWS, COUNTERS
>>> deck = load("reference")
>>> seen = duel.observe("player_0")["observation"]
>>> rows = seen[: len(CARD_ROWS) * len(deck.actions)].reshape(len(CARD_ROWS), -1)
>>> [deck.actions[card].name for card in np.flatnonzero(rows[0])]
['Ice_Hauler', 'Colony_Ark', 'Warp_Core']
>>> counters = dict(zip((meaning for meaning, _ in COUNTERS), seen[-len(COUNTERS) :].tolist(), strict=True))
>>> counters["own ore"], counters["decision: main"], counters["the other's action cards in hand"]
(2, 1, 3)

What is printed on cards is not shown: it is the same in all games with one deck. A network has to learn it, or can be
given ``asteria_envs.cards.load(deck)``. But for that, an observation and its mask say all that an agent may know of
the rest of the game.

An array that was handed out is never written again. ``env.state()`` stacks both agents' observations, for central
critics: int8, shape (2, length).

## Rewards

Rewards are 0 until the game ends. Then:

| how it ends | reward |
|---|---|
| a player has 3 points or more | +1 for that player, -1 for the other |
| a limit of AT-6.6, and one player is ahead in points or, if those are equal, in dominated planets | +1 and -1 |
| a limit of AT-6.6, and both are equal | 0 for both |
| an illegal move, with ``illegal="terminate"`` | -1 for the player who made it, 0 for the other |

## End of a game

The game terminates for both agents at once

- when a player has 3 points (AT-6.2), or
- after ``max_turns`` turns, or after 8 turns in a row in which no action card was played (AT-6.6), or
- after an illegal move, with ``illegal="terminate"``.

It is never truncated. Each agent then takes one ``step(None)``, as PettingZoo has it; ``agent_iter`` sees to that.

## Infos

At the end, ``infos[agent]`` has these keys, each with a list of two numbers, for the first and the second seat. Until
then infos are empty, except for the mask with ``mask_in="info"``.

- ``"points"``, and ``"dominated"``, the number of dominated planets;
- ``"military"``, ``"exploration"``, ``"technological"`` and ``"economic"``: 1 if the seat scored that conquest, else
  0.

>>> sorted(info)
['dominated', 'economic', 'exploration', 'military', 'points', 'technological']

## Illegal moves

With ``illegal="terminate"``, the default, an illegal action ends the game and its player loses; observations then
still show the position before it, in which the game was not over. With ``illegal="raise"`` it raises ValueError and
changes nothing. An action that is out of range or no whole number always raises.

>>> strict = asteria_v0.env(illegal="raise")
>>> strict.reset(seed=0)
>>> strict.step(strict.parse_action("play Prospector 2 extract"))
Traceback (most recent call last):
    ...
ValueError: action=8 (play Prospector 2 extract): is illegal here; legal_actions() lists the legal ones

## Hidden information

A player does not see which cards the other holds, nor what the decks will bring. How many cards there are, everybody
sees (AT-2.4). A planet card that is added to a conflict is face down until both players have chosen (AT-5.2).

Some of it can be told all the same. When a discard pile becomes the deck (AT-4.14), the deck was empty: whatever a
player then sees nowhere must be in the other's hand. Observations mark these cards as long as they stay there. Cards
that are drawn later are unknown again. Of planet cards that can be told, one that is added face down stays marked,
but nobody can tell which of the cards in hand was added.

The kernel ``resample`` deals anew what a player does not know: the other's hand but for the cards that can be told,
which of their planet cards lies face down, and what chance brings later. All deals that fit are equally likely; what
could be guessed from how the other plays does not enter. A deck is kept as a set from which a draw picks at random,
so it has no order to be known. The bots use it, so they never look at hidden cards. Here seat 0 keeps its hand, and
seat 1 gets another one:

>>> from starboard import loops
>>> from starboard.state import GameState
>>> game = GameState(spec, seed=0)
>>> game.step(game.parse("play Ice_Hauler 0 extract"))
>>> game.step(game.parse("end"))
>>> game.to_move
1
>>> twin = game.clone()
>>> one = np.zeros(1, np.int64)
>>> loops.resample(spec.params, twin.records, one, one, np.array([7], np.uint64))
>>> hands = [state.record["action_zone"] == 3 for state in (game, twin)]
>>> [deck.actions[card].name for card in np.flatnonzero(hands[0])]
['Survey_Ship', 'Deep_Drill', 'Bombard']
>>> [deck.actions[card].name for card in np.flatnonzero(hands[1])]
['Mine_Field', 'Corsair', 'Terraformer']
>>> bool((game.observation(0) == twin.observation(0)).all())
True

To add a planet card face down is secret: ``spec.is_secret(record, action)`` says so of an action, and whoever shows a
game to others must not name it.

## Cards of your own

The cards are not those of the printed game: its rulebook does not show them. Their names and numbers are made up
(AT-1.4, AT-1.6). The option ``deck`` takes the path of a TOML file, or its text, with 8 to 64 action cards and 6 to
24 planet cards. The file of the reference deck, ``asteria_envs/data/reference.toml``, explains the format, and
[asteria-cards.svg](../docs/asteria-cards.svg) shows its cards. The picture of any deck is
``asteria_envs.sheet.sheet(asteria_envs.cards.load(path))``. Another deck needs no recompiling.

>>> from importlib.resources import files
>>> text = (files("asteria_envs") / "data" / "reference.toml").read_text(encoding="utf-8")
>>> own = asteria_v0.env(deck=text.replace('"Prospector"', '"Digger"'))
>>> own.reset(seed=0)
>>> own.describe_action(6)
'play Digger 1 explore'

A file that is not as it should be raises ValueError:

>>> asteria_v0.env(deck=text.replace("half = 3", "half = 9"))
Traceback (most recent call last):
    ...
ValueError: deck: text: half: is 9; must be a whole number from 1 to 4

The value of the option is then the deck itself, not the name of the file: saved games and agents carry it with them,
and the file is not needed any more. On the command line it is ``--deck FILE``.

What was measured of the reference deck (AT-1.6):

| 2,006 games of an agent, trained for 8 minutes, against itself | |
|---|---|
| the first player wins | 49.1% |
| conquests that take part in victories | Military 34%, Exploration 80%, Technological 63%, Economic 16% |
| games that reach the turn limit, or 8 turns without a card | 0 |
| mean length | 11 turns, 53 decisions |

Tree search of 1,000 simulations a decision against itself, 300 games: the first player won 47.3%; of the 295 victories
Military took part in 31%, Exploration in 60%, Technological in 38%, Economic in 62%; 5 games were drawn. In 150 more
games none reached the turn limit, and one was drawn after 8 turns without a card.

Weaker players see another game: the greedy bot against itself wins by Military in 97 percent of the games, and random
players do.

## Drawing

With ``render_mode="ansi"``, ``env.render()`` returns the table as text, with ``"rgb_array"`` as pixels; ``"human"``
opens a window. In a notebook, an environment shows itself. [drawing.md](../docs/drawing.md) says more.

All of them show what the player to move may see, and everything after the end. With ``viewer="player_0"`` that player
looks, with ``viewer="all"`` nothing is hidden.

In the text, a planet's spaces stand in a line from the edge of player 0 to that of player 1. ``1o2e`` is a space with
1 ore and 2 energy, ``(0)`` and ``(1)`` are the markers. Below stand both rows, each card with the side that it shows,
the free card last.

>>> print(game.text(viewer=0))
slot 0: Lumen  | 0o0e(0) 0o2e 1o0e 0o1e 0o1e 0o1e |
    row of player 0: Ice_Hauler/extract
    row of player 1: -
slot 1: Ashfall  | 0o0e 1o0e 2o1e 2o0e 1o0e 1o0e |
    row of player 0: -
    row of player 1: -
slot 2: empty
player 0: 0 points, 3 ore, 4 energy
    hand: Jump_Gate Colony_Ark Warp_Core; Vesper
    play area: -
    dominated: -
player 1: 0 points, 2 ore, 2 energy
    hand: 3 action and 1 planet cards
    play area: -
    dominated: -
decks: 31 action and 10 planet cards; discarded: -; -
turn 2 of player 1, player 1 decides: main

## The record behind it

``env.unwrapped.record`` is the game itself, one element of a NumPy structured array (``asteria_envs.state.STATE``).
``env.unwrapped.clone()``, ``to_bytes()`` and ``from_bytes()``, ``copy.deepcopy(env)`` and pickle keep the whole game,
the hidden cards included.

``decode`` reads an observation back into a record. It knows nothing of what observations do not show: the number of
plies, the generator, and the hidden cards, for which it chooses some that fit.

>>> records = spec.decode(game.observation(0))
>>> records.shape, records["turn"].tolist(), records["to_move"].tolist()
((1,), [2], [1])
>>> np.flatnonzero(records["action_zone"][0] == 2).tolist() == np.flatnonzero(game.record["action_zone"] == 2).tolist()
True

## Many games at once

A batch plays N games with one compiled call a ply. Games that end start anew in the same step.

>>> import starboard
>>> from starboard.batch import Batch
>>> batch = Batch(starboard.load("asteria"), 64, seed=0)
>>> now = batch.reset()
>>> wins = np.zeros(2, int)
>>> for _ in range(300):
...     now = batch.step(batch.sample(now.action_masks))
...     wins += (now.rewards > 0).sum(axis=0)
>>> now.observations.shape, now.action_masks.shape, now.to_move.shape, now.rewards.shape
((64, 1392), (64, 1070), (64,), (64, 2))

## One seat, training, opponents

``gymnasium.make("asteria_envs/Asteria-v0")`` is one learner's seat for Gymnasium,
``starboard.sb3.SeatVecEnv("asteria")`` for stable-baselines3. ``starboard train asteria`` trains an agent by
self-play. The bots are ``random`` and ``greedy``. The latter plays the action after which its standing, less the
opponent's, is highest: points first, then what leads to them, such as dominated planets, cards in the play area,
strength on the planets and resources. It looks no further.

## How strong players are

Each against each, 200 games a pairing, with the same cards and seats swapped, by `starboard arena` (see
[arena.md](../docs/arena.md)). 400 points of rating are odds of 10 to 1, and random has 0. ``greedy`` plays what looks
best one ply ahead by points, dominated planets, cards, income and strength on the planets (``heuristics.py``).
``mcts:N`` is the tree search with N simulations (see [search.md](../docs/search.md)). The agent was trained for 30
minutes. Speeds are of two busy cores.

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

from asteria_envs.game import GAME
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
    :param options: ``deck``, ``errata``, ``first_player``, ``max_turns``, see above.
    :raises TypeError: for an unknown option.
    :raises ValueError: for a value that is not allowed; the message says what is.
    """
    return BoardGameEnv(GAME.spec(**options), illegal, mask_in, render_mode, viewer)


def env(**kwargs: Any) -> OrderEnforcingWrapper:
    """:func:`raw_env` in PettingZoo's order-enforcing wrapper; the same arguments."""
    return wrapped(raw_env(**kwargs))
