"""Training data: games from tables of records and from self-play, and batches of their positions.

A table has one game a line, fields separated by tabs: id, size, komi, handicap, result, rules, date, Black's and
White's rank, plies, three numbers that are not read, setup, moves; it may be gzipped. A move is `Bpd`: a colour, the
column from the left and the row from the top in SGF's letters; `B..` is a pass. Self-play games come from the engine's `selfplay`, or
from the Parquet files of `kifuwarabe-cluster selfplay`, which have a row for each move; a folder of them can be given.
One game in ten, by a digest of the game, is held out of training; `evaluate.py` and the engine's `eval --records` use
the same held-out games.
"""
import ctypes
import functools
import glob
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch

from files import one_line_errors

PLANES, GLOBALS = 20, 2
ILLEGAL = 19  # the plane of the points where no move is possible
MAX_SIDE = 19  # largest board in positions.c
MIN_MOVES = 10  # shorter games are skipped
DEFAULT_KOMI, MAX_KOMI = 6.5, 15.0  # MAX_KOMI is also the unit of the komi input
UNKNOWN = 2  # in ownership, beside the values -1, 0 and 1


class Game(NamedTuple):
    size: int
    komi: float
    winner: int  # 1 Black, 2 White, 0 a draw, -1 unknown
    setup: str
    moves: str
    visits: list | None = None  # for each move, pairs of a point (or area for a pass) and its visits
    ownership: list | None = None  # of each point at the end: 1 Black, -1 White, 0 neutral

    def digest(self):
        return hashlib.md5(f"{self.size}{self.setup}{self.moves}".encode()).digest()


class Batch(NamedTuple):
    planes: torch.Tensor  # n, PLANES, side, side
    globals: torch.Tensor  # n, GLOBALS
    policy: torch.Tensor  # n, area + 1; the last is a pass; each row sums to 1
    win: torch.Tensor  # n; 1 if the side to move wins, 0 if it loses, 0.5 for a draw, -1 if unknown
    ownership: torch.Tensor  # n, area; 1 is the side to move

    def to(self, device):
        return Batch(*(tensor.to(device, non_blocking=True) for tensor in self))


# ---------------------------------------------------------------- files


def read_games(path):
    """The games of a file: self-play if its name contains .jsonl or ends in .parquet, otherwise a table. A folder has
    Parquet files."""
    name = os.path.basename(path)
    is_parquet = name.endswith(".parquet") or os.path.isdir(path)
    yield from filter(is_used, parquet_games(path) if is_parquet else line_games(path, name))


def is_used(game):
    return game is not None and game.size <= MAX_SIDE and len(game.moves) >= 3 * MIN_MOVES


def line_games(path, name):
    """The games of lines. Lines that cannot be read are skipped, with a warning that names the first one."""
    first, skipped = None, 0
    opened = gzip.open if name.endswith(".gz") else open
    with opened(path, "rt", encoding="utf8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            try:
                game = selfplay_game(line) if ".jsonl" in name else table_game(line, name)
                if is_used(game):
                    read_moves(game.moves, game.size)
                    read_setup(game.setup, game.size)
            except (ValueError, KeyError, TypeError) as error:
                first = first or f"line {number}: {type(error).__name__}: {error}"
                skipped += 1
                continue
            yield game
    if skipped:
        print(f"{path}: lines skipped: {skipped}; the first is {first}", file=sys.stderr)


def table_game(line, name):
    fields = line.rstrip("\n").split("\t")
    if len(fields) < 15 or not fields[1].isdigit():
        return None
    # from this collection, only games between dan players or professionals are used
    if name.startswith("ogs9") and not all("d" in rank or "p" in rank for rank in fields[7:9]):
        return None
    try:
        komi = float(fields[2])
    except ValueError:
        komi = DEFAULT_KOMI
    if not abs(komi) <= MAX_KOMI:
        komi = DEFAULT_KOMI
    winner, has_result, _ = fields[4].partition("+")
    winner = {"b": 1, "w": 2}.get(winner[:1].lower(), -1) if has_result else -1
    return Game(int(fields[1]), komi, winner, fields[13], fields[14])


def selfplay_game(line):
    game = json.loads(line)
    # a string is the size of a rectangular board, which is not used for training
    if not isinstance(game["size"], int):
        return None
    winner = {"B": 1, "W": 2, "0": 0}[game["winner"]]
    moves, visits, ownership = game["moves"], game["visits"], game["ownership"]
    if len(visits) != len(moves) or len(ownership) != game["size"] ** 2:
        raise ValueError("expected the visits of every move, and the owner of every point")
    return Game(game["size"], game["komi"], winner, "", "".join(moves), visits, ownership)


COLUMNS = ["game", "move_number", "width", "height", "komi", "played", "visits", "winner", "ownership"]


def parquet_games(path):
    """The games of Parquet files. Each file has all moves of its games."""
    import pyarrow.parquet as pq  # optional: only for Parquet files

    files = sorted(glob.glob(os.path.join(path, "**", "*.parquet"), recursive=True)) if os.path.isdir(path) else [path]
    for file in files:
        with open(file, "rb") as opened:  # given a path, pyarrow would add columns from folder names
            table = pq.read_table(opened, columns=COLUMNS).sort_by([("game", "ascending"), ("move_number", "ascending")])
        numbers = table["game"].to_numpy()
        starts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]])) if len(numbers) else []
        for start, end in zip(starts, [*starts[1:], len(numbers)]):
            yield parquet_game(table.slice(start, end - start))


def parquet_game(rows):
    column = lambda name: rows[name].to_pylist()
    width, height = column("width")[0], column("height")[0]
    if width != height:
        return None
    winner = {"B": 1, "W": 2, "0": 0}[column("winner")[0]]
    visits = [[(pair["place"], pair["visits"]) for pair in move] for move in column("visits")]
    ownership = rows["ownership"][0].as_py()
    return Game(width, column("komi")[0], winner, "", "".join(column("played")), visits, ownership)


def read_moves(text, size):
    """The points, numbered from the highest rank down, -1 for a pass; and the colours, 1 Black and 2 White."""
    if len(text) % 3 or not text.isascii():
        raise ValueError(f"expected moves of three letters: {text}")
    letters = np.frombuffer(text.encode(), np.uint8).reshape(-1, 3).astype(np.int16)
    color, x, y = letters[:, 0], letters[:, 1] - ord("a"), letters[:, 2] - ord("a")
    is_pass = letters[:, 1] == ord(".")
    is_point = (0 <= x) & (x < size) & (0 <= y) & (y < size)
    if not (is_pass | is_point).all():
        raise ValueError(f"a move off the board of size {size}: {text}")
    return np.where(is_pass, -1, y * size + x).astype(np.int16), np.where(color == ord("B"), 1, 2).astype(np.int8)


def read_setup(text, size):
    """The points and the colours of the stones before the first move."""
    points, colors = read_moves(text, size)
    if (points < 0).any():
        raise ValueError(f"a pass in the setup: {text}")
    return points, colors


# ---------------------------------------------------------------- positions


@functools.cache
def library():
    """The shared library built from positions.c for this processor."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "positions.c")
    with tempfile.TemporaryDirectory() as folder:
        built = os.path.join(folder, "positions.so")
        compiler = os.environ.get("CC", "cc")
        with one_line_errors(f"the C compiler {compiler}"):
            subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", source, "-o", built], check=True)
        return ctypes.CDLL(built)


def address(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def board_planes(size, stones, ko, recent, movers, komi):
    """Input planes and global inputs of given boards: stones (n, area) 0 empty, 1 black, 2 white; ko (n) the point banned by ko
    or -1; recent (n, 5) the points of the last moves, newest first, -1 for a pass or none; movers (n) the side to move,
    1 or 2; komi (n) for White."""
    n = len(stones)
    planes, globals = np.empty((n, PLANES, size * size), np.uint8), np.empty((n, GLOBALS), np.float32)
    kinds = np.int8, np.int16, np.int16, np.int8, np.float32
    given = [np.ascontiguousarray(array, kind) for array, kind in zip((stones, ko, recent, movers, komi), kinds)]
    library().boards(n, size, *map(address, given), address(planes), address(globals))
    return planes, globals


class Games:
    """Games on boards of one size, in flat arrays: the moves of game k are moves[move_at[k] : move_at[k] + plies[k]]."""

    def __init__(self, size, games):
        self.size, self.area = size, size * size
        read = [(read_moves(game.moves, size), read_setup(game.setup, size)) for game in games]
        flat = lambda arrays, kind: np.concatenate([np.zeros(0, kind), *arrays])
        starts = lambda lengths: np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(np.int64)
        self.moves = flat([points for (points, _), _ in read], np.int16)
        self.colors = flat([colors for (_, colors), _ in read], np.int8)
        self.setup = flat([points for _, (points, _) in read], np.int16)
        self.setup_colors = flat([colors for _, (_, colors) in read], np.int8)
        self.plies = np.array([len(moves[0]) for moves, _ in read], np.int32)
        self.setup_plies = np.array([len(setup[0]) for _, setup in read], np.int32)
        self.move_at, self.setup_at = starts(self.plies), starts(self.setup_plies)
        self.komi = np.array([game.komi for game in games], np.float32)
        self.winner = np.array([game.winner for game in games], np.int8)
        self.digests = np.frombuffer(b"".join(game.digest() for game in games), np.uint8).reshape(-1, 16)
        self.read_selfplay(games)

    def read_selfplay(self, games):
        """Reads visits and ownership. Without visits the policy target is the move played; without ownership it is unknown."""
        unknown = np.full(self.area, UNKNOWN, np.int8)
        self.ownership = np.array([unknown if game.ownership is None else game.ownership for game in games], np.int8)
        rows = [np.array(visits, np.int32).reshape(-1, 2) for game in games for visits in game.visits or []]
        if not rows:
            self.visits = None
        elif sum(len(game.visits or []) for game in games) != len(self.moves):
            raise ValueError("expected the visits of every move of every game")
        else:
            self.visits = np.concatenate(rows)
            self.visits_at = np.concatenate([[0], np.cumsum([len(row) for row in rows])])

    def __len__(self):
        return len(self.plies)

    def positions(self, games, plies):
        """Inputs and targets of positions, each given by a game number and a ply: planes, globals, policy, win, ownership."""
        n, area = len(games), self.area
        planes, globals = np.empty((n, PLANES, area), np.uint8), np.empty((n, GLOBALS), np.float32)
        played, mover = np.empty(n, np.int16), np.empty(n, np.int8)
        plies = plies.astype(np.int32)
        move_at, komi = self.move_at[games], self.komi[games]
        setup_at, setup_plies = self.setup_at[games], self.setup_plies[games]
        library().batch(
            n, self.size, address(setup_at), address(setup_plies), address(self.setup), address(self.setup_colors),
            address(move_at), address(self.moves), address(self.colors), address(plies), address(komi),
            address(planes), address(globals), address(played), address(mover),
        )  # fmt: skip
        policy = np.zeros((n, area + 1), np.float32)
        if self.visits is None:
            policy[np.arange(n), np.where(played < 0, area, played)] = 1
        else:
            for row, move in zip(policy, move_at + plies):
                places, counts = self.visits[self.visits_at[move] : self.visits_at[move + 1]].T
                row[places] = counts / counts.sum()
        winner = self.winner[games]
        win = np.select([winner < 0, winner == 0], [-1, 0.5], winner == mover).astype(np.float32)
        ownership = self.ownership[games]
        is_whites = (mover == 2)[:, None] & (ownership != UNKNOWN)
        return planes, globals, policy, win, np.where(is_whites, -ownership, ownership)


@functools.cache
def symmetries(size):
    """The eight symmetries of a board: for each point, the point that is mapped to it."""
    grid = np.arange(size * size).reshape(size, size)
    mirrored = [grid, grid[:, ::-1], grid[::-1], grid[::-1, ::-1]]
    return [points.reshape(-1) for points in mirrored + [points.T for points in mirrored]]


def apply_symmetries(planes, policy, ownership, size, chosen):
    """Applies to each position, in place, the symmetry chosen for it (0 to 7)."""
    area = size * size
    for number, source in enumerate(symmetries(size)):
        rows = np.flatnonzero(chosen == number)
        planes[rows] = planes[rows][:, :, source]
        policy[rows, :area] = policy[rows][:, source]
        ownership[rows] = ownership[rows][:, source]


def as_batch(planes, globals, policy, win, ownership, size):
    planes = torch.from_numpy(planes).view(-1, PLANES, size, size)
    return Batch(planes, *(torch.from_numpy(array) for array in (globals, policy, win, ownership)))


class Source:
    """Training positions of one board size: a share of them from self-play, the others from records."""

    def __init__(self, size, records, selfplay, share):
        self.size, self.records, self.selfplay = size, records, selfplay
        self.share = 0 if len(selfplay) == 0 else 1 if len(records) == 0 else share

    def batch(self, n, rng, rank=0, processes=1):
        """A batch of `n` random positions, or the part of it for the process `rank`."""
        # each position has its own draw, so every part of a batch has both kinds in their shares
        is_selfplay = rng.random(n) < self.share
        kinds = (self.selfplay, is_selfplay), (self.records, ~is_selfplay)
        chosen, plies = np.zeros(n, np.int64), np.zeros(n, np.int32)
        for games, rows in kinds:
            if rows.any():
                chosen[rows] = rng.integers(0, len(games), rows.sum())
                plies[rows] = rng.random(rows.sum()) * games.plies[chosen[rows]]
        chosen_symmetries = rng.integers(0, 8, n)
        # the same parts as torch.tensor_split: the first ones have one position more
        size, larger = divmod(n, processes)
        first = rank * size + min(rank, larger)
        own = slice(first, first + size + (rank < larger))
        chosen, plies = chosen[own], plies[own]
        parts, places = [], []
        for games, rows in kinds:
            if len(at := np.flatnonzero(rows[own])):
                parts.append(games.positions(chosen[at], plies[at]))
                places.append(at)
        order = np.argsort(np.concatenate(places))
        planes, globals, policy, win, ownership = (np.concatenate(part)[order] for part in zip(*parts))
        apply_symmetries(planes, policy, ownership, self.size, chosen_symmetries[own])
        return as_batch(planes, globals, policy, win, ownership, self.size)


def load(paths, sizes):
    """The training games and the held-out games of files, both by board size."""
    training, held = ({size: [] for size in sizes} for _ in range(2))
    for path in paths:
        with one_line_errors(path):
            for game in read_games(path):
                if game.size in training:
                    (held if game.digest()[0] % 10 == 0 else training)[game.size].append(game)
    return tuple({size: Games(size, games) for size, games in part.items()} for part in (training, held))


class Loader:
    """Prepares batches in threads ahead of their use. A batch depends only on its number, so a resumed run gets the same
    batches as an uninterrupted one."""

    def __init__(self, make, first, threads):
        self.make, self.next_number, self.threads = make, first, threads
        self.pool, self.ahead = ThreadPoolExecutor(threads), deque()

    def next(self):
        while len(self.ahead) <= 2 * self.threads:
            self.ahead.append(self.pool.submit(self.make, self.next_number))
            self.next_number += 1
        return self.ahead.popleft().result()

    def close(self):
        self.pool.shutdown(cancel_futures=True)
