"""The games of an arena in one SQLite file, which a kill at any time leaves whole.

It has SQLite's rollback journal, no write-ahead log: between two commits the one file holds everything, so a copy of
the folder is a copy of the arena. SQLite's own lock, held until the store is closed or the process ends, keeps others
out.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Self

from starboard.spec import GameSpec, shown

STORE = "arena.sqlite"
_APPLICATION, _SCHEMA = 0x53544152, 1  # "STAR"; goes up whenever the tables change
_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE players (identity TEXT PRIMARY KEY, label TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pairings (id INTEGER PRIMARY KEY, members TEXT NOT NULL UNIQUE);
CREATE TABLE blocks (
    pairing INTEGER NOT NULL REFERENCES pairings, block INTEGER NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (pairing, block)
) WITHOUT ROWID;
CREATE TABLE games (
    pairing INTEGER NOT NULL, block INTEGER NOT NULL, deal INTEGER NOT NULL, rotation INTEGER NOT NULL,
    returns TEXT NOT NULL, plies INTEGER NOT NULL, ended TEXT NOT NULL CHECK (ended IN ('terminated', 'truncated')),
    PRIMARY KEY (pairing, deal, rotation),
    FOREIGN KEY (pairing, block) REFERENCES blocks ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE thinking (
    pairing INTEGER NOT NULL, block INTEGER NOT NULL, player TEXT NOT NULL REFERENCES players,
    decisions INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (pairing, block, player),
    FOREIGN KEY (pairing, block) REFERENCES blocks ON DELETE CASCADE
) WITHOUT ROWID;
"""

Pairing = tuple[str, ...]
"""Identities of the players of a game, sorted; one for each seat."""


@dataclass(frozen=True)
class GameResult:
    """How one game ended."""

    deal: int
    """Which start, with all the chance that follows from it."""
    rotation: int
    """Seat s was of the pairing's member ``(s + rotation) % seats``."""
    returns: tuple[float, ...]
    """Each seat's."""
    plies: int
    ended: str
    """``"terminated"`` or ``"truncated"``."""


@dataclass(frozen=True)
class Thinking:
    """How much a player decided, and how long that took."""

    decisions: int
    seconds: float


@dataclass(frozen=True)
class Facts:
    """What all games of an arena have in common."""

    game: str
    version: int
    options: Mapping[str, Any]
    seats: int
    seed: int
    block: int
    """Deals in a block."""

    @classmethod
    def of(cls, spec: GameSpec, seed: int, block: int) -> Self:
        """Those of games of ``spec``."""
        return cls(spec.name, spec.version, dict(spec.options), spec.num_players, seed, block)

    def shown(self) -> dict[str, str]:
        """Each fact in words, as messages name it."""
        options = {text.split("=")[0]: text for text in shown(self.options)}
        return {"game": f"{self.game}_v{self.version}", **options, **_shown(seed=self.seed, block=self.block)}


def _checksum(game: GameResult, before: int) -> int:
    """Of a block's games up to ``game``, those ``before`` it included."""
    return zlib.crc32(json.dumps(astuple(game)).encode(), before)


def _shown(**facts: Any) -> dict[str, str]:
    return {name: f"{name}={value!r}" for name, value in facts.items()}


class Store:
    """The arena in ``folder``, held until :meth:`close`.

    :param facts: what its games have in common; a new arena is begun with them. None takes those of the arena there.
    :raises FileNotFoundError: if there is no arena in ``folder``, and no ``facts``.
    :raises FileExistsError: if another process holds it.
    :raises ValueError: if it is damaged, of another release, or has other facts.
    :raises OSError: if it cannot be read or written.
    """

    def __init__(self, folder: str | Path, facts: Facts | None = None) -> None:
        self.path = Path(folder) / STORE
        if facts is None and not self.path.is_file():
            raise FileNotFoundError(f"{self.path}: there is no arena")
        if self.path.parent.exists() and not self.path.parent.is_dir():
            raise FileExistsError(f"out={str(folder)!r}: is a file; name a folder")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._errors():
            # Transactions are begun and ended here, not by the module.
            self._database = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        try:
            with self._errors():
                self._database.execute("PRAGMA locking_mode = EXCLUSIVE")  # the first commit's lock stays
                self._database.execute("PRAGMA foreign_keys = ON")
                with self._transaction():
                    self.facts = self._open(facts)
        except BaseException:
            self.close()
            raise

    def _open(self, facts: Facts | None) -> Facts:
        [application], [schema] = (
            self._database.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        [tables] = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if facts is not None and (application, schema, tables) == (0, 0, 0):  # new, or killed before it had begun
            for statement in _TABLES.split(";"):
                self._database.execute(statement)
            self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._database.execute(f"PRAGMA user_version = {_SCHEMA}")
            rows = [(name, json.dumps(value)) for name, value in vars(facts).items()]
            self._database.executemany("INSERT INTO facts VALUES (?, ?)", rows)
            return facts
        if application != _APPLICATION:
            raise ValueError(f"{self.path}: is not an arena's")
        if schema != _SCHEMA:
            raise ValueError(f"{self.path}: has format {schema}; this release reads {_SCHEMA}")
        self._check_whole()
        kept = self._database.execute("SELECT name, value FROM facts")
        try:
            found = Facts(**{name: json.loads(value) for name, value in kept})
        except TypeError as error:
            raise sqlite3.DatabaseError(str(error)) from error
        if facts is not None and found != facts:
            here, wanted = found.shown(), facts.shown()
            names = [name for name in here if here[name] != wanted.get(name)]
            if "game" in names:  # which then has other options as well
                names = ["game"]
            theirs, asked = (", ".join(side[name] for name in names) for side in (here, wanted))
            raise ValueError(f"{self.path}: holds games with {theirs}, not {asked}; choose another folder for these")
        return found

    def _check_whole(self) -> None:
        [verdict] = self._database.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
        rows = self._database.execute("SELECT members, block, checksum FROM blocks JOIN pairings ON id = pairing")
        noted = {(members, block): checksum for members, block, checksum in rows}
        found: dict[tuple[str, int], int] = {}
        for members, block, game in self._games():
            found[members, block] = _checksum(game, found.get((members, block), 0))
        if found != noted:
            raise sqlite3.DatabaseError("the checksum of a block does not match")

    def _games(self) -> Iterator[tuple[str, int, GameResult]]:
        """Pairing, block and result of each game, ordered by pairing, deal and rotation."""
        for members, block, deal, rotation, returns, plies, ended in self._database.execute(
            "SELECT members, block, deal, rotation, returns, plies, ended FROM games JOIN pairings ON id = pairing "
            "ORDER BY members, deal, rotation"
        ):
            yield members, block, GameResult(deal, rotation, tuple(json.loads(returns)), plies, ended)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """SQLite's errors as the library's."""
        try:
            yield
        except sqlite3.OperationalError as error:
            code = error.sqlite_errorcode & 0xFF  # without what makes it more precise
            if code == sqlite3.SQLITE_BUSY:
                raise FileExistsError(f"{self.path}: another process plays there; let it end first") from error
            if code == sqlite3.SQLITE_ERROR:  # a table is missing, say
                raise ValueError(f"{self.path}: is damaged, or not an arena's ({error})") from error
            raise OSError(f"{self.path}: {error}") from error
        except (sqlite3.DatabaseError, json.JSONDecodeError) as error:
            raise ValueError(f"{self.path}: is damaged, or not an arena's ({error})") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN EXCLUSIVE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:  # after some errors SQLite has rolled back itself
                self._database.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def blocks(self) -> dict[tuple[Pairing, int], int]:
        """How many games were played in each block, by pairing and number."""
        found: Counter[tuple[Pairing, int]] = Counter()
        with self._errors():
            found.update((tuple(json.loads(members)), block) for members, block, _ in self._games())
        return found

    def labels(self) -> dict[str, str]:
        """What each player was called last, by its identity; in order."""
        with self._errors():
            return dict(self._database.execute("SELECT identity, label FROM players ORDER BY identity"))

    def games(self) -> Iterator[tuple[Pairing, GameResult]]:
        """All games, in an order that does not depend on when they were played."""
        with self._errors():
            for members, _, game in self._games():
                yield tuple(json.loads(members)), game

    def thinking(self) -> dict[str, Thinking]:
        """Of each player, by its identity."""
        with self._errors():
            rows = self._database.execute("SELECT player, sum(decisions), sum(seconds) FROM thinking GROUP BY player")
            return {player: Thinking(decisions, seconds) for player, decisions, seconds in rows}

    def rename(self, labels: Mapping[str, str]) -> None:
        """Call the players that are known here as ``labels`` says, by identity."""
        with self._errors(), self._transaction():
            self._database.executemany(
                "UPDATE players SET label = ? WHERE identity = ?",
                [(label, identity) for identity, label in labels.items()],
            )

    def commit(
        self,
        pairing: Pairing,
        block: int,
        games: Sequence[GameResult],
        labels: Mapping[str, str],
        thinking: Mapping[str, Thinking],
    ) -> None:
        """Keep a block, in place of a shorter one with this number: all of it or, if this fails, nothing.

        :param games: ordered by deal and rotation.
        :param labels: what the players are called, by identity; so is ``thinking``.
        """
        members = json.dumps(pairing)
        with self._errors(), self._transaction():
            self._database.executemany(
                "INSERT INTO players VALUES (?, ?) ON CONFLICT DO NOTHING",
                [(player, labels[player]) for player in sorted(set(pairing))],
            )
            self._database.execute("INSERT INTO pairings (members) VALUES (?) ON CONFLICT DO NOTHING", [members])
            [number] = self._database.execute("SELECT id FROM pairings WHERE members = ?", [members]).fetchone()
            self._database.execute("DELETE FROM blocks WHERE pairing = ? AND block = ?", [number, block])
            checksum = 0
            for game in games:
                checksum = _checksum(game, checksum)
            self._database.execute("INSERT INTO blocks VALUES (?, ?, ?)", [number, block, checksum])
            self._database.executemany(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (number, block, game.deal, game.rotation, json.dumps(game.returns), game.plies, game.ended)
                    for game in games
                ],
            )
            self._database.executemany(
                "INSERT INTO thinking VALUES (?, ?, ?, ?, ?)",
                [(number, block, player, spent.decisions, spent.seconds) for player, spent in thinking.items()],
            )
