"""The progress of a run on stderr: a bar at a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from tqdm import tqdm

LINE_SECONDS = 30.0


def counted(number: int, plural: str) -> str:
    """A number with its noun: 1 pair, 2 pairs."""
    return f"{number} {plural.removesuffix('s') if number == 1 else plural}"


class Progress:
    """Counts tasks and rows."""

    def __init__(self, total: int, done: int, unit: str, is_quiet: bool = False) -> None:
        self.total, self.done, self.unit = total, done, unit
        self.rows = self.problems = 0
        self.first = done
        self.start = self._told = time.monotonic()
        self.is_quiet = is_quiet
        is_bar = sys.stderr.isatty() and not is_quiet
        self._bar = tqdm(total=total, initial=done, unit=f" {unit}", smoothing=0.05) if is_bar else None

    def add(self, tasks: int, rows: int, problems: int, workers: int) -> None:
        self.done += tasks
        self.rows += rows
        self.problems += problems
        if self._bar is not None:
            self._bar.set_postfix_str(f"{self.rows} rows, {self.problems} problems, {workers} workers", refresh=False)
            self._bar.update(tasks)
        elif not self.is_quiet and time.monotonic() - self._told > LINE_SECONDS:
            self._told = time.monotonic()
            print(self.line(workers), file=sys.stderr, flush=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.start

    def line(self, workers: int) -> str:
        rate = (self.done - self.first) / max(self.seconds, 1e-9)
        left = f", {tqdm.format_interval((self.total - self.done) / rate)} left" if rate > 0 else ""
        return (
            f"{self.done} of {counted(self.total, self.unit)}, {rate:.2f} a second{left}; "
            f"{counted(self.rows, 'rows')}, {counted(self.problems, 'problems')}, {counted(workers, 'workers')}"
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
