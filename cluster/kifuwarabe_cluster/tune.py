"""`tune`: parameters of the search by matches, with SPSA.

Simultaneous perturbation stochastic approximation (J. C. Spall, "An overview of the simultaneous perturbation method
for efficient optimization", 1998) moves all parameters at once: in step k every one is changed by +c or -c, drawn at
random, the engine with the changes plays the one with the opposite changes, and each parameter moves by a · result ·
sign, where the result is the share of games won less that of games lost. Parameters are scaled to 0 to 1 between their
bounds; a and c decrease with k by Spall's exponents.

The matches of a step are a run of `match`, named by its commands. So a tuning that was stopped is continued by the same
command: stored matches are not played again, and the steps follow from them.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from dataclasses import asdict, dataclass

from kifuwarabe_cluster.engine import Identity
from kifuwarabe_cluster.match import Conditions, Score, plan, score
from kifuwarabe_cluster.pool import Pool, PoolError
from kifuwarabe_cluster.progress import counted
from kifuwarabe_cluster.run import execute, numbered
from kifuwarabe_cluster.store import Store
from kifuwarabe_cluster.tasks import Run, digest

ALPHA, GAMMA = 0.602, 0.101
"""Spall's exponents of a and c."""
FIRST_CHANGE = 0.1
"""c of the first step, as a share of a parameter's range."""
FIRST_STEP = 0.1
"""How far the first step moves a parameter if one side wins all games, as a share of its range."""
STABILITY = 0.1
"""Spall's A as a share of the number of steps."""


@dataclass(frozen=True)
class Parameter:
    """A key of [Search] and its bounds."""

    name: str
    low: float
    high: float
    start: float

    def value(self, scaled: float) -> float:
        """The value at a place from 0 to 1, with six significant digits."""
        return float(f"{self.low + min(max(scaled, 0.0), 1.0) * (self.high - self.low):.6g}")

    @property
    def scaled_start(self) -> float:
        return (self.start - self.low) / (self.high - self.low)


def parameter(text: str) -> Parameter:
    """Reads NAME:LOW:HIGH:START."""
    words = text.split(":")
    try:
        name, (low, high, start) = words[0], map(float, words[1:])
    except ValueError:
        expected = "NAME:LOW:HIGH:START, as in CpuctExploration:0.2:3:1"
        raise argparse.ArgumentTypeError(f"expected {expected}, found {text!r}") from None
    if not (name and low < high and low <= start <= high):
        raise argparse.ArgumentTypeError(f"expected LOW less than HIGH and START between them, found {text!r}")
    return Parameter(name, low, high, start)


@dataclass(frozen=True)
class Result:
    """The result of a tuning."""

    values: dict[str, float]
    start: dict[str, float]
    steps: list[dict[str, float]]
    final: Score | None
    identity: Identity

    def json(self) -> bytes:
        return (json.dumps(asdict(self), indent=1) + "\n").encode()

    def text(self) -> str:
        settings = " ".join(f"--set Search.{name}={value:g}" for name, value in self.values.items())
        final = "" if self.final is None else f"\nagainst the start: {self.final.text()}"
        return f"after {counted(len(self.steps), 'steps')}: {settings}{final}"


@dataclass(frozen=True)
class Tuner:
    """A tuning."""

    parameters: tuple[Parameter, ...]
    iterations: int
    pairs: int
    """Pairs of games in a step."""
    visits: int
    conditions: Conditions
    seed: int
    final_pairs: int = 0
    """Pairs of games of the result against the start."""
    settings: tuple[str, ...] = ()
    """KEY=VALUE of `{engine}`."""

    def name(self, identity: Identity) -> str:
        return digest([asdict(self), asdict(identity)])[:16]

    def command(self, values: dict[str, float]) -> str:
        """The engine with these values."""
        settings = {"MaxVisits": self.visits, "Seed": "{seed}", **values}
        return "{engine} " + " ".join(f"--set Search.{name}={value}" for name, value in settings.items())

    @property
    def start(self) -> dict[str, float]:
        return {parameter.name: parameter.start for parameter in self.parameters}

    def values(self, place: list[float]) -> dict[str, float]:
        return {
            parameter.name: parameter.value(scaled) for parameter, scaled in zip(self.parameters, place, strict=True)
        }

    def change(self, step: int) -> float:
        """c of a step, from 1."""
        return FIRST_CHANGE / float(step**GAMMA)

    def rate(self, step: int) -> float:
        """How far a step, from 1, moves a parameter if one side wins all games."""
        stability = STABILITY * self.iterations
        return FIRST_STEP * float(((1 + stability) / (step + stability)) ** ALPHA)

    def signs(self, step: int) -> list[int]:
        rng = random.Random(f"{self.seed} {step}")
        return [rng.choice((-1, 1)) for _ in self.parameters]

    def sides(self, place: list[float], step: int) -> tuple[dict[str, float], dict[str, float]]:
        """The values of both sides of a step's match."""
        change = self.change(step)
        shifts = [change * sign for sign in self.signs(step)]
        plus = self.values([scaled + shift for scaled, shift in zip(place, shifts, strict=True)])
        minus = self.values([scaled - shift for scaled, shift in zip(place, shifts, strict=True)])
        return plus, minus

    def moved(self, place: list[float], step: int, found: Score) -> list[float]:
        """The place after a step whose first side had this score."""
        if found.games == 0:
            return place
        lead = (found.won - found.lost) / found.games
        rate = self.rate(step)
        signs = self.signs(step)
        return [min(max(scaled + rate * lead * sign, 0.0), 1.0) for scaled, sign in zip(place, signs, strict=True)]

    def run(self, pool: Pool, store: Store, batch: int, note: Callable[[str], None], is_quiet: bool) -> Result:
        """Plays the steps, then the result against the start from openings of its own."""
        identity = pool.start()
        place = [parameter.scaled_start for parameter in self.parameters]

        def matched(a: dict[str, float], b: dict[str, float], pairs: int, seed: int) -> Score:
            run: Run = plan(self.command(a), self.command(b), self.conditions, self.settings, seed).run(identity)
            played = execute(pool, run, store, numbered(pairs, batch, "pairs", "pair"), is_quiet)
            # a step without all of its games would lead elsewhere than the same step another time
            if played.failed:
                raise PoolError(f"a pair of games failed: {played.failed[0].reason}")
            return score(store, run, pairs)

        steps = []
        for step in range(1, self.iterations + 1):
            plus, minus = self.sides(place, step)
            found = matched(plus, minus, self.pairs, self.seed + step)
            place = self.moved(place, step, found)
            steps.append(
                {"step": step, "won": found.won, "lost": found.lost, "drawn": found.drawn, **self.values(place)}
            )
            shown = ", ".join(f"{name} {value:g}" for name, value in self.values(place).items())
            note(f"step {step} of {self.iterations}: {found.won}-{found.lost}-{found.drawn}; {shown}")
        values = self.values(place)
        final = None
        if self.final_pairs:
            final = matched(values, self.start, self.final_pairs, self.seed + self.iterations + 1)
        return Result(values, self.start, steps, final, identity)
