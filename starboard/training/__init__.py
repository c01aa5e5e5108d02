"""Self-play training. Needs the extra: ``pip install "starboard-envs[train]"``."""

from starboard.agents import Agent, load_agent
from starboard.training.selfplay import Settings, TrainingResult, train

__all__ = ["Agent", "Settings", "TrainingResult", "load_agent", "train"]
