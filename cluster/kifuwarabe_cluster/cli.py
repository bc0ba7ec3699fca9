"""`kifuwarabe-cluster`: the command line."""

from __future__ import annotations

import argparse
import contextlib
import logging
import re
import secrets
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import ray

import kifuwarabe_cluster
from kifuwarabe_cluster import match, review, selfplay, tune
from kifuwarabe_cluster.engine import PROGRAM, EngineOptions, EngineUnavailable
from kifuwarabe_cluster.index import write_index
from kifuwarabe_cluster.pool import Pool, PoolError, PoolOptions
from kifuwarabe_cluster.progress import counted
from kifuwarabe_cluster.run import ATTEMPTS, BatchWorker, Summary, Work, actors, execute, numbered
from kifuwarabe_cluster.store import Store, UsageError
from kifuwarabe_cluster.tasks import MAX_SEED, Plan, Run

EXIT_TASKS_FAILED = 2
"""The exit code if something failed that the same command may do another time."""


def integer_in(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not re.fullmatch(r"[0-9]+", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"expected {low} to {high}, found {text!r}")
        return int(text)

    return number


def board(text: str) -> str:
    sides = text.split("x")
    if len(sides) > 2 or not all(re.fullmatch(r"[0-9]+", side) and 2 <= int(side) <= 25 for side in sides):
        raise argparse.ArgumentTypeError(f"expected 2 to 25, or width and height as in 9x13, found {text!r}")
    return text


KOMI_LIMIT = 1e6
"""The engine's."""


def komi(text: str) -> float:
    with contextlib.suppress(ValueError):
        # false for no number, which `float` reads
        if abs(number := float(text)) <= KOMI_LIMIT:
            return number
    raise argparse.ArgumentTypeError(f"expected {-KOMI_LIMIT:.0f} to {KOMI_LIMIT:.0f}, found {text!r}")


MAX_COUNT = 10**9


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(
        prog="kifuwarabe-cluster", description="Reviews, self-play, matches and tuning on many machines, with Ray."
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, summary: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=summary, description=summary)
        made.add_argument("--out", required=True, metavar="DIR", help="folder of the results, or an address of fsspec")
        group = made.add_argument_group("cluster")
        group.add_argument(
            "--address", help="join a running cluster: auto, or its address; default: Ray on this machine"
        )
        group.add_argument(
            "--no-dashboard", action="store_true", help="start Ray on this machine without its dashboard"
        )
        group.add_argument(
            "--workers", type=integer_in(1, 100_000), help="workers; default: as many as there are free CPUs for"
        )
        group.add_argument(
            "--threads",
            type=integer_in(1, 64),
            default=1,
            help="threads, and so CPUs, of an engine (of match and tune: of {engine}); default 1",
        )
        group.add_argument("--time-limit", type=integer_in(1, MAX_COUNT), default=600, metavar="SECONDS",
                           help="for one record, or one game; default 600")  # fmt: skip
        group.add_argument("--quiet", action="store_true", help="no progress")
        group = made.add_argument_group("engine")
        group.add_argument("--engine", metavar="FILE", help=f"the program on the nodes; default: {PROGRAM} on the PATH")
        group.add_argument("--ship-engine", metavar="FILE", help="a program of this machine, sent to the nodes")
        group.add_argument("--net", metavar="FILE", help="the net on the nodes")
        group.add_argument("--ship-net", metavar="FILE", help="a net of this machine, sent to the nodes")
        group.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings",
                           help="a key of the engine's configuration; may be repeated")  # fmt: skip
        group.add_argument(
            "--seed",
            type=integer_in(0, MAX_SEED),
            default=1,
            help="RNG seed of the run; 0 draws and prints one; default 1",
        )
        return made

    made = command("review", "Search every position of game records.")
    made.add_argument("folder", metavar="FOLDER", help="folder of records, or an address of fsspec")
    made.add_argument(
        "--visits",
        type=integer_in(1, MAX_COUNT),
        default=400,
        help="playouts or evaluations of a position; default 400",
    )
    made.add_argument("--batch", type=integer_in(1, 10_000), default=16, help="records in a file; default 16")
    made.set_defaults(run=run_review)

    made = command("selfplay", "Play games of the engine against itself.")
    made.add_argument(
        "--games", type=integer_in(1, MAX_COUNT), required=True, help="total games of the run, stored ones included"
    )
    made.add_argument(
        "--visits", type=integer_in(1, MAX_COUNT), default=400, help="playouts or evaluations of a move; default 400"
    )
    made.add_argument("--size", type=board, default="19", help="board size; default 19")
    made.add_argument("--komi", type=komi, help="komi; default: that of the configuration")
    made.add_argument("--batch", type=integer_in(1, 10_000), default=16, help="games in a file; default 16")
    made.set_defaults(run=run_selfplay)

    def add_match_options(made: argparse.ArgumentParser) -> None:
        made.add_argument("--size", type=board, default="9", help="board size; default 9")
        made.add_argument("--komi", type=komi, default=7.0, help="komi; default 7")
        made.add_argument("--rules", default="chinese", help="rules of the referee; default chinese")
        made.add_argument("--opening", type=integer_in(0, 100), default=4, metavar="N",
                          help="moves drawn at random before each pair of games; default 4")  # fmt: skip
        made.add_argument("--batch", type=integer_in(1, 10_000), default=4, help="pairs of games in a file; default 4")

    made = command("match", "Play two GTP engines against each other.")
    made.add_argument("--a", required=True, metavar="COMMAND", help="the first engine; {seed} becomes the game's seed")
    made.add_argument("--b", required=True, metavar="COMMAND", help="the second engine")
    made.add_argument("--games", type=integer_in(2, MAX_COUNT), required=True, help="games, an even number")
    add_match_options(made)
    made.set_defaults(run=run_match)

    made = command("tune", "Tune parameters of the search by matches (SPSA).")
    text = "a key of [Search], as CpuctExploration:0.2:3:1; may be repeated"
    made.add_argument(
        "--parameter",
        action="append",
        required=True,
        type=tune.parameter,
        metavar="NAME:LOW:HIGH:START",
        dest="parameters",
        help=text,
    )
    made.add_argument("--iterations", type=integer_in(1, MAX_COUNT), default=100, help="steps; default 100")
    made.add_argument(
        "--games", type=integer_in(2, MAX_COUNT), default=16, help="games of a step, an even number; default 16"
    )
    made.add_argument("--visits", type=integer_in(1, MAX_COUNT), default=100, help="visits of a move; default 100")
    made.add_argument("--final-games", type=integer_in(0, MAX_COUNT), default=100,
                      help="games of the result against the start, from other openings; default 100")  # fmt: skip
    add_match_options(made)
    made.set_defaults(run=run_tune)
    return root


def tell(line: str) -> None:
    print(line, flush=True)


@contextlib.contextmanager
def cluster(args: argparse.Namespace) -> Iterator[None]:
    """Joins or starts Ray, with what is sent to the nodes."""
    environment: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="kifuwarabe-") as folder:
        sent = [(args.ship_engine, PROGRAM), (args.ship_net, Path(args.ship_net).name if args.ship_net else "")]
        for file, name in sent:
            if file:
                if not Path(file).is_file():
                    raise UsageError(f"{file}: there is no such file")
                shutil.copy(file, Path(folder) / name)
                environment["working_dir"] = folder
        if args.address:
            # nodes need Ray, pyarrow, fsspec and tqdm; this package is sent to them
            environment["py_modules"] = [str(Path(kifuwarabe_cluster.__file__).parent)]
        is_ours = not ray.is_initialized()
        if is_ours:
            try:
                ray.init(
                    address=args.address or "local",
                    runtime_env=environment,
                    log_to_driver=False,
                    logging_level=logging.WARNING,
                    include_dashboard=None if args.address else not args.no_dashboard,
                )
            except Exception as error:  # Ray raises many kinds, some of them plain exceptions
                line = str(error).strip().split("\n")[0]
                raise UsageError(f"Ray at {args.address or 'this machine'} cannot be used: {line}") from error
        try:
            yield
        finally:
            if is_ours:
                ray.shutdown()


def engine_options(args: argparse.Namespace) -> EngineOptions:
    if args.engine and args.ship_engine:
        raise UsageError("--engine and --ship-engine: expected one of them")
    if args.net and args.ship_net:
        raise UsageError("--net and --ship-net: expected one of them")
    for setting in args.settings:
        if "=" not in setting:
            raise UsageError(f"--set {setting}: expected KEY=VALUE")
    # engines run in other folders
    engine = str(Path(args.engine).absolute()) if args.engine and "/" in args.engine else args.engine
    net = Path(args.ship_net).name if args.ship_net else str(Path(args.net).absolute()) if args.net else None
    return EngineOptions(engine, tuple(args.settings), net, args.threads, bool(args.ship_engine))


def match_engine_options(args: argparse.Namespace) -> EngineOptions:
    """The options of `{engine}`, which writes no logs and gets its threads by a setting. Those of `--set` come last and
    override both."""
    options = engine_options(args)
    settings = ("Paths.PlainTextLog=", "Paths.JsonLog=", f"Search.Threads={options.threads}", *options.settings)
    return replace(options, settings=settings)


def pool_of(
    worker: type[BatchWorker],
    options: EngineOptions,
    args: argparse.Namespace,
    *more: Any,
    limits_per_task: int = 1,
) -> Pool:
    """The workers of a run, with `more` arguments. A task may take `limits_per_task` times the time limit."""
    address = args.out if "://" in args.out else str(Path(args.out).absolute())
    arguments = [options, address, args.time_limit, *more]
    # every attempt of every task may take its whole time
    batch_seconds = 60.0 + float(ATTEMPTS * limits_per_task * args.batch * args.time_limit)
    return Pool(
        actors(worker, arguments, args.threads),
        PoolOptions(workers=args.workers, cpus=args.threads, batch_seconds=batch_seconds),
    )


def execute_plan(plan: Plan, pool: Pool, store: Store, work: Work, is_quiet: bool) -> tuple[Run, Summary]:
    """Executes a plan with the workers of a pool, which is closed at the end."""
    try:
        run = plan.run(pool.start())
        return run, execute(pool, run, store, work, is_quiet)
    finally:
        pool.close()


def tell_summary(summary: Summary, unit: str) -> int:
    """Prints what a run did; returns the exit code."""
    rate = summary.tasks / summary.seconds if summary.seconds > 0 else 0.0
    tell(
        f"{counted(summary.tasks, unit)} in {summary.seconds:.1f} s, {rate:.2f} a second, "
        f"{counted(summary.rows, 'rows')}; {summary.stored} stored before; "
        f"{counted(len(summary.problems), 'problems')}; {counted(summary.restarts, 'workers')} restarted"
    )
    for problem in summary.failed:
        tell(f"failed: {problem.source}: {problem.reason}; the same command tries it again")
    return EXIT_TASKS_FAILED if summary.failed else 0


def run_review(args: argparse.Namespace) -> int:
    try:
        records = review.Records(args.folder)
    except OSError as error:
        raise UsageError(str(error)) from error
    if not records.sources and not records.unreadable:
        raise UsageError(f"{args.folder}: expected records, files whose name ends in .sgf")
    store = Store(args.out)
    pool = pool_of(review.ReviewWorker, engine_options(args), args)
    plan = review.plan(args.visits, args.seed)
    run, summary = execute_plan(plan, pool, store, records.work(args.batch), args.quiet)
    summary.problems.extend(records.unreadable)
    code = tell_summary(summary, "records")
    if records.equal:
        tell(f"equal to another record: {counted(records.equal, 'records')}")
    if summary.repeated:
        tell(f"reviewed by two runs at a time, and kept once: {counted(summary.repeated, 'records')}")
    problems = [*summary.problems, *summary.failed]
    listed = f"{store.root}/review-{run.name}-problems.tsv"
    store.write(listed, "".join(f"{problem.source}\t{problem.reason}\n" for problem in problems).encode())
    if problems:
        tell(f"wrote {listed}")
    write_index(store, run, records.sources, problems, tell)
    tell(f"rows: {store.folder(run)}/*.parquet")
    return code


def run_selfplay(args: argparse.Namespace) -> int:
    store = Store(args.out)
    pool = pool_of(selfplay.SelfplayWorker, engine_options(args), args)
    plan = selfplay.plan(args.visits, args.size, args.komi, args.seed)
    run, summary = execute_plan(plan, pool, store, numbered(args.games, args.batch, "games", "game"), args.quiet)
    code = tell_summary(summary, "games")
    tell(f"rows: {store.folder(run)}/*.parquet")
    return code


def run_match(args: argparse.Namespace) -> int:
    if args.games % 2:
        raise UsageError(f"--games {args.games}: expected an even number")
    for option, text in (("--a", args.a), ("--b", args.b)):
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UsageError(f"{option} {text}: {error}") from error
        if not words:
            raise UsageError(f"{option}: expected a command")
    store = Store(args.out)
    options = match_engine_options(args)
    conditions = match.Conditions(args.size, args.komi, args.rules, args.opening)
    plan = match.plan(args.a, args.b, conditions, options.settings, args.seed)
    programs = {"a": args.a, "b": args.b}
    pool = pool_of(match.MatchWorker, options, args, programs, conditions, limits_per_task=2)
    pairs = args.games // 2
    run, summary = execute_plan(plan, pool, store, numbered(pairs, args.batch, "pairs", "pair"), args.quiet)
    code = tell_summary(summary, "pairs")
    tell(match.score(store, run, pairs).text())
    tell(f"rows: {store.folder(run)}/*.parquet")
    return code


def run_tune(args: argparse.Namespace) -> int:
    if args.games % 2 or args.final_games % 2:
        raise UsageError("--games and --final-games: expected even numbers")
    store = Store(args.out)
    options = match_engine_options(args)
    conditions = match.Conditions(args.size, args.komi, args.rules, args.opening)
    tuner = tune.Tuner(
        tuple(args.parameters), args.iterations, args.games // 2, args.visits, conditions, args.seed,
        args.final_games // 2, options.settings,
    )  # fmt: skip
    programs = {"a": tuner.command(tuner.start)}
    pool = pool_of(match.MatchWorker, options, args, programs, conditions, limits_per_task=2)
    try:
        result = tuner.run(pool, store, args.batch, tell, args.quiet)
    finally:
        pool.close()
    store.write(f"{store.root}/tune-{tuner.name(result.identity)}.json", result.json())
    tell(result.text())
    return 0


def main(words: Sequence[str] | None = None) -> int:
    args = parser().parse_args(words)
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    seed = ""
    if args.seed == 0:
        args.seed = secrets.randbelow(MAX_SEED) + 1
        seed = f" with --seed {args.seed}"
        tell(f"seed {args.seed}")
    try:
        engine_options(args)
        with cluster(args):
            code: int = args.run(args)
            return code
    except (UsageError, EngineUnavailable, PoolError, OSError) as error:
        print(f"kifuwarabe-cluster: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"kifuwarabe-cluster: interrupted; the same command{seed} goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
