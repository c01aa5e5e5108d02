"""The command ``starboard``: train, evaluate, play and measure from the shell.

Exit codes: 0 all went well, 1 the machine refused (a full disk, say), 2 the arguments are wrong, 130 Ctrl-C. What is
slow to import is imported by the command that needs it, so ``--help`` and mistakes are answered at once.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from starboard import registry

if TYPE_CHECKING:
    from starboard.spec import Option

_MINUTES = 8
_RENDER_PACKAGES = ("matplotlib", "PIL", "resvg_py")
_TRAIN_PACKAGES = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "tqdm", "rich")


class _Parser(argparse.ArgumentParser):
    """Answers a mistake in one line, without the list of all arguments."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_abbrev=False, **kwargs)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())} (see {self.prog} --help)\n")


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number, at least 1")
    return number


def _seed(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number < 2**64:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number from 0 to 2**64 - 1")
    return number


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a number above 0")
    return number


def _seat(text: str) -> int | None:
    """A seat; None for a random one."""
    if text == "random":
        return None
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a seat, such as 0 or 1, or random") from None


def _game(text: str) -> str:
    names = registry.names()
    if text not in names:
        raise argparse.ArgumentTypeError(f"no game {text!r} is installed; there are: {', '.join(names) or 'none'}")
    return text


def _new_file(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r}: must be a file in a folder that exists")
    return path


def _option_type(option: Option) -> Callable[[str], Any]:
    kind = type(option.default)

    def read(text: str) -> Any:
        try:
            return option.check(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error).removeprefix(f"{option.name}: ")) from None

    def parse(text: str) -> Any:
        try:
            return option.check(kind(text))
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r}: must be {option.allowed}") from None

    return parse if option.read is None else read


def _add_options(parser: argparse.ArgumentParser, game: str | None) -> None:
    """A flag for each option of ``game``. Those not given are left out of the namespace."""
    if game is None:
        parser.epilog = "With the name of a game before it, --help also shows the game's options, such as --size."
        return
    group = parser.add_argument_group(f"options of {game}", "Where a saved agent plays, its own are the defaults.")
    for option in registry.game(game).options:
        settings: dict[str, Any] = {
            "dest": f"option_{option.name}",
            "default": argparse.SUPPRESS,
            "help": f"{option.help}; {option.allowed}, default {option.default}".replace("%", "%%"),
        }
        if isinstance(option.default, bool):
            settings |= {"action": argparse.BooleanOptionalAction}
        else:
            metavar = type(option.default).__name__.upper() if option.read is None else "FILE"
            settings |= {"type": _option_type(option), "metavar": metavar}
        group.add_argument(f"--{option.name.replace('_', '-')}", **settings)


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """The game's options among ``args``."""
    return {name.removeprefix("option_"): value for name, value in vars(args).items() if name.startswith("option_")}


def _given(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Those of ``names`` that were given; the others are left to the defaults of what is called."""
    return {name: value for name, value in vars(args).items() if name in names and value is not None}


def _named_game(argv: Sequence[str]) -> str | None:
    """The game whose options argparse must know before it reads ``argv``: an installed one that is named there."""
    if not argv or argv[0] not in _COMMANDS or argv[0] in ("games", "plot", "replay"):
        return None
    names = registry.names()
    only = names[0] if len(names) == 1 and not {"-h", "--help"} & set(argv) else None
    pairs = list(pairwise(argv))
    flagged = [word for flag, word in pairs if flag == "--game"]
    flagged += [word.removeprefix("--game=") for word in argv if word.startswith("--game=")]
    placed = [
        word
        for flag, word in pairs
        if argv[0] != "evaluate" and flag not in ("--out", "--json", "--against", "--records")
    ]
    return next((word for word in flagged + placed if word in names), only)


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="starboard", description="Board games as reinforcement-learning environments.")
    parser.add_argument("--version", action="version", version=f"starboard-envs {version('starboard-envs')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    game = _named_game(argv)
    for name, (add_arguments, run, text) in _COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        command.set_defaults(run=run, parser=command)
        add_arguments(command, game if argv[0] == name else None)
    return parser


def _games_arguments(parser: argparse.ArgumentParser, game: str | None) -> None:
    pass


def _games(args: argparse.Namespace) -> None:
    for name in registry.names():
        game = registry.game(name)
        print(f"{name}  (v{game.version})  {game.summary}")
        for option in game.options:
            flag = ("[no-]" if isinstance(option.default, bool) else "") + option.name.replace("_", "-")
            print(f"    --{flag:18} {option.help}; {option.allowed}, default {option.default}")


def _train_arguments(parser: argparse.ArgumentParser, game: str | None) -> None:
    parser.add_argument("game", type=_game, metavar="GAME", help="an installed game (starboard games lists them)")
    parser.add_argument("--minutes", type=_positive, help=f"how long to train, default {_MINUTES}")
    parser.add_argument("--timesteps", type=_count, help="stop after so many actions of the learner")
    parser.add_argument("--seed", type=_seed, help="one seed for everything, default 0")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where the run is kept, default runs/GAME")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out, as it was set up")
    parser.add_argument("--device", help="cpu, cuda, or auto (the default)")
    parser.add_argument("--num-envs", type=_count, help="games played side by side")
    parser.add_argument("--network", help="kind of network, default: the game's best")
    pool = "who plays beside the learner's selves: bots and files of saved agents, default random greedy greedy"
    parser.add_argument("--pool", nargs="*", metavar="PLAYER", help=pool)
    ladder = "whom to measure it against: bots and files of saved agents, default random greedy"
    parser.add_argument("--ladder", nargs="+", metavar="PLAYER", help=ladder)
    parser.add_argument("--games", type=_count, help="of each match at the end, default 400 or a few more")
    records = "append the games of these matches to it, for starboard replay"
    parser.add_argument("--records", type=_new_file, metavar="FILE", help=records)
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    _add_options(parser, game)


def _train(args: argparse.Namespace) -> None:
    from starboard.training import train

    names = ("minutes", "timesteps", "seed", "device", "num_envs", "network", "pool", "ladder", "games", "records")
    out = args.out or Path("runs") / args.game
    settings = _given(args, *names) | {"out": out, "resume": args.resume, "progress": not args.quiet}
    if args.resume and args.seed is not None:
        args.parser.error("argument --seed: a resumed run keeps its own; leave it out")
    if not args.resume and args.minutes is None and args.timesteps is None:
        settings["minutes"] = _MINUTES
    try:
        result = train(args.game, _options(args), **settings)
    except KeyboardInterrupt:
        if (out / "checkpoint.pt").exists():
            print(f"\nTo go on: starboard train {args.game} --resume --out {shlex.quote(str(out))}", file=sys.stderr)
        raise
    print(result.table())
    agent = shlex.quote(str(result.path))
    print(f"The agent is {agent}. To play against it: starboard play {args.game} --against {agent}")


def _evaluate_arguments(parser: argparse.ArgumentParser, game: str | None) -> None:
    for name in ("a", "b"):
        parser.add_argument(name, metavar=name.upper(), help="random, greedy, mcts:100, or the file of a saved agent")
    parser.add_argument(
        "--game", type=_game, metavar="GAME", help="default: a saved agent's, or the only one installed"
    )
    parser.add_argument("--games", type=_count, help="a multiple of the number of players, default 400 or a few more")
    parser.add_argument("--seed", type=_seed, default=0, help="default 0")
    parser.add_argument("--num-envs", type=_count, help="games played side by side")
    parser.add_argument("--json", type=_new_file, metavar="FILE", help="write the result there, too")
    parser.add_argument(
        "--records", type=_new_file, metavar="FILE", help="append the games to it, for starboard replay"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    _add_options(parser, game)


def _evaluate(args: argparse.Namespace) -> None:
    from starboard.arena import evaluate
    from starboard.files import write_whole

    show = sys.stderr.isatty() and not args.quiet

    def progress(finished: int, games: int) -> None:
        print(f"\r{finished} of {games} games", end="\n" if finished == games else "", file=sys.stderr, flush=True)

    settings = _given(args, "games", "seed", "num_envs", "records") | {"progress": progress if show else None}
    result = evaluate(args.a, args.b, args.game, _options(args), **settings)
    print(result.table())
    if args.json:
        write_whole(args.json, (json.dumps(result.to_dict(), indent=2) + "\n").encode())


def _arena_arguments(parser: argparse.ArgumentParser, game: str | None) -> None:
    parser.add_argument("game", type=_game, metavar="GAME", help="an installed game (starboard games lists them)")
    players = "random, greedy, mcts:100 and the like, or the file of a saved agent; two or more, all different"
    parser.add_argument("players", nargs="+", metavar="PLAYER", help=players)
    games = "of each pairing, a multiple of the number of players of a game, default 100 or a few more"
    parser.add_argument("--games", type=_count, help=games)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the arena is kept, or goes on")
    parser.add_argument("--seed", type=_seed, default=0, help="default 0")
    block = "starts in a block, the unit that is kept or played again, default 16"
    parser.add_argument("--block", type=_count, help=block)
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    _add_options(parser, game)


def _arena(args: argparse.Namespace) -> None:
    from starboard.arena import round_robin
    from starboard.render.raster import extra

    show = sys.stderr.isatty() and not args.quiet
    width = 0

    def progress(finished: int, games: int, pairing: str) -> None:
        nonlocal width
        line = f"{finished} of {games} games, {pairing}"
        width = max(width, len(line))
        print(f"\r{line:{width}}", end="\n" if finished == games else "", file=sys.stderr, flush=True)

    settings = _given(args, "out", "games", "seed", "block") | {"progress": progress if show else None}
    try:
        result = round_robin(args.players, args.game, _options(args), **settings)
    except KeyboardInterrupt:
        out = shlex.quote(str(args.out))
        print(f"\nTo go on, give the same command again; {out} keeps the blocks that are finished.", file=sys.stderr)
        raise
    print(f"{result.table()}\n\n{result.cross_table()}")
    if result.zero is None:  # without ratings there is no ladder
        return
    try:
        files = extra("starboard.render.plots").plot(args.out)
    except ModuleNotFoundError as error:
        print(f"\nThe ladder is not drawn: {error}")
    else:
        print(f"\nThe ladder is drawn in {' and '.join(map(str, files))}.")


def _plot_arguments(parser: argparse.ArgumentParser, game: str | None) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="of a training run or an arena")
    parser.add_argument("--out", type=_new_file, metavar="FILE", help=".png or .svg; default: one of each in FOLDER")


def _plot(args: argparse.Namespace) -> None:
    from starboard.render.raster import extra

    for file in extra("starboard.render.plots").plot(args.folder, args.out):
        print(file)


def _play_arguments(parser: argparse.ArgumentParser, game: str | None) -> None:
    parser.add_argument("game", type=_game, metavar="GAME", help="an installed game (starboard games lists them)")
    against = "random, greedy (the default), mcts:100, or the file of a saved agent"
    parser.add_argument("--against", default="greedy", metavar="PLAYER", help=against)
    parser.add_argument("--seat", type=_seat, default=0, help="yours: 0 (the default), 1, ... or random")
    parser.add_argument("--seed", type=_seed, help="for the same game again; default: another each time")
    records = "append the game to it when it is over, for starboard replay"
    parser.add_argument("--records", type=_new_file, metavar="FILE", help=records)
    _add_options(parser, game)


def _play(args: argparse.Namespace) -> None:
    import numpy as np

    from starboard.arena import choose_spec
    from starboard.bots import make_player
    from starboard.records import GameRecord, Recorder, start_seed
    from starboard.rng import fold, mix
    from starboard.state import GameState, as_seed
    from starboard.terminal import Terminal

    with suppress(ImportError):  # gives input() arrow keys and a history; Windows has its own
        import readline  # noqa: F401

    spec = choose_spec([args.against], args.game, _options(args))
    key = as_seed(args.seed)
    seat = int(fold(np.uint64(mix(key, 0, 1)), spec.num_players)) if args.seat is None else args.seat
    if not 0 <= seat < spec.num_players:
        args.parser.error(f"argument --seat: {seat}: must be from 0 to {spec.num_players - 1}, or random")
    opponent = make_player(args.against, spec, int(mix(key, 0, 2)))
    recorder = Recorder(args.records) if args.records else None
    terminal = Terminal(GameState(spec, int(key)), opponent, seat, args.against)
    terminal.play()
    if recorder is None:
        return
    if not terminal.state.over:
        print(f"Nothing is added to {args.records}: the game is not over.")
        return
    played = GameRecord.of(
        spec,
        start_seed(int(key)),
        terminal.actions,
        ["person" if other == seat else args.against for other in range(spec.num_players)],
        redeals=terminal.redeals,
        probabilities=terminal.probabilities if any(terminal.probabilities) else None,
    )
    recorder.append(played)
    print(f"To see the game again: starboard replay {shlex.quote(str(args.records))}")


def _replay_arguments(parser: argparse.ArgumentParser, game: str | None) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="games that --records of evaluate or play wrote, or starboard.records"
    )
    number = "number of a game in the file, may be given several times; default: the first ten"
    parser.add_argument("--game", type=_count, action="append", metavar="N", help=number)
    parser.add_argument("--out", type=_new_file, metavar="FILE", help="the page, default: FILE with the ending .html")
    seen = "all (the default), or a seat, such as player_0: only what it can see is in the page"
    parser.add_argument("--view", default="all", metavar="SEAT", help=seen)
    parser.add_argument("--gif", type=_new_file, metavar="FILE", help="an animation of the game")
    parser.add_argument("--png", type=_new_file, metavar="FILE", help="a picture of the final position")
    parser.add_argument("--ply", type=int, metavar="N", help="for --png: of the position after N actions")


def _replay(args: argparse.Namespace) -> None:
    from starboard import replay
    from starboard.files import write_whole

    if args.ply is not None and args.png is None:
        args.parser.error("argument --ply: is for --png, which is not given")
    out = args.out or Path(args.file).with_suffix(".html")
    if Path(args.file).resolve() in [file.resolve() for file in (out, args.gif, args.png) if file]:
        args.parser.error(f"{args.file}: is the file of the games; write to another one")
    games = replay.select(args.file, args.game or ())
    seats = {name: seat for record in games.values() for seat, name in enumerate(record.spec.agents)}
    if args.view not in ("all", *seats):
        args.parser.error(f"argument --view: {args.view!r}: must be one of all, {', '.join(seats)}")
    view = seats.get(args.view)
    pictures = args.gif or args.png
    if pictures and len(games) > 1:
        args.parser.error("arguments --gif, --png: show one game; choose it with --game")
    record = next(iter(games.values()))
    if args.gif:
        write_whole(args.gif, replay.gif(record, view))
    if args.png:
        write_whole(args.png, replay.png(record, args.ply, view))
    if args.out or not pictures:
        data = replay.page(list(games.values()), view, list(games)).encode()
        write_whole(out, data)
        shown = ", ".join(map(str, games))
        print(f"{out}: game{'s' * (len(games) > 1)} {shown} ({len(data) // 1024} KB); open it in a browser")
        if not args.game and len(games) == replay.MOST_GAMES:
            print("These are the first games of the file; --game chooses others.")


def _bench_arguments(parser: argparse.ArgumentParser, game: str | None) -> None:
    parser.add_argument("game", nargs="?", type=_game, metavar="GAME", help="default astralis")
    parser.add_argument("--rounds", type=_count, help="how often each layer is measured, in turn, default 7")
    parser.add_argument("--seconds", type=_positive, help="for how long each time, default 0.3")
    parser.add_argument("--quick", action="store_true", help="one short round, only to see that all works")
    parser.add_argument("--json", type=_new_file, metavar="FILE", help="write the report there, too")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    _add_options(parser, game)


def _bench(args: argparse.Namespace) -> None:
    from starboard import benchmark
    from starboard.files import write_whole

    def progress(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    settings = _given(args, "game", "rounds", "seconds", "quick")
    report = benchmark.run(options=_options(args), progress=None if args.quiet else progress, **settings)
    print(benchmark.table(report))
    if args.json:
        write_whole(args.json, (json.dumps(report, indent=1) + "\n").encode())


_COMMANDS = {
    "games": (_games_arguments, _games, "list the installed games and their options"),
    "train": (_train_arguments, _train, "train an agent by self-play"),
    "evaluate": (_evaluate_arguments, _evaluate, "let two players play many games, sides swapped"),
    "arena": (_arena_arguments, _arena, "let many players play each other, and rank them"),
    "plot": (_plot_arguments, _plot, "draw an arena's ratings or a training run's curves"),
    "play": (_play_arguments, _play, "play in the terminal"),
    "replay": (_replay_arguments, _replay, "make a page to step through recorded games"),
    "bench": (_bench_arguments, _bench, "measure the speed of each layer"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that ``argv`` (default: the process's arguments) asks for; return the exit code.

    :raises SystemExit: after ``--help`` and ``--version`` (code 0), and for wrong arguments (code 2).
    """
    argv = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    try:
        args, unknown = _parser(argv).parse_known_args(argv)
        if unknown:
            hint = "" if _named_game(argv) else "; if they are options of a game, name the game, too"
            args.parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return _run(args)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130


def _run(args: argparse.Namespace) -> int:
    parser: argparse.ArgumentParser = args.parser
    try:
        args.run(args)
        sys.stdout.flush()
    except (ValueError, FileExistsError, FileNotFoundError) as error:
        parser.error(str(error))  # what the library says of a wrong argument or a damaged file is fit to be read
    except ModuleNotFoundError as error:
        if error.name in _RENDER_PACKAGES:
            parser.error(str(error))
        if error.name not in _TRAIN_PACKAGES:
            raise
        parser.error(
            f"{error.name} is needed and not installed: pip install 'starboard-envs[train]' (in a checkout: '.[train]')"
        )
    except MemoryError:
        print(
            f"{parser.prog}: error: not enough memory; ask for fewer games at once (--num-envs, --games)",
            file=sys.stderr,
        )
        return 1
    except BrokenPipeError:  # `starboard ... | head`: the reader has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 1
    return 0
