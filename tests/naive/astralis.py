"""Astralis, played slowly and plainly: the oracle that the kernel is tested against.

It follows the clauses one by one (their numbers stand beside the branches) and shares no table, cache or trick with
the kernel. Cells are axial coordinates ``(q, r)``; what lies next to what is found by scanning every stone.
"""

from __future__ import annotations

import copy

Cell = tuple[int, int]

# AL-1.4: directions 0..5 are E, SE, SW, W, NW, NE.
DIRECTIONS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))

CONTESTED = "contested"

SETUPS = ("choose", "fixed", "random")


def step_from(cell: Cell, direction: Cell) -> Cell:
    """The coordinates one step from ``cell``, which may lie off the board."""
    return (cell[0] + direction[0], cell[1] + direction[1])


def are_adjacent(a: Cell, b: Cell) -> bool:
    """Whether the two cells touch."""
    return (b[0] - a[0], b[1] - a[1]) in DIRECTIONS


class NaiveAstralis:
    """One game of Astralis.

    :param size: cells to a side (AL-1.1).
    :param stones: stones of each player (AL-1.2).
    :param komi: points added to the second player's score (AL-5.2).
    :param stall_limit: turns in a row without a stone after which the game ends (AL-5.3).
    :param setup: ``"choose"``, ``"fixed"`` or ``"random"`` (AL-2.1, AL-2.2).
    :param bonus_stones: whether surrounded hexes are filled at once (AL-4.4).
    :param ships: for ``setup="random"``, and only there: the two cell indices that were drawn, first player first.
    :raises ValueError: unknown ``setup``, or ``ships`` missing, not wanted, or not on the players' own edges.

    Attributes: ``to_move`` (0 or 1; after the end it means nothing), ``ply`` (actions played, setup and passes
    included), ``terminated``, ``ships`` (a cell or ``None`` for each player), ``stones_left`` (one count for each
    player), ``stall`` (turns in a row without a stone), ``tiles`` (cell -> ``None``, 0, 1 or ``"contested"``),
    ``stones`` (cell -> owner).
    """

    def __init__(
        self,
        size: int = 8,
        stones: int = 30,
        komi: float = 3.5,
        stall_limit: int = 60,
        setup: str = "choose",
        bonus_stones: bool = False,
        ships: tuple[int, int] | None = None,
    ) -> None:
        if setup not in SETUPS:
            raise ValueError(f"setup must be one of {SETUPS}, not {setup!r}")
        if (ships is not None) != (setup == "random"):
            raise ValueError('ships go with setup="random", and only with it')
        self.size = size
        self.komi = komi
        self.stall_limit = stall_limit
        self.bonus_stones = bonus_stones
        # AL-1.4: row by row from the top, and within a row with q ascending.
        span = range(-(size - 1), size)
        self.cells: list[Cell] = [(q, r) for r in span for q in span if abs(q + r) <= size - 1]

        self.to_move = 0
        self.ply = 0
        self.terminated = False
        self.stall = 0
        self.stones_left = [stones, stones]  # AL-1.2; of tiles there is no supply to count (AL-1.3).
        self.stones: dict[Cell, int] = {}
        self.tiles: dict[Cell, int | str | None] = dict.fromkeys(self.cells)
        self.ships: list[Cell | None] = [None, None]  # AL-2.1: put by each player's first action.
        self._passed_last = False

        # AL-2.2: the ships stand ready, and the first action is a move.
        if setup == "fixed":
            # The first player's cell is the second player's turned half a turn about the centre.
            along = (size - 1) // 2
            self.ships = [self.cells[len(self.cells) - 1 - along], self.cells[along]]
        elif ships is not None:
            for player in (0, 1):
                cell = self.cells[ships[player]]
                if cell not in self.setup_cells(player):
                    raise ValueError(f"cell {ships[player]} is not a setup cell of player {player}")
                self.ships[player] = cell

    # The board.

    @property
    def pass_action(self) -> int:
        """The number of the pass, the last action (AL-6.1)."""
        return len(self.cells) * 7

    def neighbours(self, cell: Cell) -> list[Cell]:
        """The cells of the board next to ``cell``."""
        return [other for other in self.cells if are_adjacent(cell, other)]

    def owners_next_to(self, cell: Cell) -> set[int]:
        """The owners of the stones next to ``cell``."""
        return {owner for stone, owner in self.stones.items() if are_adjacent(cell, stone)}

    def is_setup(self) -> bool:
        """Whether a ship is still to be put (AL-2.1)."""
        return None in self.ships

    def setup_cells(self, player: int) -> list[Cell]:
        """The non-corner cells of the player's near edge (AL-2.1): the first player's is the bottom one (AL-1.4)."""
        edge_row = self.size - 1 if player == 0 else -(self.size - 1)
        edge = [cell for cell in self.cells if cell[1] == edge_row]
        return edge[1:-1]

    # What may be done.

    def destinations(self) -> list[Cell]:
        """The cells where the ship of the player to move may stop."""
        me, opponent = self.to_move, 1 - self.to_move
        start = self.ships[me]
        assert start is not None
        found = []
        for direction in DIRECTIONS:  # AL-3.1: a straight line in any of the six directions,
            cell = step_from(start, direction)  # of one or more hexes.
            while cell in self.cells:
                if cell == self.ships[opponent]:  # AL-3.2, AL-3.3: no stop, no way through.
                    break
                owner = self.stones.get(cell)
                if owner == opponent:  # AL-3.2, AL-3.3: no stop, no way through.
                    break
                if owner is None:  # AL-3.2: on an own stone there is no stop, but AL-3.3: the way goes on.
                    found.append(cell)
                cell = step_from(cell, direction)  # AL-3.4: tiles are not asked.
        return found

    def may_place(self, spot: Cell, ship: Cell) -> bool:
        """Whether the player to move may put a stone on ``spot`` once their ship has come to ``ship`` (AL-4.1)."""
        me, opponent = self.to_move, 1 - self.to_move
        if self.stones_left[me] == 0:  # AL-4.3
            return False
        return (
            spot in self.cells
            and are_adjacent(spot, ship)
            and spot not in self.stones
            and spot != self.ships[opponent]
            and not self.owners_next_to(spot)
        )

    def legal_actions(self) -> list[int]:
        """The numbers of the legal actions (AL-6.1), ascending; none after the end."""
        if self.terminated:
            return []
        if self.is_setup():
            return sorted(self.cells.index(cell) * 7 for cell in self.setup_cells(self.to_move))
        actions = []
        for destination in self.destinations():
            base = self.cells.index(destination) * 7
            actions.append(base)  # AL-4.1: placing is optional.
            for number, direction in enumerate(DIRECTIONS):
                if self.may_place(step_from(destination, direction), destination):
                    actions.append(base + 1 + number)
        # AL-3.5: the pass is legal only where the ship cannot move.
        return sorted(actions) if actions else [self.pass_action]

    # Playing.

    def play(self, action: int) -> None:
        """Play one action.

        :raises ValueError: the action is not legal.
        """
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is not legal")
        me = self.to_move
        if self.is_setup():
            self.ships[me] = self.cells[action // 7]  # AL-2.1; AL-5.3: no turn for the stall count.
        elif action == self.pass_action:
            assert not self._passed_last  # AL-3.5: never two in a row.
            self._passed_last = True
            self._end_turn(placed=False)
        else:
            self._passed_last = False
            destination = self.cells[action // 7]
            self.ships[me] = destination
            if action % 7 == 0:
                self._end_turn(placed=False)
            else:
                self._place(me, step_from(destination, DIRECTIONS[action % 7 - 1]))
                if self.bonus_stones:
                    self._fill_pockets(me)
                self._end_turn(placed=True)
        self.ply += 1
        self.to_move = 1 - me

    def _place(self, player: int, spot: Cell) -> None:
        """Put a stone and the tiles that come with it."""
        self.stones_left[player] -= 1
        self.stones[spot] = player
        self.tiles[spot] = player  # AL-4.1: a control tile lies under the stone.
        for cell in self.neighbours(spot):  # AL-4.2; it does not matter whether a ship is there.
            if 1 - player in self.owners_next_to(cell):
                self.tiles[cell] = CONTESTED
            else:
                self.tiles[cell] = player

    def pockets(self, player: int) -> list[Cell]:
        """The unexplored cells, by index, that ``player`` has surrounded and may fill (AL-4.4)."""
        return [
            cell
            for cell in self.cells
            if cell not in self.stones
            and not self.owners_next_to(cell)
            and cell != self.ships[player]  # Never so: the own ship is next to the stone just placed.
            and all(self.tiles[other] == player for other in self.neighbours(cell))
        ]

    def _fill_pockets(self, player: int) -> None:
        """Put the bonus stones (AL-4.4)."""
        for cell in self.pockets(player):
            if self.stones_left[player] == 0:
                break
            # The tiles around are the player's already, so all that AL-4.2 adds is the tile under the stone.
            self._place(player, cell)

    def _end_turn(self, placed: bool) -> None:
        """Count the turn and see whether the game is over."""
        if placed:
            self.stall = 0
            if all(tile is not None for tile in self.tiles.values()):  # AL-5.1
                self.terminated = True
        else:
            self.stall += 1  # AL-5.3: moves without a stone, and passes.
            if self.stall >= self.stall_limit:
                self.terminated = True

    # Results.

    def scores(self) -> tuple[float, float]:
        """Control tiles of each player as the board stands, with the komi added to the second's (AL-5.2)."""
        tiles = list(self.tiles.values())
        return float(tiles.count(0)), tiles.count(1) + float(self.komi)

    def returns(self) -> tuple[float, float]:
        """+1 and -1, or 0 and 0 for a draw (AL-5.2); 0 and 0 before the end."""
        first, second = self.scores()
        if not self.terminated or first == second:
            return 0.0, 0.0
        return (1.0, -1.0) if first > second else (-1.0, 1.0)

    def observation(self, player: int) -> list[list[int]]:
        """What ``player`` sees: 8 rows of one number for each cell, in index order.

        Rows 0 to 6 hold 0 or 1: own stones, opponent's stones, own control tiles, opponent's control tiles, contested
        tiles, own ship, opponent's ship. Row 7 holds the counters: setup phase, observer to move, observer's seat, own
        stones left, opponent's stones left, stall count, stall limit, twice the points that the observer and twice
        those that the opponent adds, bonus stones in play, game over; then zeros.
        """
        opponent = 1 - player
        # AL-5.2: the second player adds the komi; one below zero counts for the first player.
        added = [int(2 * max(-self.komi, 0)), int(2 * max(self.komi, 0))]
        counters = [
            int(self.is_setup()),
            int(not self.terminated and self.to_move == player),
            player,
            self.stones_left[player],
            self.stones_left[opponent],
            self.stall,
            self.stall_limit,
            added[player],
            added[opponent],
            int(self.bonus_stones),
            int(self.terminated),
        ]
        return [
            [int(self.stones.get(cell) == player) for cell in self.cells],
            [int(self.stones.get(cell) == opponent) for cell in self.cells],
            [int(self.tiles[cell] == player) for cell in self.cells],
            [int(self.tiles[cell] == opponent) for cell in self.cells],
            [int(self.tiles[cell] == CONTESTED) for cell in self.cells],
            [int(self.ships[player] == cell) for cell in self.cells],
            [int(self.ships[opponent] == cell) for cell in self.cells],
            counters + [0] * (len(self.cells) - len(counters)),
        ]

    # Notation (AL-1.4).

    def cell_name(self, cell: Cell) -> str:
        """The name of a cell: the letter of its row, a at the top, and its number along the row from 1."""
        row = [other for other in self.cells if other[1] == cell[1]]
        return "abcdefghijklmno"[cell[1] + self.size - 1] + str(row.index(cell) + 1)

    def cell_named(self, name: str) -> Cell:
        """The cell of that name.

        :raises ValueError: there is no such cell.
        """
        for cell in self.cells:
            if self.cell_name(cell) == name:
                return cell
        raise ValueError(f"no cell is called {name!r}")

    def notation(self, action: int) -> str:
        """The action in words: ``d5``, with a stone ``d5*e5``, or ``pass``.

        :raises ValueError: there is no such action, or its stone would lie off the board.
        """
        if action == self.pass_action:
            return "pass"
        if not 0 <= action < self.pass_action:
            raise ValueError(f"there is no action {action}")
        cell = self.cells[action // 7]
        if action % 7 == 0:
            return self.cell_name(cell)
        spot = step_from(cell, DIRECTIONS[action % 7 - 1])
        if spot not in self.cells:
            raise ValueError(f"the stone of action {action} would lie off the board")
        return f"{self.cell_name(cell)}*{self.cell_name(spot)}"

    def parse(self, text: str) -> int:
        """The action that :meth:`notation` writes as ``text``, legal now or not.

        :raises ValueError: the text names no action.
        """
        if text == "pass":
            return self.pass_action
        name, star, stone_name = text.partition("*")
        cell = self.cell_named(name)
        base = self.cells.index(cell) * 7
        if not star:
            return base
        spot = self.cell_named(stone_name)
        if not are_adjacent(cell, spot):
            raise ValueError(f"{stone_name!r} is not next to {name!r}")
        return base + 1 + DIRECTIONS.index((spot[0] - cell[0], spot[1] - cell[1]))


def perft(game: NaiveAstralis, depth: int) -> int:
    """How many sequences of exactly ``depth`` actions the game has from here."""
    if depth == 0:
        return 1
    count = 0
    for action in game.legal_actions():
        after = copy.deepcopy(game)
        after.play(action)
        count += perft(after, depth - 1)
    return count
