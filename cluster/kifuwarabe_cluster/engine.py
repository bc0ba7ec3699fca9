"""Engine processes that answer a line with a line, restarted by their owner after they end.

A process is asked with a bound of time. If it ends, or is too late, it is killed and `EngineFailure` is raised with
what it last wrote to stderr; `ask` starts it again, `send` does not.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

PROGRAM = "kifuwarabe-uec14"
START_SECONDS = 120.0
STDERR_CHARACTERS = 300
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)  # loaded before a process forks


class EngineFailure(Exception):
    """An engine process ended or was too late."""


class EngineUnavailable(Exception):
    """A node has no engine, or one that cannot be used."""


@dataclass(frozen=True)
class EngineOptions:
    """How a node starts its engine."""

    engine: str | None = None
    """The program; otherwise the one on the PATH."""
    settings: tuple[str, ...] = ()
    """KEY=VALUE of the engine's configuration."""
    net: str | None = None
    """The file of the net; a relative path is a file of the working directory, which was shipped with the run."""
    threads: int = 1
    ships_engine: bool = False
    """Whether the program was shipped with the run; it is then a file of the working directory."""

    def command(self) -> list[str]:
        """The program with its settings, found on this node."""
        program = shipped_program() if self.ships_engine else self.engine or PROGRAM
        found = shutil.which(program)
        if found is None:
            raise EngineUnavailable(f"node {os.uname().nodename}: no program {program}")
        if self.net and not Path(self.net).is_file():
            raise EngineUnavailable(f"node {os.uname().nodename}: no net {self.net}")
        settings = [*self.settings, *([f"Net.File={Path(self.net).resolve()}"] if self.net else [])]
        return [str(Path(found).resolve()), *(word for setting in settings for word in ("--set", setting))]


def shipped_program() -> str:
    """The path of the program that Ray's runtime environment brought to the working directory of this node."""
    path = Path(PROGRAM).absolute()
    # zip archives of runtime environments do not keep the mode
    with contextlib.suppress(OSError):
        path.chmod(0o755)
    return str(path)


def die_with_parent() -> None:
    """Lets the kernel kill this process when its parent ends, so that a killed worker leaves no engine."""
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def one_line(stderr: bytes) -> str:
    """The stderr of a program, on one line; of a long text its begin and its end."""
    text = " / ".join(stderr.decode(errors="replace").split("\n")).strip(" /")
    half = STDERR_CHARACTERS // 2
    return text if len(text) <= STDERR_CHARACTERS else f"{text[:half]} ... {text[-half:]}"


class EngineProcess:
    """A process that answers a line with a line."""

    def __init__(self, command: Sequence[str], folder: Path | None = None) -> None:
        self.command = list(command)
        self.folder = folder
        self.starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (closed by close)
        self._buffer = b""

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts the process unless it runs."""
        if self.is_running:
            return
        self.kill()
        # the process shares the file's offset
        self._stderr.seek(0)
        self._stderr.truncate()
        try:
            self._process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                preexec_fn=die_with_parent,
            )
        except OSError as error:
            raise EngineUnavailable(f"node {os.uname().nodename}: {error}") from error
        self._buffer = b""
        self.starts += 1

    def send(self, line: str) -> None:
        """Writes a line to the process, which must run."""
        if not self.is_running:
            raise self.failed("the engine ended")
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self.failed(f"the engine ended: {error}") from error

    def receive(self, until: float) -> str:
        """The next line, without its end, until a time of `time.monotonic`."""
        assert self._process is not None and self._process.stdout is not None
        while b"\n" not in self._buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise self.failed("the engine did not answer in time")
            read = os.read(self._process.stdout.fileno(), 1 << 20)
            if not read:
                raise self.failed("the engine ended")
            self._buffer += read
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode(errors="replace").rstrip("\r")

    def ask(self, line: str, seconds: float) -> str:
        """The line that answers a line. The process is started if it does not run."""
        self.start()
        self.send(line)
        return self.receive(time.monotonic() + seconds)

    def failed(self, reason: str) -> EngineFailure:
        """Kills the process; returns the error with the end of what it wrote to stderr."""
        code = self.kill()
        self._stderr.seek(0)
        stderr = one_line(self._stderr.read())
        ended = "" if code is None else f" (exit code {code})"
        return EngineFailure(f"{reason}{ended}{': ' + stderr if stderr else ''}")

    def kill(self) -> int | None:
        """Ends the process; returns its exit code if it had ended before."""
        if self._process is None:
            return None
        process, self._process = self._process, None
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        # a process whose output has ended is about to end
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(0.2)
        process.kill()
        process.wait()
        return None

    def close(self) -> None:
        self.kill()
        self._stderr.close()


class ReviewEngine:
    """`report --serve`: reviews of records, with the engine's own numbers."""

    def __init__(self, options: EngineOptions) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kifuwarabe-")
        folder = Path(self._folder.name)
        self._record = folder / "record.sgf"
        command = [*options.command(), "report", "--serve", "--threads", str(options.threads)]
        self.process = EngineProcess(command, folder)
        self._asked = 0
        self.seconds = 0.0
        """Of waiting for answers."""

    def review(self, record: bytes, visits: int, seed: int, seconds: float) -> dict[str, Any]:
        """The answer of `report --serve`: numbers, or `error`."""
        self._record.write_bytes(record)
        self._asked += 1
        request = {"id": str(self._asked), "record": self._record.name, "visits": visits, "seed": seed}
        begin = time.monotonic()
        line = self.process.ask(json.dumps(request), seconds)
        self.seconds += time.monotonic() - begin
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") != request["id"]:
            raise self.process.failed(f"the engine answered {answer.get('id')} instead of {request['id']}")
        return answer

    def close(self) -> None:
        self.process.close()
        self._folder.cleanup()


def run_to_exit(command: Sequence[str], folder: Path, seconds: float) -> str:
    """The output of a program that ends by itself."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            preexec_fn=die_with_parent,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineFailure("the engine did not end in time") from error
    except OSError as error:
        raise EngineUnavailable(f"node {os.uname().nodename}: {error}") from error
    if done.returncode != 0:
        raise EngineFailure(f"the engine ended (exit code {done.returncode}): {one_line(done.stderr)}")
    return done.stdout.decode(errors="replace")


@dataclass(frozen=True)
class Identity:
    """The properties of an engine on which its results depend, beside its input."""

    program: str
    version: str
    net: str
    """MD5 digest of the net's file, or `none`."""
    configuration: str
    """Digest of the effective configuration of game, search and net."""


# of the configuration, what changes no result of a review or of self-play, or is part of a run's settings
WITHOUT_EFFECT = {"Search": ("Threads", "Seed", "Ponder", "LiveGraphics", "ReportWinrateAs"), "Net": ("File",)}


def identity(options: EngineOptions) -> Identity:
    """The identity of the engine of this node."""
    command = options.command()
    with tempfile.TemporaryDirectory(prefix="kifuwarabe-") as name:
        folder = Path(name)
        try:
            printed = tomllib.loads(run_to_exit([*command, "--print-config"], folder, START_SECONDS))
            process = EngineProcess([*command, "report", "--serve"], folder)
            try:
                answer = json.loads(process.ask('{"id": "v", "action": "query_version"}', START_SECONDS))
            finally:
                process.close()
            program, version, net = answer["program"], answer["version"], answer["net"] or "none"
        except (EngineFailure, ValueError, KeyError) as error:
            raise EngineUnavailable(f"node {os.uname().nodename}: {command[0]} cannot be used: {error}") from error
    effective = {
        section: {key: value for key, value in printed[section].items() if key not in WITHOUT_EFFECT.get(section, ())}
        for section in ("Game", "Search", "Net")
    }
    configuration = sha256(json.dumps(effective, sort_keys=True).encode()).hexdigest()[:16]
    return Identity(program, version, net, configuration)
