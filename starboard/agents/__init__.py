"""Trained agents: networks, the distribution over legal actions, and files. Needs torch, of the extra ``train``."""

import os

# Where another process wants the cores too, torch's threads spin while they wait for one that is not running, and
# networks become ten times slower. OpenMP reads this when torch is first loaded; a setting that is there stays.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from starboard.agents.agent import Agent, load_agent

__all__ = ["Agent", "load_agent"]
