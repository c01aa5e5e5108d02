"""Players against each other."""

from starboard.arena.intervals import wilson
from starboard.arena.match import MatchResult, Tally, check_games, choose_spec, evaluate

__all__ = ["MatchResult", "Tally", "check_games", "choose_spec", "evaluate", "wilson"]
