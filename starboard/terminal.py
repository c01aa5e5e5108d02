"""Playing a game in the terminal, against any player."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

import numpy as np

from starboard.bots import Player, choose_actions
from starboard.records import Redeal, likeliest
from starboard.state import FRESH, GameState, as_seed

HELP = """\
Type a move in the game's notation, or
  ?, legal      the legal moves
  legal TEXT    those that begin with TEXT
  board         draw the board again
  undo          take back your last move and the answers to it
  help          this text
  quit          leave"""

_WIDTH = 100
_UNBROKEN = "\N{NO-BREAK SPACE}"  # within a move of several words
_FEW = 8  # up to so many legal moves are named in the answer to an illegal one


class Terminal:
    """One game between a person and ``opponent``, who has all other seats.

    :param state: the game, usually a fresh one.
    :param opponent: a callable player (see :mod:`starboard.bots`).
    :param seat: the person's.
    :param name: what to call the opponent.
    :param ask: prints a prompt and returns a line, as :func:`input` does; EOFError ends the game.
    :param say: prints.
    :raises ValueError: if there is no such seat.
    """

    def __init__(
        self,
        state: GameState,
        opponent: Player,
        seat: int,
        name: str = "the opponent",
        ask: Callable[[str], str] = input,
        say: Callable[[str], None] = print,
    ) -> None:
        if not 0 <= seat < state.spec.num_players:
            raise ValueError(f"seat={seat}: must be from 0 to {state.spec.num_players - 1}")
        self.state, self.opponent, self.seat, self.name = state, opponent, seat, name
        self.ask, self.say = ask, say
        # the game before each of the person's moves, and how many actions led there
        self._before: list[tuple[GameState, int]] = []
        self.actions: list[int] = []
        """What was played, but for what was taken back."""
        self.redeals: list[Redeal] = []
        """What was dealt anew when moves were taken back."""
        self.probabilities: list[dict[int, float] | None] = []
        """What the opponent thought of each action, see :func:`starboard.records.likeliest`."""

    def play(self) -> None:
        """Play to the end, or until the person leaves."""
        names = self.state.spec.agents
        others = ", ".join(agent for agent in names if agent != names[self.seat])
        self.say(f"You are {names[self.seat]}; {self.name} plays {others}.")
        self.say("A move in notation, ? for the legal moves, help for the rest.")
        shown = False
        while not self.state.over:
            if self.state.to_move != self.seat:
                self._answer()
                shown = False
                continue
            if not shown:
                self._board()
                shown = True
            try:
                line = self.ask(f"{names[self.seat]}> ").strip()
            except EOFError:
                self.say("")
                return
            except UnicodeDecodeError:
                self.say("That is not text.")
                continue
            if line.lower() in ("quit", "q", "exit"):
                return
            shown = not self._obey(line)
        self._board()
        self.say(self._outcome())

    def _board(self) -> None:
        self.say(f"\n{self.state.text(None if self.state.over else self.seat)}\n")

    def _answer(self) -> None:
        state = self.state
        observations, masks = state.observed[np.newaxis].copy(), state.mask[np.newaxis].copy()
        action = int(choose_actions(self.opponent, state.records, FRESH, observations, masks)[0])
        (thoughts,) = likeliest(self.opponent, state.observed[np.newaxis], state.mask[np.newaxis])
        secret = state.spec.is_secret(state.record, action)
        played = "plays unseen" if secret else f"plays {state.describe(action)}"
        self.say(f"{state.spec.agents[state.to_move]} ({self.name}) {played}")
        self._step(action, thoughts)

    def _step(self, action: int, thoughts: dict[int, float] | None = None) -> None:
        self.state.step(action)
        self.actions.append(action)
        self.probabilities.append(thoughts)

    def _obey(self, line: str) -> bool:
        """Do what ``line`` asks for; has the position changed, or is it to be drawn again?"""
        command, _, rest = line.lower().partition(" ")
        if command in ("?", "legal"):
            self._legal(rest.strip())
        elif command in ("help", "h"):
            self.say(HELP)
        elif command == "undo":
            if self._before:
                self._undo()
                return True
            self.say("There is no move of yours to take back.")
        elif command == "board":
            return True
        elif line:
            return self._move(line)
        return False

    def _undo(self) -> None:
        """What came after the person's last move is dealt anew, as far as they may not know it yet."""
        before, ply = self._before.pop()
        redeal = Redeal(ply, self.seat, int(as_seed(None)))
        del self.actions[ply:], self.probabilities[ply:]
        self.redeals = [*(earlier for earlier in self.redeals if earlier.ply <= ply), redeal]
        self.state = before.resampled(redeal.seat, redeal.seed)

    def _move(self, text: str) -> bool:
        try:
            action = self.state.parse(text)
        except ValueError as error:
            self.say(f"{error} (? lists the legal moves)")
            return False
        if not self.state.mask[action]:
            self.say(f"{text}: is not legal here; {self._instead(text)}")
            return False
        self._before.append((self.state.clone(), len(self.actions)))
        self._step(action)
        return True

    def _moves(self) -> list[str]:
        return [self.state.describe(action) for action in self.state.legal_actions()]

    def _instead(self, text: str) -> str:
        """A hint after an illegal move: the few that begin alike, or all if there are few."""
        head = _head(text.strip().lower())
        moves = self._moves()
        alike = [move for move in moves if _head(move.lower()) == head] or moves
        if len(alike) <= _FEW:
            return f"legal are {', '.join(alike)}"
        return "? lists the legal moves" + f", legal {head} those that begin so" * (len(alike) < len(moves))

    def _legal(self, start: str) -> None:
        moves = [move for move in self._moves() if move.lower().startswith(start)]
        if moves:
            self.say(grouped(moves))
        else:
            self.say(f"No legal move begins with {start}; ? lists them all.")

    def _outcome(self) -> str:
        state, names = self.state, self.state.spec.agents
        lines = [
            f"{fact}: " + ", ".join(f"{name} {value:g}" for name, value in zip(names, values, strict=True))
            for fact, values in state.spec.final_info(state.record).items()
        ]
        returns = state.returns().tolist()
        best = max(value for seat, value in enumerate(returns) if seat != self.seat)
        own = returns[self.seat]
        lines.append("You win." if own > best else "You lose." if own < best else "A draw.")
        return "\n".join(lines)


def _head(move: str) -> str:
    """The first word of a move: its destination, in most notations."""
    found = re.match(r"\w+", move)
    return found[0] if found else move


def grouped(moves: list[str]) -> str:
    """``moves``, counted, those with the same first word on lines of their own."""
    groups: dict[str, list[str]] = {}
    for move in moves:
        groups.setdefault(_head(move), []).append(move)
    single = [group[0] for group in groups.values() if len(group) == 1]
    lines = [f"{len(moves)} legal move{'s' * (len(moves) > 1)}:"]
    layout = textwrap.TextWrapper(_WIDTH, "  ", "      ", break_on_hyphens=False)
    for group in [single, *(group for group in groups.values() if len(group) > 1)]:
        lines += layout.wrap("  ".join(move.replace(" ", _UNBROKEN) for move in group))
    return "\n".join(lines).replace(_UNBROKEN, " ")
