"""Work on threads: the same results as on one, in order; a network's rows, forward and backward."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
import torch

import starboard
from starboard import threads
from starboard.agents.network import NETWORKS, Network
from starboard.agents.rows import alone, evaluate, parts
from starboard.batch import Batch
from starboard.foresight import Foresight
from starboard.threads import share_out


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with two."""
    monkeypatch.setattr(threads, "cores", lambda: 2)


@pytest.fixture
def one_of_torchs() -> Iterator[None]:
    """torch has one thread of its own, as in training."""
    kept = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(kept)


def middle(game: str, count: int) -> Batch:
    """Random games under way."""
    batch = Batch(starboard.load(game), count, seed=0)
    now = batch.look()
    for _ in range(16):
        now = batch.step(batch.sample(now.action_masks))
    return batch


def test_all_have_ended_before_an_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may write to the caller's arrays."""
    monkeypatch.setattr(threads, "cores", lambda: 4)
    monkeypatch.setattr(threads, "_pool", None)
    everyone = threading.Barrier(4)
    under_way = [0, 1, 2, 3]

    def work(piece: int) -> None:
        everyone.wait(timeout=60)
        if piece % 2:
            raise ValueError(piece)
        time.sleep(0.2)
        under_way.remove(piece)

    with pytest.raises(ValueError, match=r"^[13]$"):
        share_out(work, range(4), 4)
    assert under_way == [1, 3]


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_results_come_in_order(two_cores: None, count: int) -> None:
    assert share_out(lambda piece: -piece, range(count), 2) == [-piece for piece in range(count)]


def test_two_threads_work_at_the_same_time(two_cores: None) -> None:
    """Each waits until the other one has begun: a single thread would never get on."""
    meeting = threading.Barrier(2, timeout=60)
    assert len(set(share_out(lambda piece: (meeting.wait(), threading.get_ident())[1], range(2), 2))) == 2


def test_only_the_other_threads_do_something_before(two_cores: None) -> None:
    meeting, before = threading.Barrier(2, timeout=60), []
    share_out(lambda piece: meeting.wait(), range(2), 2, lambda: before.append(threading.get_ident()))
    assert len(before) == 1
    assert before != [threading.get_ident()]


def test_one_thread_is_the_callers(two_cores: None) -> None:
    assert set(share_out(lambda piece: threading.get_ident(), range(5), 1)) == {threading.get_ident()}


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_reaches_the_caller_once_all_threads_have_stopped(two_cores: None, failing: int) -> None:
    meeting, done = threading.Barrier(2, timeout=60), []

    def work(piece: int) -> None:
        meeting.wait()
        if piece == failing:
            raise ArithmeticError
        time.sleep(0.05)
        done.append(piece)

    with pytest.raises(ArithmeticError):
        share_out(work, range(2), 2)
    assert done == [1 - failing]


def test_parts_cover_all_rows_in_order() -> None:
    for count in (0, 1, 8, 9, 33, 256):
        for number in (1, 2, 3):
            rows = [row for part in parts(count, number) for row in range(count)[part]]
            assert rows == list(range(count))
            assert len(parts(count, number)) <= number


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_networks_rows_on_two_threads(two_cores: None, one_of_torchs: None, kind: str) -> None:
    """The same outputs and gradients as on one, but for the rounding of the sums; and the same each time."""
    batch = middle("asterion", 21)
    torch.manual_seed(0)
    network = Network(batch.spec, kind, 8)
    observations = torch.as_tensor(batch.look().observations)
    seen = torch.as_tensor(Foresight(batch.spec)(batch.records, np.arange(21)))

    def found(count: int) -> list[torch.Tensor]:
        network.zero_grad()
        logits, values = evaluate(network, observations, seen, count)
        ((logits**2).sum() + (values * torch.arange(21)).sum()).backward()
        return [logits.detach(), values.detach(), *(weights.grad.clone() for weights in network.parameters())]

    one, two, again = found(1), found(2), found(2)
    for a, b, c in zip(one, two, again, strict=True):
        torch.testing.assert_close(a, b)
        assert torch.equal(b, c)
    with torch.no_grad():
        logits, values = evaluate(network, observations, seen, 2)
    assert not logits.requires_grad
    torch.testing.assert_close((logits, values), (one[0], one[1]))


def test_a_new_thread_rounds_as_the_callers_does(one_of_torchs: None) -> None:
    """It does not where it begins with all of torch's threads, as one does that torch has not noticed yet."""
    torch.manual_seed(0)
    boards = torch.randn(16, 9, 5, 5).contiguous(memory_format=torch.channels_last)
    layer = torch.nn.Conv2d(9, 8, 3, padding=1).to(memory_format=torch.channels_last)

    def gradients(found: list[torch.Tensor]) -> None:
        found.extend(torch.autograd.grad((layer(boards) ** 2).sum(), list(layer.parameters())))

    own: list[torch.Tensor] = []
    others: list[torch.Tensor] = []
    gradients(own)
    thread = threading.Thread(target=lambda: (alone(), gradients(others)))
    thread.start()
    thread.join()
    assert all(torch.equal(a, b) for a, b in zip(own, others, strict=True))


@pytest.mark.parametrize("game", ["asterion", "asteria"])
def test_foresight_is_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    batch, found = middle(game, 20), []
    for count in (1, 3):
        monkeypatch.setattr(threads, "cores", lambda count=count: count)
        monkeypatch.setattr("starboard.foresight.cores", lambda count=count: count)
        found.append(Foresight(batch.spec)(batch.records, np.arange(20)))
    assert found[0].any()
    np.testing.assert_array_equal(*found)
