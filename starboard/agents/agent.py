"""Saved agents: a zip of JSON and weights. Loading one runs no code."""

from __future__ import annotations

import io
import json
import zipfile
from abc import abstractmethod
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from starboard import registry
from starboard.agents.categorical import log_probabilities
from starboard.agents.network import Network
from starboard.agents.rows import evaluate
from starboard.bots.record import RecordBot, decoded
from starboard.files import write_whole
from starboard.foresight import Foresight
from starboard.spec import GameSpec
from starboard.state import as_seed, view

FORMAT = 1
_LARGEST, _WIDEST = 1 << 28, 1024  # bytes of a file, width of a network: more was never trained here
_FACTS, _WEIGHTS = "agent.json", "weights.pt"
PACKAGES = ("starboard-envs", "torch", "stable-baselines3", "sb3-contrib", "gymnasium", "pettingzoo", "numpy", "numba")


class NetworkPlayer(RecordBot):
    """A network that plays, with a look ahead where ``spec.foresight`` says so."""

    threads = 1
    """For its inference, beside torch's own."""

    def __init__(self, spec: GameSpec, network: Network) -> None:
        super().__init__(spec)
        self.network = network.eval()
        self._foresight = Foresight(spec) if spec.foresight else None

    @abstractmethod
    def pick(self, log_probs: torch.Tensor, legal: torch.Tensor) -> np.ndarray:
        """int64 (N,): an action for each row of (N, num_actions) log probabilities and of what is legal."""

    def act(self, records: np.ndarray, games: np.ndarray) -> np.ndarray:
        """int64 (N,): an action for the seat to move in each of ``records[games]``, none of which is over."""
        return self.choose(records, games, *view(self.spec, records, games))

    def choose(
        self, records: np.ndarray, games: np.ndarray, observations: np.ndarray, action_masks: np.ndarray
    ) -> np.ndarray:
        """:meth:`act`, where the caller has what the seats see already."""
        foresight = None if self._foresight is None else self._foresight(records, games)
        return self.pick(*self._log_probabilities(observations, action_masks, foresight))

    def look_ahead(self, observations: np.ndarray) -> np.ndarray | None:
        """The second input of the network, where it has one, from observations alone."""
        return None if self._foresight is None else self._foresight(*decoded(self.spec, observations))

    @torch.inference_mode()
    def _log_probabilities(
        self, observations: np.ndarray, action_masks: np.ndarray, foresight: np.ndarray | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        device = next(self.network.parameters()).device
        seen = None if foresight is None else torch.as_tensor(foresight, device=device)
        logits, _ = evaluate(self.network, torch.as_tensor(observations, device=device), seen, self.threads)
        legal = torch.as_tensor(action_masks, device=device) != 0
        return log_probabilities(logits, legal), legal


class Agent(NetworkPlayer):
    """A trained network as a player: ``agent(observation, action_mask)``.

    Where ``spec.foresight`` says so, it also looks ahead, for which observations are read back into positions;
    from records, with :meth:`act`, it then decides faster.

    :param network: its weights are the agent's own.
    :param info: what is known about it: ``game``, ``version``, ``options``, ``seed``, ``timesteps``, ``packages``, ...
    :param seed: for its random choices; None draws one.
    :param temperature: 0 always plays the likeliest action; 1 plays with the network's own probabilities.
    """

    def __init__(
        self,
        network: Network,
        spec: GameSpec,
        info: dict[str, Any],
        seed: int | None = None,
        temperature: float = 0.5,
    ) -> None:
        super().__init__(spec, network)
        self.info = info
        self.temperature = temperature
        self._seed = int(as_seed(seed))
        self.calls = 0
        """How often it was asked: with the seed, all that its next random numbers depend on."""

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """float32 (N, num_actions): the network's own probabilities, 0 for illegal actions."""
        observations, action_masks = np.asarray(observations), np.asarray(action_masks)
        log_probs, legal = self._log_probabilities(observations, action_masks, self.look_ahead(observations))
        return (log_probs.exp() * legal).cpu().numpy()

    def pick(self, log_probs: torch.Tensor, legal: torch.Tensor) -> np.ndarray:
        """int64 (N,): by the tempered probabilities."""
        scores = log_probs.cpu().numpy()
        if self.temperature > 0:  # the Gumbel trick: the largest of these is a draw from the tempered distribution
            noise = np.random.default_rng([self._seed, self.calls]).gumbel(size=scores.shape)
            scores = scores / self.temperature + noise
        self.calls += 1
        actions: np.ndarray = scores.argmax(axis=1)
        return actions

    def __call__(self, observations: np.ndarray, action_masks: np.ndarray) -> Any:
        """An action for each row of a batch, int64 (N,); or an ``int`` for a single observation and mask.

        :param observations: int8 (N, \\*observation shape), or one of them without N.
        :param action_masks: int8 or bool (N, num_actions), nonzero where legal, likewise.
        :raises ValueError: for arrays of another game's shape, or a mask without a legal action.
        """
        observations, action_masks = np.asarray(observations), np.asarray(action_masks)
        shape = self.spec.observation_shape
        if observations.shape == shape:
            return int(self(observations[None], action_masks[None])[0])
        if observations.shape[1:] != shape or action_masks.shape != (len(observations), self.spec.num_actions):
            raise ValueError(
                f"observations, action_masks: have shapes {observations.shape} and {action_masks.shape}; "
                f"{self.spec!r} has (N, {', '.join(map(str, shape))}) and (N, {self.spec.num_actions})"
            )
        if not action_masks.any(axis=1).all():
            raise ValueError("action_masks: a row has no legal action; is that seat to move?")
        return self.pick(*self._log_probabilities(observations, action_masks, self.look_ahead(observations)))

    def save(self, path: str | Path) -> None:
        """Write the agent to ``path``, whole or not at all."""
        weights = io.BytesIO()
        torch.save({name: value.cpu() for name, value in self.network.state_dict().items()}, weights)
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as file:
            file.writestr(_FACTS, json.dumps(self.info, indent=1))
            file.writestr(_WEIGHTS, weights.getvalue())
        write_whole(path, data.getvalue())

    def __repr__(self) -> str:
        return f"<Agent for {self.spec!r}, {self.info.get('timesteps', 0)} timesteps>"


def describe(spec: GameSpec, network: str, width: int, **facts: Any) -> dict[str, Any]:
    """The ``info`` of an agent for ``spec``."""
    return {
        "format": FORMAT,
        "game": spec.name,
        "version": spec.version,
        "options": dict(spec.options),
        "network": network,
        "width": width,
        **facts,
        "packages": {package: version(package) for package in PACKAGES},
    }


def check_device(name: Any) -> str:
    """``name`` as a torch device that works here; ``"auto"`` is a GPU if there is one.

    :raises ValueError: if torch cannot use it.
    """
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name).cpu()
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        raise ValueError(f"device={name!r}: torch cannot use it here; 'auto' and 'cpu' always work") from error
    return str(name)


def load_agent(path: str | Path, spec: GameSpec | None = None, seed: int | None = None, device: str = "cpu") -> Agent:
    """The agent saved in ``path``. Weights are read as plain tensors: no code in the file is run.

    >>> agent = load_agent("runs/astralis/agent.zip")  # doctest: +SKIP
    >>> action = agent(observation, action_mask)  # doctest: +SKIP

    :param spec: the game that it is to play; None takes the one it was trained on.
    :param seed: for the agent's random choices; None draws one.
    :param device: torch device to run it on.
    :raises FileNotFoundError: if there is no such file.
    :raises ValueError: if the file is damaged or no agent, or the agent plays another game, version or options.
    """
    path = Path(path)
    device = check_device(device)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    try:
        with zipfile.ZipFile(path) as file:
            if sum(part.file_size for part in file.infolist()) > _LARGEST:
                raise ValueError("too large")
            info = json.loads(file.read(_FACTS))
            weights = torch.load(io.BytesIO(file.read(_WEIGHTS)), map_location="cpu", weights_only=True)
        found = info["format"], info["game"], info["version"], info["options"], info["network"], info["width"]
    except Exception as error:  # zipfile, json and torch raise many kinds for a damaged file
        raise ValueError(f"{path}: is damaged, or not an agent saved by this library") from error
    form, game, game_version, options, kind, width = found
    if form != FORMAT:
        raise ValueError(f"{path}: has format {form}; this release reads {FORMAT}")
    try:
        trained = registry.load(game, **options)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: plays a game that is not installed here: {error}") from error
    if trained.version != game_version:
        raise ValueError(f"{path}: was trained on {game}_v{game_version}; installed is {trained.id}")
    if spec is not None and spec is not trained:
        raise ValueError(f"{path}: plays {trained!r}, not {spec!r}")
    try:
        if not isinstance(width, int) or not 1 <= width <= _WIDEST:
            raise ValueError(f"width={width!r}")
        network = Network(trained, kind, width)
        network.load_state_dict(weights)
        if not all(value.isfinite().all() for value in weights.values()):
            raise ValueError("weights that are not finite")
    except (RuntimeError, TypeError, AttributeError, KeyError, ValueError) as error:
        raise ValueError(f"{path}: is damaged, or from another release: its weights fit no network here") from error
    return Agent(network.to(device), trained, info, seed)
