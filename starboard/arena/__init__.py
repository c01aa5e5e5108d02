"""Players against each other."""

from starboard.arena.intervals import wilson
from starboard.arena.match import MatchResult, Tally, check_games, choose_spec, evaluate
from starboard.arena.standings import Score, Standing, Standings, read_standings
from starboard.arena.tournament import round_robin

__all__ = [
    "MatchResult",
    "Score",
    "Standing",
    "Standings",
    "Tally",
    "check_games",
    "choose_spec",
    "evaluate",
    "read_standings",
    "round_robin",
    "wilson",
]
