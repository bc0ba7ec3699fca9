"""Unit tests of the training scripts: python3 -m unittest discover train"""
import contextlib
import gzip
import importlib.util
import io
import json
import os
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from types import SimpleNamespace
from unittest import mock

import numpy as np
import torch
from safetensors.numpy import save as serialize

import average_weights
import checkpoint
import data
import distill
import ends
import evaluate
import katago
import net as nets
import online
import train
from optim import StackedMuon, muon_and_adamw, set_matrix_gradients

SETTINGS = {
    "channels": 8, "blocks": 2, "positions": 640, "plan": ["5:16", "7:16"], "rate": 3e-3, "selfplay_share": 0.5,
    "value_weight": 0.5, "ownership_weight": 0.25, "ema_decay": 0.999, "seed": 1,
}  # fmt: skip


def letters(color, place, size):
    return color + (".." if place < 0 else chr(97 + place % size) + chr(97 + place // size))


def random_moves(size, seed):
    """Moves to half of the points of a board, in random order."""
    places = random.Random(seed).sample(range(size * size), size * size // 2)
    return "".join(letters("BW"[i % 2], place, size) for i, place in enumerate(places))


def table(size, games, result="B+3.5"):
    return [f"{k}\t{size}\t7.5\t\t{result}\t\t\t\t\t0\t0\t0\t0\t\t{random_moves(size, k)}\n" for k in range(games)]


def selfplay_line(size, seed):
    moves = random_moves(size, seed)
    moves = [moves[i : i + 3] for i in range(0, len(moves), 3)]
    area = size * size
    visits = [[[k % area, 30], [area, 10]] for k in range(len(moves))]
    ownership = [1] * size + [0] * (area - 2 * size) + [-1] * size
    game = {"size": size, "komi": 0.5, "winner": "W", "moves": moves, "visits": visits, "ownership": ownership}
    return json.dumps(game) + "\n"


def write_parquet(path, lines):
    """Writes games as `kifuwarabe-cluster selfplay` does, but with the rows in reverse order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = []
    for number, game in enumerate(map(json.loads, lines)):
        width, _, height = str(game["size"]).partition("x")
        for move, (played, visits) in enumerate(zip(game["moves"], game["visits"])):
            rows.append({
                "game": number, "move_number": move, "width": int(width), "height": int(height or width), "komi": game["komi"],
                "played": played, "visits": [{"place": place, "visits": count} for place, count in visits],
                "winner": game["winner"], "ownership": game["ownership"],
            })  # fmt: skip
    os.makedirs(os.path.dirname(path), exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows[::-1]), path)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, lines):
        path = os.path.join(self.folder, name)
        with (gzip.open if name.endswith(".gz") else open)(path, "wt") as file:
            file.writelines(lines)
        return path


class Data(Files):
    def test_one_game_in_ten_is_held_out_and_none_is_in_both(self):
        path = self.write("a.tsv.gz", table(7, 500) + ["no game\n"])
        learned, held = data.load([path], [7])
        self.assertEqual(len(learned[7]) + len(held[7]), 500)
        self.assertTrue(30 <= len(held[7]) <= 70)
        self.assertTrue(all(digest[0] % 10 == 0 for digest in held[7].digests))
        self.assertFalse(any(digest[0] % 10 == 0 for digest in learned[7].digests))

    def test_fields_of_a_table(self):
        def read(**fields):
            row = ["x", "9", "7", "", "B+R", "", "", "3d", "2k", "", "", "", "", "Baa", "Bcc" * 12]
            for index, text in fields.items():
                row[int(index[1:])] = text
            return data.table_game("\t".join(row), "kgs6d.tsv.gz")

        self.assertEqual([read(f4=result).winner for result in ("B+R", "W+0.5", "?", "B")], [1, 2, -1, -1])
        self.assertEqual([read(f2=komi).komi for komi in ("7", "", "375", "nan")], [7, 6.5, 6.5, 6.5])
        self.assertIsNone(data.table_game("a\tb\n", "kgs6d.tsv.gz"))
        mixed = "\t".join(["x", "9", "7", "", "B+R", "", "", "3d", "2k", "", "", "", "", "", "Bcc" * 12])
        self.assertIsNone(data.table_game(mixed, "ogs9.tsv.gz"))
        self.assertIsNotNone(data.table_game(mixed.replace("2k", "1d"), "ogs9.tsv.gz"))

    def test_a_move_off_the_board_is_refused(self):
        self.assertEqual(data.read_moves("BaaW..Big", 9)[0].tolist(), [0, -1, 62])
        for text in ("Bja", "Baj", "BA.", "Bé", "Baaa"):
            with self.assertRaises(ValueError):
                data.read_moves(text, 9)

    def test_lines_that_cannot_be_read_are_skipped_with_a_warning(self):
        lines = table(7, 20)
        fields = lines[3].split("\t")
        off_board, passes = ["\t".join([*fields[:13], setup, fields[14]]) for setup in ("Bzz", "BaaW..")]
        games = [selfplay_line(7, seed) for seed in range(20)]
        short = json.dumps(json.loads(games[0]) | {"ownership": [1]}) + "\n"
        for name, lines, faults in (
            ("a.tsv.gz", lines, [off_board, passes, fields[0] + "\t" + "²\t" + "\t".join(fields[2:])]),
            ("a.jsonl", games, ["{}\n", "[1]\n", short, games[0][:100]]),
        ):
            path = self.write(name, [*lines[:5], *faults[:-1], *lines[5:], faults[-1]])
            with contextlib.redirect_stderr(io.StringIO()) as warnings:
                found = data.load([path], [7])
            self.assertEqual(sum(len(part[7]) for part in found), 20)
            self.assertRegex(warnings.getvalue(), rf"^{path}: lines skipped: {len(faults)}; the first is line 6: .*\n$")
        with self.assertRaisesRegex(ValueError, "a pass in the setup"):
            data.read_setup("BaaW..", 7)

    def test_planes_are_of_the_position_before_the_move(self):
        game = data.Game(9, 7.5, 2, "Bee", "WaaBbb" + random_moves(9, 1))
        games = data.Games(9, [game, game])
        planes, globals, policy, win, _ = games.positions(np.array([1, 0]), np.array([0, 1]))
        own, opponent = planes[:, 0], planes[:, 1]
        seen = [np.flatnonzero(row).tolist() for row in (opponent[0], own[1], opponent[1])]
        self.assertEqual(seen, [[40], [40], [0]])
        self.assertEqual([np.flatnonzero(row).tolist() for row in (policy[0], policy[1])], [[0], [10]])
        self.assertEqual(globals.tolist(), [[0.5, 1], [-0.5, 0]])
        self.assertEqual(win.tolist(), [1, 0])

    def test_selfplay_files_give_visits_and_ownership(self):
        path = self.write("games.jsonl", [selfplay_line(7, seed) for seed in range(40)])
        learned, held = data.load([path], [7])
        games = learned[7]
        self.assertGreater(len(held[7]), 0)
        _, _, policy, win, ownership = games.positions(np.array([3, 3]), np.array([4, 5]))
        self.assertEqual((policy[0, 4], policy[1, 5], policy[0, 49]), (0.75, 0.75, 0.25))
        self.assertTrue(np.allclose(policy.sum(1), 1))
        self.assertEqual(win.tolist(), [0, 1])
        self.assertEqual((ownership[0, 0], ownership[1, 0], ownership[1, 48]), (1, -1, 1))

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "SKIPPED: there is no pyarrow")
    def test_parquet_files_have_the_games_of_lines(self):
        lines = [selfplay_line(7, seed) for seed in range(40)]
        folder = os.path.join(self.folder, "run=0123")
        write_parquet(os.path.join(folder, "a.parquet"), lines[:25])
        write_parquet(os.path.join(folder, "b.parquet"), lines[25:] + [lines[0].replace('"size": 7', '"size": "7x9"')])
        expected = list(data.read_games(self.write("games.jsonl", lines)))
        as_lists = lambda games: [game._replace(visits=[[list(pair) for pair in move] for move in game.visits]) for game in games]
        self.assertEqual(as_lists(data.read_games(self.folder)), expected)
        self.assertEqual(as_lists(data.read_games(os.path.join(folder, "a.parquet"))), expected[:25])

    def test_processes_make_the_parts_of_a_batch(self):
        tables = data.load([self.write("a.tsv.gz", table(7, 60))], [7])[0][7]
        games = data.load([self.write("games.jsonl", [selfplay_line(7, seed) for seed in range(40)])], [7])[0][7]
        source = data.Source(7, tables, games, 0.4)
        whole = source.batch(21, np.random.default_rng(5))
        for processes in (2, 4, 12):
            parts = [source.batch(21, np.random.default_rng(5), rank, processes) for rank in range(processes)]
            for all_of_it, chunks in zip(whole, zip(*parts)):
                self.assertEqual([len(chunk) for chunk in chunks], [len(part) for part in all_of_it.tensor_split(processes)])
                torch.testing.assert_close(torch.cat(chunks), all_of_it)

    def test_boards_that_are_not_square_are_skipped(self):
        lines = [selfplay_line(7, seed) for seed in range(40)]
        rectangular = [line.replace('"size": 7', '"size": "7x9"') for line in lines]
        self.assertNotEqual(lines, rectangular)
        count = lambda name, lines: len(list(data.read_games(self.write(name, lines))))
        self.assertEqual((count("a.jsonl", lines), count("b.jsonl", rectangular)), (40, 0))

    def test_a_symmetry_is_applied_to_planes_policy_and_ownership_alike(self):
        n, size = 16, 5
        marks = np.random.default_rng(1).integers(0, 2, (n, size * size)).astype(np.uint8)
        planes = np.repeat(marks[:, None], data.PLANES, 1)
        policy = np.concatenate([marks, np.ones((n, 1))], 1).astype(np.float32)
        ownership = marks.astype(np.int8)
        data.apply_symmetries(planes, policy, ownership, size, np.arange(n) % 8)
        self.assertTrue((planes[:, 3] == ownership).all() and (policy[:, :-1] == ownership).all())
        self.assertTrue((policy[:, -1] == 1).all())
        self.assertTrue((ownership[0] == marks[0]).all() and (ownership[1] != marks[1]).any())
        self.assertEqual(len({tuple(points) for points in data.symmetries(size)}), 8)

    def test_sources_are_mixed_in_their_shares(self):
        learned, _ = data.load([self.write("a.tsv", table(7, 50))], [7])
        selfplay, _ = data.load([self.write("b.jsonl", [selfplay_line(7, seed) for seed in range(50)])], [7])
        batch = data.Source(7, learned[7], selfplay[7], 0.25).batch(800, np.random.default_rng(1))
        self.assertEqual(batch.planes.shape, (800, data.PLANES, 7, 7))
        # each thread and each process takes a slice
        for part in (batch.ownership[:, 0] != data.UNKNOWN).split(200):
            self.assertTrue(25 <= part.sum() <= 75, part.sum())

    def test_batches_come_in_the_order_of_their_numbers(self):
        loader = data.Loader(lambda number: number, 5, 3)
        self.assertEqual([loader.next() for _ in range(20)], list(range(5, 25)))
        loader.close()


class TheNet(Files):
    def trained(self):
        torch.manual_seed(3)
        net = nets.Net(8, 3)
        for _ in range(5):
            net(torch.randint(0, 2, (16, data.PLANES, 9, 9)).float(), torch.randn(16, 2))
        return net.eval()

    @torch.no_grad()
    def test_a_saved_net_has_the_same_outputs(self):
        net, path = self.trained(), os.path.join(self.folder, "net.safetensors")
        nets.save(net, path, {"steps": 5})
        planes, globals = torch.randint(0, 2, (4, data.PLANES, 7, 7)).float(), torch.randn(4, 2)
        for now, before in list(zip(nets.load(path)(planes, globals), net(planes, globals)))[:2]:
            self.assertLess((now - before).abs().max().item(), 5e-3)
            self.assertGreater(before.abs().max().item(), 1e-2)

    def test_ownership_is_not_in_the_file(self):
        names = self.trained().file_tensors().keys()
        self.assertIn("block1.mix.weight", names)
        self.assertNotIn("block0.mix.weight", names)
        self.assertFalse([name for name in names if "ownership" in name or "bn" in name])


class Training(Files):
    def source(self, size):
        learned, _ = data.load([self.write(f"{size}.tsv", table(size, 40))], [size])
        selfplay, _ = data.load([self.write(f"{size}.jsonl", [selfplay_line(size, k) for k in range(40)])], [size])
        return data.Source(size, learned[size], selfplay[size], 0.5)

    def run_steps(self, training, steps):
        source = self.source(7)
        for _ in range(steps):
            found = training.step(source.batch(32, np.random.default_rng(training.steps)))
        return found

    def test_the_loss_falls(self):
        training = train.Training(SETTINGS | {"positions": 1e9, "rate": 1e-2}, "cpu", 2)
        first = self.run_steps(training, 1)
        last = self.run_steps(training, 150)
        self.assertTrue(all(after < before for after, before in zip(last, first)), (first, last))

    def test_every_weight_is_updated_by_one_optimizer(self):
        training = train.Training(SETTINGS, "cpu")
        parameters = dict(training.net.named_parameters())
        groups = training.muon.param_groups + training.adam.param_groups
        places = sorted(p.data_ptr() for group in groups for p in group["params"])
        self.assertEqual(places, sorted(p.data_ptr() for p in parameters.values()))
        before = {name: p.detach().clone() for name, p in parameters.items()}
        self.run_steps(training, 1)
        self.assertEqual([name for name, p in parameters.items() if torch.equal(p, before[name])], [])

    def test_threads_share_the_weights_and_split_the_batch(self):
        batch = self.source(7).batch(32, np.random.default_rng(1))
        training = train.Training(SETTINGS, "cpu", 2)
        one, two = training.replicas
        self.assertTrue(all(p is q for p, q in zip(one.parameters(), two.parameters())))
        # the same as training on each half alone: batch normalisation uses the statistics of its half
        halves = [data.Batch(*(tensor[part] for tensor in batch)) for part in (slice(16), slice(16, 32))]
        alone = [train.Training(SETTINGS, "cpu") for _ in halves]
        expected = np.mean([training.step(half) for training, half in zip(alone, halves)], 0)
        self.assertTrue(np.allclose(training.step(batch), expected, atol=1e-6))
        self.assertEqual(training.positions, 32)

    def test_a_batch_smaller_than_the_threads_is_split_into_its_positions(self):
        training = train.Training(SETTINGS, "cpu", 4)
        self.assertTrue(np.isfinite(training.step(self.source(7).batch(3, np.random.default_rng(1)))).all())

    def test_a_resumed_run_equals_an_uninterrupted_run(self):
        for threads in (1, 2):
            whole = train.Training(SETTINGS, "cpu", threads)
            self.run_steps(whole, 12)
            part = train.Training(SETTINGS, "cpu", threads)
            self.run_steps(part, 7)
            part.save(self.folder, {})
            resumed = train.Training.resume(os.path.join(self.folder, "state.pt"), "cpu", threads)
            self.run_steps(resumed, 5)
            self.assertEqual((resumed.steps, resumed.positions), (12, 12 * 32))
            for state in ("net", "ema"):
                for name, tensor in getattr(whole, state).state_dict().items():
                    self.assertTrue(torch.equal(tensor, getattr(resumed, state).state_dict()[name]), name)

    def test_positions_without_a_target_add_no_loss(self):
        whole = self.source(7).batch(32, np.random.default_rng(1))
        training = train.Training(SETTINGS, "cpu")
        training.net.eval()
        unknown = whole._replace(win=whole.win.clone(), ownership=whole.ownership.clone())
        unknown.win[:16], unknown.ownership[:16] = -1, data.UNKNOWN
        half = data.Batch(*(tensor[16:] for tensor in whole))
        (found, _), (expected, _) = (training.losses_and_gradients(training.net, batch) for batch in (unknown, half))
        torch.testing.assert_close(found[1:], expected[1:], atol=1e-3, rtol=1e-3)
        self.assertGreater(expected[1:].min(), 0.1)
        unknown.win[:], unknown.ownership[:] = -1, data.UNKNOWN
        found, gradients = training.losses_and_gradients(training.net, unknown)
        self.assertEqual(found[1:].tolist(), [0, 0])
        names = [name for name, _ in training.net.named_parameters()]
        heads = [gradient for name, gradient in zip(names, gradients) if name.startswith(("value", "ownership"))]
        self.assertTrue(len(heads) == 6 and not any(gradient.any() for gradient in heads))

    def test_the_learning_rate_has_a_warmup_and_a_cosine_decay(self):
        rate = lambda step, positions: train.learning_rate(SETTINGS, step, positions)
        self.assertAlmostEqual(rate(0, 0), SETTINGS["rate"] / train.WARMUP_STEPS)
        self.assertAlmostEqual(rate(1000, 320), SETTINGS["rate"] / 2)
        self.assertAlmostEqual(rate(1000, 9999), SETTINGS["rate"] / 100)


class SeveralProcesses(Files):
    """torchrun with two processes on the CPU, which split every batch."""

    SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "train.py")
    OPTIONS = ["--channels", "8", "--blocks", "2", "--plan", "7:16", "7:10", "--positions"]

    def run_train(self, processes, work, *options):
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
        start = launcher if processes > 1 else []
        command = [sys.executable, *start, self.SCRIPT, os.path.join(self.folder, work), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("find_unused_parameters", done.stderr)
        return done.stdout

    def weights(self, work):
        return torch.load(os.path.join(self.folder, work, "state.pt"), map_location="cpu")

    def test_two_processes_get_the_gradients_of_two_threads(self):
        lines = [selfplay_line(7, seed) for seed in range(40)]
        games = self.write("games.jsonl", lines)
        tables = self.write("a.tsv.gz", table(7, 40))
        # one step: the moments of the optimizers are multiples of the gradient
        options = [*self.OPTIONS, "16", "--threads", "2", "--selfplay", games, "--records", tables]
        self.run_train(1, "threads", *options)
        output = self.run_train(2, "processes", *options)
        # one of them writes
        self.assertEqual((output.count("games of 7x7: "), output.count("loss: policy")), (1, 1), output)
        threads, processes = self.weights("threads"), self.weights("processes")
        for state in (threads, processes):
            self.assertEqual((state["steps"], state["positions"]), (1, 16))
        for optimizer, moment in (("adam", "exp_avg"), ("muon", "momentum_buffer")):
            ours, theirs = threads[optimizer]["state"], processes[optimizer]["state"]
            self.assertEqual(ours.keys(), theirs.keys())
            self.assertGreater(len(ours), 3)
            for number, state in ours.items():
                # sums in another order, rounded to 16 bits between layers
                differs = (state[moment] - theirs[number][moment]).norm().item()
                self.assertLess(differs, 0.03 * state[moment].norm().item() + 1e-7, f"{optimizer} {number}")

    def test_two_processes_resume_a_run(self):
        options = [*self.OPTIONS, "130", "--selfplay", self.write("games.jsonl", [selfplay_line(7, k) for k in range(40)])]
        self.run_train(2, "one", *options)
        half = [*options]
        half[half.index("--positions") + 1] = "60"
        self.run_train(2, "two", *half)
        state = self.weights("two")
        self.assertTrue(60 <= state["positions"] < 130)
        state["settings"]["positions"] = 130
        torch.save(state, os.path.join(self.folder, "two", "state.pt"))
        self.run_train(2, "two", "--resume", *options[-2:])
        self.assertEqual(self.weights("two")["positions"], self.weights("one")["positions"])

    def test_a_batch_smaller_than_the_processes_is_refused(self):
        games = self.write("games.jsonl", [selfplay_line(7, seed) for seed in range(40)])
        with self.assertRaisesRegex(AssertionError, "expected batches of at least 2 positions"):
            self.run_train(2, "work", "--plan", "7:1", "--selfplay", games)


class Evaluation(Files):
    def test_three_positions_of_each_game_by_its_digest(self):
        game = data.Game(7, 7.5, 1, "", random_moves(7, 2))
        games = data.Games(7, [game] * 3)
        chosen, plies = evaluate.sample_positions(games, 2)
        digest = game.digest()
        expected = [int.from_bytes(digest[k : k + 4], "little") % 24 for k in (1, 5, 9)]
        self.assertEqual((chosen.tolist(), plies.tolist()), ([0] * 3 + [1] * 3, expected * 2))

    def test_shares_are_counted(self):
        games = data.Games(7, [data.Game(7, 7.5, winner, "", random_moves(7, 2)) for winner in (1, 2, -1)])

        class Sure:
            """Prefers the centre point, and predicts a win of the side to move."""

            def __call__(self, planes, globals):
                policy = torch.zeros(len(planes), 50)
                policy[:, 24] = 1
                return policy, torch.ones(len(planes)), None

        found = evaluate.accuracy(Sure(), games)
        self.assertEqual((found["positions"], found["games"], found["top1"], found["winner"]), (9, 3, 0, 0.5))
        # all moves but one have the second-highest logit, so none of them is outside the top 5
        self.assertEqual(found["top5"], 1)

    def test_illegal_moves_are_left_out(self):
        games = data.Games(7, [data.Game(7, 7.5, 1, "", random_moves(7, seed)) for seed in range(9)])

        class Illegal:
            """Prefers the points of stones."""

            def __call__(self, planes, globals):
                stones = planes[:, :2].sum(1).flatten(1)
                return torch.cat([stones, torch.zeros(len(stones), 1)], 1), torch.ones(len(stones)), None

        self.assertEqual(evaluate.accuracy(Illegal(), games)["top1"], 1)


class Katago(Files):
    def test_a_file_read_back_gives_the_same_net(self):
        net = katago.Net(3, 16)
        with torch.no_grad():
            for weight in net.parameters():
                weight.add_(0.05 * torch.randn_like(weight))
        path = os.path.join(self.folder, "net.bin.gz")
        katago.write(net, path, "a-net")
        read, name = katago.read(path)
        self.assertEqual(name, "a-net")
        for side in (5, 9):
            given = torch.rand(2, katago.PLANES, side, side), torch.rand(2, katago.GLOBALS)
            for one, two in zip(net(*given), read(*given)):
                torch.testing.assert_close(one, two)

    def test_foreign_files_are_refused(self):
        for text, fault in (("a 15\n", "model version 15"), ("a 8 22 19 trunk 1 8 8 8 8 8\n", "expected @BIN@")):
            with self.assertRaisesRegex(ValueError, fault):
                katago.Reader(text.encode() + b"layer 1 1 1 1 1 1 x @BIN@" + bytes(4)).net()


def shard(rows, height, width, seed=1):
    """A shard with learnable labels: the best move is the point of the only stone, and its colour wins."""
    area, rng = height * width, np.random.default_rng(seed)
    at, wins = rng.integers(area, size=rows), rng.integers(2, size=rows)
    planes = np.zeros((rows, katago.PLANES, area), np.uint8)
    planes[:, 0] = 1
    planes[np.arange(rows), 1 + wins, at] = 1
    policy = np.zeros((rows, area + 1), np.uint16)
    policy[np.arange(rows), at] = 65535
    value = np.stack([wins, 1 - wins, 0 * wins], 1).astype(np.float32)
    lead = (20 * wins - 10).astype(np.float32)
    tensors = {
        "planes": np.packbits(planes.reshape(rows, -1), axis=1), "globals": np.zeros((rows, katago.GLOBALS), np.float32),
        "black": np.ones((rows, 1), np.uint8), "legal": np.packbits(np.ones((rows, area + 1), np.uint8), axis=1), "result": np.where(at % 2, -1, 1 - wins).astype(np.float32)[:, None],
        "policy": policy, "value": value, "score": np.stack([lead, 0 * lead + 5, lead], 1),
        "ownership": np.repeat((254 * wins - 127).astype(np.int8)[:, None], area, 1),
    }  # fmt: skip
    return (height, width), tensors


class Distillation(Files):
    def test_symmetries_apply_to_planes_policy_and_ownership_alike(self):
        for height, width in ((5, 5), (3, 4)):
            rows = distill.LabelledPositions([shard(20, height, width)], "katago")
            seen = set()
            for symmetry in range(8):
                planes, _, legal, policy, *_, ownership = rows.batch(np.arange(20), symmetry, "cpu")
                stones = (planes[:, 1] + planes[:, 2]).reshape(20, -1)
                torch.testing.assert_close(policy[:, :-1], stones)
                self.assertTrue(legal.all() and policy.shape == (20, height * width + 1) and ownership.abs().eq(1).all())
                seen.add(tuple(stones.argmax(1).tolist()))
            self.assertEqual(len(seen), 8 if height == width else 4)

    def test_results_have_their_weight_in_the_value_target(self):
        rows = distill.LabelledPositions([shard(20, 5, 5)], "katago")
        value = rows.batch(np.arange(20), 0, "cpu", result_weight=0.25)[4]
        taught, known = rows.value[:, 0], rows.result[:, 0] >= 0
        np.testing.assert_allclose(value[:, 0], np.where(known, 0.75 * taught + 0.25 * rows.result[:, 0], taught))
        self.assertTrue(known.any() and not known.all())

    def arguments(self, steps, layout):
        settings = ["--layout", layout, "--blocks", "2", "--channels", "16", "--batch", "800", "--warmup", "10", "--rate", "5e-3", "--decay", "1", "--ema-decay", "0.9"]
        return distill.parse_args([os.path.join(self.folder, "work"), "--labels", "unused", "--steps", str(steps), *settings])

    def test_the_size_of_a_net_in_katagos_layout_is_that_of_its_file(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit):
            distill.parse_args(["work", "--labels", "x", "--layout", "katago", "--start", "net.bin.gz", "--blocks", "20"])
        self.assertIn("the size of the net is that of the file", errors.getvalue())

    def test_inputs_are_converted_to_those_of_native_nets(self):
        board, tensors = shard(40, 5, 5)
        tensors["black"][::2] = 0
        tensors["globals"][:, 5] = 0.3
        tensors["globals"][:, 9] = np.arange(40) % 3 == 0
        rows = distill.LabelledPositions([(board, tensors)], "native")
        planes, globals, *_ = rows.batch(np.arange(40), 0, "cpu")
        theirs = np.unpackbits(tensors["planes"], axis=1)[:, : katago.PLANES * 25].reshape(40, katago.PLANES, 5, 5)
        np.testing.assert_array_equal(planes[:, :2], theirs[:, 1:3])
        np.testing.assert_array_equal(planes[:, 19], theirs[:, 1:3].sum(1))
        np.testing.assert_array_equal(planes[:, data.PLANES :], theirs[:, katago.LADDER_PLANES])
        np.testing.assert_allclose(globals, np.stack([np.full(40, 6 / 15), np.arange(40) % 2 == 0, np.arange(40) % 3 == 0], 1), rtol=1e-6)

    def test_a_net_learns_and_a_run_resumes(self):
        for layout in ("katago", "native"):
            with self.subTest(layout):
                self.check_learning(layout)

    def check_learning(self, layout):
        rows = distill.LabelledPositions([shard(500, 5, 5)], layout)
        rng = np.random.default_rng(1)
        run = distill.Run(self.arguments(120, layout), "cpu")
        for _ in range(60):
            run.train_step([rows.batch(rng.integers(500, size=32), 0, "cpu")])
        before = run.held_out_metrics(rows)
        run.save()
        run = distill.Run(self.arguments(120, layout), "cpu")
        self.assertEqual(run.step, 60)
        np.testing.assert_allclose(run.held_out_metrics(rows), before, atol=1e-5)
        for _ in range(60):
            run.train_step([rows.batch(rng.integers(500, size=32), 0, "cpu")])
        divergence, agreement, win_error, winner, lead_error, ownership = run.held_out_metrics(rows)
        self.assertLess(divergence, max(before[0], 0.01))
        self.assertTrue(agreement > 0.9 and winner > 0.95 and ownership > 0.95, (divergence, agreement, win_error, winner, lead_error, ownership))
        work = os.path.join(self.folder, "work")
        if layout == "katago":
            net, name = katago.read(os.path.join(work, "net.bin.gz"))
            self.assertEqual((name, net.stem.out_channels), ("kifuwarabe-b2c16-s60", 16))
        else:
            net = nets.load_score_net(os.path.join(work, "net.safetensors"))
            self.assertEqual((net.channels, len(net.blocks)), (16, 2))
        os.remove(os.path.join(work, "state.pt"))

    def test_ends_are_learned_and_other_outputs_kept(self):
        """The margins of positions with a ladder plane, and positions without one, whose outputs are kept."""
        board, tensors = shard(200, 5, 5)
        kept = ends.Kept([(board, tensors)], "native")
        planes = np.unpackbits(tensors["planes"], axis=1)[:, : katago.PLANES * 25].reshape(200, katago.PLANES, 25)
        planes[:, katago.LADDER_PLANES[0]] = 1
        margin = (3 * tensors["value"][:, :1] - 1).astype(np.float32)
        marked = {**tensors, "planes": np.packbits(planes.reshape(200, -1), axis=1), "margin": margin}
        finished = ends.Ends([(board, marked)], "native")
        start = os.path.join(self.folder, "start.safetensors")
        torch.manual_seed(1)
        nets.save(nets.ScoreNet(16, 2), start, {})
        work = os.path.join(self.folder, "ends")
        settings = [work, "--start", start, "--ends", "x", "--keep", "x", "--steps", "150", "--warmup", "10", "--rate", "5e-3", "--ema-decay", "0.9"]
        run = ends.Run(ends.parse_args(settings))
        sources = [(finished, 32), (kept, 32)]
        before = run.exact_share(finished)
        for _ in range(75):
            run.train_step(sources)
        run.save()
        run = ends.Run(ends.parse_args(settings))
        self.assertEqual(run.step, 75)
        while run.step < 150:
            run.train_step(sources)
        self.assertTrue(before < 0.6 and run.exact_share(finished) > 0.95, (before, run.exact_share(finished)))
        inputs = kept.inputs(np.arange(200), 0, "cpu")[:2]
        with torch.no_grad():
            one, two = run.start(*inputs), run.ema.module(*inputs)
        self.assertLess((one.lead - two.lead).abs().mean(), 0.3)

    def test_a_score_net_starts_from_a_net_of_the_first_format(self):
        path = os.path.join(self.folder, "first.safetensors")
        first = nets.Net(16, 2).eval()
        nets.save(first, path, {})
        first, second = nets.load(path), nets.load_score_net(path)
        planes, globals = torch.rand(2, nets.SCORE_PLANES, 5, 5), torch.rand(2, nets.SCORE_GLOBALS)
        # a kifuwarabe-net-1 has no inputs for ladders and the scoring
        with torch.no_grad():
            torch.testing.assert_close(first(planes[:, : data.PLANES], globals[:, :2])[0], second(planes, globals).policy)
        nets.save(second, path, {})
        with torch.no_grad():
            for one, two in zip(second(planes, globals), nets.load_score_net(path)(planes, globals)):
                torch.testing.assert_close(one, two, atol=5e-3, rtol=5e-3)

    def test_a_net_grows_and_has_the_same_outputs(self):
        net = nets.ScoreNet(8, 3)
        for weight in net.parameters():
            torch.nn.init.normal_(weight, std=0.2)
        planes, globals = torch.rand(4, nets.SCORE_PLANES, 7, 7), torch.rand(4, nets.SCORE_GLOBALS)
        for channels, blocks in ((8, 5), (12, 3), (20, 6)):
            grown = net.grown(channels, blocks)
            self.assertEqual((grown.channels, len(grown.blocks)), (channels, blocks))
            for one, two in zip(net(planes, globals), grown(planes, globals)):
                torch.testing.assert_close(one, two, atol=1e-3, rtol=1e-4)
            # each new weight can learn: its gradient, or that of the layer after it, is not zero
            sum(output.square().sum() for output in grown(planes, globals)).backward()
            self.assertTrue(all(block.conv2.weight.grad.any() for block in grown.blocks))
        for channels, blocks in ((7, 3), (8, 2)):
            with self.assertRaisesRegex(ValueError, f"{channels} channels and {blocks} blocks, expected at least 8 and 3"):
                net.grown(channels, blocks)

    def test_the_average_of_nets_has_their_mean_weights(self):
        loaded = [nets.ScoreNet(8, 2), nets.ScoreNet(8, 2)]
        for number, net in enumerate(loaded):
            for weight in net.parameters():
                torch.nn.init.normal_(weight, mean=float(number))
            nets.save(net, os.path.join(self.folder, f"{number}.safetensors"), {})
        paths = [os.path.join(self.folder, name) for name in ("average.safetensors", "0.safetensors", "1.safetensors")]
        average_weights.main(paths)
        for found, one, two in zip(nets.load_score_net(paths[0]).parameters(), *(net.parameters() for net in loaded)):
            torch.testing.assert_close(found, (one + two) / 2, atol=5e-3, rtol=5e-3)
        nets.save(nets.ScoreNet(8, 3), paths[1], {})
        with self.assertRaisesRegex(SystemExit, "0.safetensors .*1.safetensors: nets of different sizes"):
            average_weights.main(paths)
        nets.save(nets.Net(8, 2), paths[1], {})
        with self.assertRaisesRegex(SystemExit, "format kifuwarabe-net-1, expected kifuwarabe-net-2"):
            average_weights.main(paths)


class OnlineDistillation(Files):
    def label_buffer(self, rows=40, size=5):
        """A buffer with a teacher and a student of random weights."""
        teacher, student = katago.Net(2, 16).eval(), online.Student(8, 2)
        teacher.stem.weight.data = online.pad_inputs(teacher.stem.weight.data)
        return online.LabelBuffer(size, rows, 16, 3, 0.0, teacher, student)

    def inputs(self, rows, size=5):
        (_, tensors) = shard(rows, size, size)
        planes = np.zeros((rows, nets.SCORE_PLANES * size * size), np.uint8)
        planes[np.arange(rows), np.arange(rows) % size**2] = 1
        return {
            "planes": tensors["planes"], "globals": tensors["globals"], "legal": tensors["legal"], "native_planes": np.packbits(planes, axis=1),
            "native_globals": np.zeros((rows, 3), np.float32), "walked": np.zeros(rows, np.int32),
        }  # fmt: skip

    def test_muon_of_stacked_matrices_is_torchs(self):
        torch.manual_seed(1)
        shapes = [torch.randn(8, 8, 3, 3).contiguous(memory_format=torch.channels_last) for _ in range(3)]
        ours, theirs = ([torch.nn.Parameter(shape.clone()) for shape in shapes] for _ in range(2))
        muon, _ = muon_and_adamw(theirs, [torch.nn.Parameter(torch.zeros(1))], 0.1)
        muon.param_groups[0]["lr"] = 0.01
        stacked = StackedMuon(ours, torch.tensor(0.01), 0.1)
        for _ in range(3):
            for one, two in zip(ours, theirs):
                one.grad = torch.randn_like(one)
                two.grad = one.grad.clone()
            stacked.step()
            set_matrix_gradients(muon, theirs)
            muon.step()
        for shape, one, two in zip(shapes, ours, theirs):
            torch.testing.assert_close(one, two, atol=1e-3, rtol=0.02)
            self.assertGreater((one - shape).abs().mean(), 0.003)

    def test_a_student_with_padded_planes_has_the_outputs_of_the_net(self):
        torch.manual_seed(2)
        net, student = nets.ScoreNet(8, 2), online.Student(8, 2)
        student.load_state_dict(net.state_dict())
        planes, globals = torch.rand(3, nets.SCORE_PLANES, 5, 5), torch.rand(3, nets.SCORE_GLOBALS)
        for one, two in zip(net(planes, globals), student(online.pad_planes(planes, torch.float32), globals)):
            torch.testing.assert_close(one, two)

    def test_labels_are_the_teachers_outputs_in_a_random_symmetry(self):
        buffer = self.label_buffer()
        inputs = self.inputs(40)
        walks = Answers()
        buffer.take(walks, {name: torch.from_numpy(array) for name, array in inputs.items()})
        planes = torch.from_numpy(np.unpackbits(inputs["planes"], axis=1)[:, : katago.PLANES * 25].reshape(40, katago.PLANES, 5, 5))
        with torch.no_grad():
            out = buffer.teacher(online.pad_planes(planes, torch.float32), torch.from_numpy(inputs["globals"]))
        torch.testing.assert_close(buffer.tensors["policy"][:40].float(), out.policy.softmax(1), atol=1e-3, rtol=1e-2)
        torch.testing.assert_close(buffer.tensors["ownership"][:40].float(), out.ownership, atol=1e-3, rtol=1e-2)
        self.assertEqual(buffer.filled, 40)
        self.assertTrue(((0 <= walks.moves) & (walks.moves <= 25)).all())
        seen = set()
        for symmetry in buffer.symmetries:
            labels = {name: tensor[:40] for name, tensor in buffer.tensors.items()}
            planes, _, legal, policy, _, _, ownership = buffer.as_batch(labels, symmetry.expand(40, -1))
            stones = planes[:, 0].reshape(40, 25)
            places = stones.argmax(1)
            seen.add(tuple(places.tolist()))
            self.assertTrue(legal.all() and (stones.sum(1) == 1).all())
            for row, place in enumerate(places.tolist()):
                self.assertAlmostEqual(ownership[row, place].item(), out.ownership[row, row % 25].item(), delta=1e-3)
                self.assertAlmostEqual(policy[row, place].item(), out.policy.softmax(1)[row, row % 25].item(), delta=1e-3)
        self.assertEqual(len(seen), 8)

    def test_walks_end_when_they_are_left_or_long(self):
        buffer, walks, inputs = self.label_buffer(), Answers(), self.inputs(40)
        inputs["walked"][:10] = online.MAX_WALK
        buffer.take(walks, {name: torch.from_numpy(array) for name, array in inputs.items()})
        self.assertTrue((walks.moves[:10] == online.NEW_POSITION).all() and (walks.moves[10:] <= 25).all())
        buffer.leave = 1e6
        buffer.take(walks, {name: torch.from_numpy(array) for name, array in inputs.items()})
        self.assertTrue((walks.moves == online.NEW_POSITION).all())

    def test_the_error_counts_the_win_probability_and_the_lead(self):
        teacher, student = (SimpleNamespace(value=torch.tensor(value).log(), lead=torch.tensor(lead)) for value, lead in (
            ([[0.5, 0.5, 0.0], [0.2, 0.6, 0.2]], [4.0, -1.0]), ([[0.5, 0.5, 0.0], [0.4, 0.6, 0.0]], [4.0, -7.0])
        ))  # fmt: skip
        torch.testing.assert_close(online.error(student, teacher), torch.tensor([0.0, 0.1 / online.WIN_ERROR + 6.0 / online.LEAD_ERROR]))

    def test_shares_are_relative_to_their_mean(self):
        self.assertEqual(online.relative(None, 2), [1.0, 1.0])
        self.assertEqual(online.relative([6.0, 3.0, 3.0], 3), [1.5, 0.75, 0.75])
        for shares in ([1.0, 2.0], [1.0, 0.0, 1.0]):
            with self.assertRaisesRegex(SystemExit, "expected a positive number for each of --positions, 3"):
                online.relative(shares, 3)

    def test_moves_are_drawn_by_weight(self):
        torch.manual_seed(3)
        counts = torch.bincount(online.drawn(torch.tensor([[3.0, 0.0, 1.0]]).expand(4000, -1)), minlength=3)
        self.assertTrue(counts[1] == 0 and 2800 < counts[0] < 3200, counts)

    def test_the_rate_rises_stays_and_falls(self):
        args = online.parse_args(["work", "--teacher", "t", "--start", "s", "--positions", "x", "--seconds", "9", "--rate", "2", "--warmup", "4", "--flat", "0.5"])
        rates = [online.rate_at(share, steps, args) for share, steps in ((0, 0), (0, 3), (0.5, 9), (0.75, 9), (1, 9), (1.2, 9))]
        np.testing.assert_allclose(rates, [0.5, 2, 2, 1, 0, 0])

    def test_a_rate_without_a_definition_is_refused(self):
        for setting, expected in ((["--warmup", "0"], "at least 1, found 0"), (["--flat", "1"], "less than 1, found 1")):
            with self.subTest(setting), contextlib.redirect_stderr(io.StringIO()) as stderr, self.assertRaises(SystemExit):
                online.parse_args(["work", "--teacher", "t", "--start", "s", "--positions", "x", "--seconds", "9", *setting])
            self.assertIn(expected, stderr.getvalue())

    def test_shards_of_early_engines_have_other_names(self):
        (_, tensors), inputs = shard(4, 5, 5), self.inputs(4)
        early = {present: name for name, present in online.RENAMED.items()}
        self.assertEqual(sorted(early), ["native_globals", "native_planes"])
        present = {**tensors, **inputs, "game": np.zeros((4, 4), np.int32)}
        for names in ({}, early):
            with open(os.path.join(self.folder, "shard"), "wb") as file:
                file.write(serialize({names.get(name, name): np.ascontiguousarray(tensor) for name, tensor in present.items()}))
            copy = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read()); sys.stdout.flush(); sys.stdin.read()\n"
            engine, shards = self.write("engine.py", [copy]), queue.Queue()
            walks = online.Walks(f"{sys.executable} {engine} {os.path.join(self.folder, 'shard')}", [], 4, 1, shards)
            found = online.next_shard(shards)[1]
            walks.close()
            self.assertEqual(found.keys(), inputs.keys())
            for name in ("native_planes", "native_globals"):
                np.testing.assert_array_equal(found[name], inputs[name])

    def test_an_engine_that_fails_is_reported_with_its_last_line(self):
        script = self.write("engine.py", ["import sys\n", "sys.exit('first line\\nno such file: records')\n"])
        shards = queue.Queue()
        online.Walks(f"{sys.executable} {script}", ["--size", "9"], 4, 1, shards)
        with self.assertRaisesRegex(SystemExit, "--walks 4 --seed 1: no such file: records$"):
            online.next_shard(shards)
        for size in ([], ["--size", "0"], ["--size", "²"], ["--size", "20"]):
            with self.assertRaisesRegex(SystemExit, "--records x.*: expected --size with a number from 1 to 19"):
                online.board_size(["--records", "x", *size])

    def test_an_engine_that_ends_with_the_run_is_no_mistake(self):
        shards, stopped = queue.Queue(), threading.Event()
        for _ in range(2):
            shards.put(("engine: killed by a signal", None))
        # the signal may reach the engine before the training
        threading.Timer(0.1, stopped.set).start()
        self.assertIsNone(online.next_shard(shards, stopped))
        with self.assertRaisesRegex(SystemExit, "engine: killed by a signal$"):
            online.next_shard(shards, threading.Event())

    @unittest.skipIf(sys.platform == "win32", "SKIPPED: no groups of processes")
    def test_an_interrupted_run_writes_the_net(self):
        """A terminal sends Ctrl-C to all processes of its group: the training and, unless it is in another one, the engine."""
        _, tensors = shard(8, 5, 5)
        tensors = {**tensors, **self.inputs(8), "game": np.zeros((8, 4), np.int32)}
        with open(os.path.join(self.folder, "shard"), "wb") as file:
            file.write(serialize({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}))
        engine = self.write("engine.py", [
            "import sys, time\n",
            "shard, is_first = open(sys.argv[1], 'rb').read(), True\n",
            "while is_first or sys.stdin.buffer.read(16):\n",
            "    is_first or time.sleep(0.5)\n",
            "    is_first = False\n",
            "    sys.stdout.buffer.write(shard)\n",
            "    sys.stdout.flush()\n",
        ])  # fmt: skip
        work, teacher, net = (os.path.join(self.folder, name) for name in ("work", "teacher.bin.gz", "net.safetensors"))
        katago.write(katago.Net(1, 16), teacher, "teacher")
        nets.save(nets.ScoreNet(8, 2), net, {})
        command = [sys.executable, online.__file__, work, "--teacher", teacher, "--start", net, "--seconds", "1000"]
        command += ["--engine", f"{sys.executable} {engine} {os.path.join(self.folder, 'shard')}", "--processes", "1"]
        command += ["--positions", "--size 5", "--shard", "200", "--batch", "200", "--held-out", "8"]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(run.kill)
        for line in run.stdout:  # the line before the first step
            if "held out" in line:
                break
        time.sleep(1)
        os.killpg(run.pid, signal.SIGINT)
        output, errors = run.communicate(timeout=120)
        self.assertEqual((run.returncode, errors), (0, ""), output)
        self.assertRegex(output, r"step [0-9]+, end")
        self.assertTrue(os.path.exists(os.path.join(work, "net.safetensors")))


def early_names(state):
    """A checkpoint with the names that early versions wrote."""
    names = {present: early for early, present in checkpoint.RENAMED.items()}
    state = {"mean" if name == "ema" else name: part for name, part in state.items()}
    for part in ("net", "mean"):
        state[part] = {".".join(names.get(word, word) for word in name.split(".")): weight for name, weight in state[part].items()}
    if "settings" in state:
        state["settings"] = {"mean" if name == "ema_decay" else name: value for name, value in state["settings"].items()}
    return state


def say(main, *words):
    """The line with which a program ends."""
    with mock.patch("sys.argv", ["program.py", *words]), unittest.TestCase().assertRaises(SystemExit) as ended:
        main()
    return ended.exception.code


class Mistakes(Files):
    """Mistakes of the user end a program with one line that names them."""

    def path(self, name):
        return os.path.join(self.folder, name)

    def check(self, expected, main, *words):
        with contextlib.redirect_stdout(io.StringIO()):
            line = say(main, *words)
        self.assertRegex(line, f"^program.py: .*{expected}")
        self.assertNotIn("\n", line)

    def net(self, name, kind=nets.ScoreNet, channels=8):
        path = self.path(name)
        nets.save(kind(channels, 2), path, {})
        return path

    def labels(self, name, *without, **added):
        """A folder with a shard as `labels` writes it."""
        (height, width), tensors = shard(12, 5, 5)
        kept = {name: tensor for name, tensor in {**tensors, **added}.items() if name not in without}
        os.makedirs(self.path(name), exist_ok=True)
        with gzip.open(self.path(f"{name}/shard-00000.safetensors.gz"), "wb") as file:
            file.write(serialize(kept, {"about": json.dumps({"height": height, "width": width})}))
        return self.path(name)

    def test_files_of_nets(self):
        table_path = self.write("a.tsv", table(7, 5))
        first, second = self.net("1.safetensors", nets.Net), self.net("2.safetensors")
        options = ["--size", "7", "--records"]
        self.check("absent: No such file or directory", evaluate.main, "absent", *options, table_path)
        message = "2.safetensors: format kifuwarabe-net-2, expected kifuwarabe-net-1"
        self.check(message, evaluate.main, second, *options, table_path)
        self.check("absent.tsv: No such file or directory", evaluate.main, first, *options, "absent.tsv")
        self.check("a.tsv: no held-out games on 9x9", evaluate.main, first, "--size", "9", "--records", table_path)
        self.check("absent: No such file or directory", average_weights.main, self.path("out"), second, "absent")
        self.check("a.tsv: SafetensorError: ", average_weights.main, self.path("out"), table_path)
        self.assertFalse(os.path.exists(self.path("out")))
        self.check("absent/out: No such file or directory", average_weights.main, self.path("absent/out"), second)

    def test_a_missing_compiler(self):
        self.addCleanup(data.library.cache_clear)
        for compiler, message in (("absent", "No such file or directory"), ("false", "CalledProcessError: ")):
            data.library.cache_clear()
            with mock.patch.dict(os.environ, {"CC": compiler}):
                self.check(f"the C compiler {compiler}: {message}", data.library)

    def test_numbers_out_of_range(self):
        labels = ["work", "--labels", "x"]
        ends_options = ["work", "--start", "x", "--ends", "x", "--keep", "x"]
        online_options = ["work", "--teacher", "t", "--start", "s", "--positions", "x", "--seconds", "9"]
        records = ["net", "--size", "7", "--records", "x"]
        for parse, words, options in (
            (distill.parse_args, labels, ("--threads", "--every", "--batch", "--steps", "--channels", "--blocks")),
            (ends.parse_args, ends_options, ("--threads", "--every", "--batch", "--steps")),
            (online.parse_args, online_options, ("--processes", "--shard", "--batch", "--buffer-shards", "--held-out", "--channels")),
            (train.main, ["work"], ("--threads", "--feeders", "--channels", "--blocks")),
            (evaluate.main, records, ("--threads", "--games")),
        ):
            for option in options:
                for number in ("0", "-5"):
                    self.check_usage(f"argument {option}.*: expected a whole number of at least 1, found {number}", parse, *words, option, number)
        for parse, words, option in (
            (distill.parse_args, labels, "--result-weight"), (train.main, ["work"], "--selfplay-share"), (ends.parse_args, ends_options, "--ema-decay"),
            (online.parse_args, online_options, "--leave"),
        ):  # fmt: skip
            for number in ("7", "-0.5", "nan", "x"):
                self.check_usage(f"argument {option}.*: expected a number from 0 to 1, found {number}", parse, *words, option, number)
        self.check_usage("argument --seed: expected a whole number of at least 0, found -1", train.main, "work", "--seed", "-1")

    def check_usage(self, expected, parse, *words):
        """Checks the message about an option."""
        with contextlib.redirect_stderr(io.StringIO()) as stderr, mock.patch("sys.argv", ["program.py", *words]):
            with self.assertRaises(SystemExit):
                parse()
        self.assertRegex(stderr.getvalue(), f"program.py: error: {expected}")

    def test_an_output_folder_that_is_a_file(self):
        games = self.write("games.jsonl", [selfplay_line(7, seed) for seed in range(40)])
        labels, net = self.labels("labels", margin=np.ones((12, 1), np.float32)), self.net("2.safetensors")
        teacher, work = self.path("teacher.bin.gz"), self.write("work", [])
        katago.write(katago.Net(1, 16), teacher, "teacher")
        fail = mock.Mock(side_effect=AssertionError("a step was made"))
        with mock.patch.object(distill.Training, "update", fail), mock.patch.object(online, "Walks", fail):
            for main, words in (
                (train.main, ["--plan", "7:8", "--positions", "8", "--selfplay", games]),
                (distill.main, ["--labels", labels, "--channels", "8", "--blocks", "2", "--steps", "1", "--batch", "200"]),
                (ends.main, ["--start", net, "--ends", labels, "--keep", labels, "--steps", "1", "--batch", "200"]),
                (online.main, ["--teacher", teacher, "--start", net, "--positions", "--size 5", "--seconds", "9"]),
            ):
                self.check("/work: File exists", main, work, *words)

    def test_runs_of_train(self):
        games = self.write("games.jsonl", [selfplay_line(7, seed) for seed in range(40)])
        work, first = self.path("work"), self.net("1.safetensors", nets.Net)
        options = [work, "--plan", "7:8", "--positions", "8", "--selfplay", games]
        self.check("absent: No such file or directory", train.main, *options, "--records", "absent")
        self.check("absent: No such file or directory", train.main, *options, "--start", "absent")
        self.check("1.safetensors: expected a checkpoint", train.main, *options, "--start", first)
        for step in ("7", "7:", "7:8:9", "x:8", "7:0", "-7:8", "0:8", "25:8"):
            self.check(f"--plan {step}: expected SIZE:BATCH", train.main, work, f"--plan={step}", "--selfplay", games)
        self.check("state.pt: No such file or directory", train.main, *options, "--resume")
        self.assertFalse(os.path.exists(work))

    def test_labels_and_nets_of_distill(self):
        labels, inputs = self.labels("labels"), self.labels("inputs", "policy", "value", "score", "ownership")
        ends_folder = self.labels("ends", margin=np.ones((12, 1), np.float32))
        work, net = self.path("work"), self.net("2.safetensors")
        for option in ("--labels", "--held-out"):
            options = {"--labels": [labels], option: [labels, self.path("absent")]}
            words = [word for name, folders in options.items() for word in (name, *folders)]
            self.check("absent: no shards with positions", distill.main, work, *words)
        message = "inputs/shard-00000.safetensors.gz: no policy, value, score, ownership; expected .* `labels` with a net"
        self.check(message, distill.main, work, "--labels", inputs)
        message = "2.safetensors: 4 channels and 2 blocks, expected at least 8 and 2"
        self.check(message, distill.main, work, "--labels", labels, "--start", net, "--channels", "4")
        foreign = self.path("17.bin.gz")
        with gzip.open(foreign, "wb") as file:
            file.write(b"name 17 22 19 \n")
        options = [work, "--labels", labels, "--layout", "katago", "--start", foreign]
        self.check("17.bin.gz: model version 17, expected 8", distill.main, *options)
        options = [work, "--start", net, "--ends"]
        message = "labels/shard-00000.safetensors.gz: no margin; expected .* `labels --ends`"
        self.check(message, ends.main, *options, labels, "--keep", labels)
        options = [*options, ends_folder, "--keep", labels, self.path("absent")]
        self.check("absent: no shards with positions", ends.main, *options)
        self.assertFalse(os.path.exists(work))

    def test_programs_of_online(self):
        teacher = self.path("teacher.bin.gz")
        katago.write(katago.Net(1, 16), teacher, "teacher")
        work, net = self.path("work"), self.net("2.safetensors")
        for teacher_path, setting, message in (
            ("absent", [], "absent: No such file or directory"),
            (teacher, ["--engine", "absent"], "--engine absent: No such file or directory"),
            (teacher, ["--channels", "4"], "4 channels and 2 blocks, expected at least 8 and 2"),
        ):
            options = [work, "--start", net, "--seconds", "1", *setting, "--positions", "--size 5"]
            self.check(message, online.main, "--teacher", teacher_path, *options)

    def test_a_checkpoint_is_continued_by_its_program_with_its_size(self):
        games = self.write("games.jsonl", [selfplay_line(7, seed) for seed in range(40)])
        labels, keep = self.labels("labels", margin=np.ones((12, 1), np.float32)), self.net("2.safetensors")
        play = [self.path("train"), "--plan", "7:8", "--positions", "8", "--selfplay", games]
        short = ["--steps", "1", "--batch", "200"]
        teach = [self.path("distill"), "--labels", labels, *short, "--channels", "8", "--blocks"]
        count = [self.path("ends"), "--start", keep, "--ends", labels, "--keep", labels, *short]

        def run_all(*words):
            """Runs the three programs, train.py with these words; returns what they print."""
            with contextlib.redirect_stdout(io.StringIO()) as output, mock.patch("sys.argv", ["train.py", *play, *words]):
                train.main()
                distill.main([*teach, "2"])
                ends.main(count)
            return output.getvalue()

        self.assertNotIn("continues", run_all("--channels", "8", "--blocks", "3"))
        for (name, main, words), others in (
            (("train.py", train.main, [*play, "--resume"]), ("distill", "ends")),
            (("distill.py", distill.main, [*teach, "2"]), ("train", "ends")),
            (("ends.py", ends.main, count), ("train", "distill")),
        ):
            for other in others:
                message = f"{other}/state.pt: a checkpoint of {other}.py, expected one of {name}"
                self.check(message, main, self.path(other), *words[1:])
        message = "distill/state.pt: a net of 8 channels and 2 blocks in .*, expected one of 8 channels and 3 blocks"
        self.check(message, distill.main, *teach, "3")
        self.check("expected one of .* in KataGo's layout", distill.main, *teach, "2", "--layout", "katago")
        # the size of a new run is that of its start
        following = [self.path("next"), *play[1:], "--start", self.path("train/state.pt")]
        self.check("--blocks 2: the net of --start .*state.pt has 3", train.main, *following, "--blocks", "2")
        with contextlib.redirect_stdout(io.StringIO()), mock.patch("sys.argv", ["train.py", *following]):
            train.main()
        settings = torch.load(self.path("next/state.pt"))["settings"]
        self.assertEqual((settings["channels"], settings["blocks"]), (8, 3))
        # files of early versions name neither program nor size, and other things otherwise
        for name in ("train", "distill", "ends"):
            path = self.path(f"{name}/state.pt")
            state = torch.load(path, weights_only=True)
            torch.save({key: value for key, value in early_names(state).items() if key not in ("kind", "size")}, path)
        output = run_all("--resume")
        # a finished run has no losses
        self.assertTrue(output.splitlines()[1].startswith('{"positions": 8, "steps": 1'), output)
        self.assertIn("distill/state.pt from step 1\n", output)
        self.assertIn("ends/state.pt from step 1, without the weights of --start\n", output)
        self.check("distill/state.pt: expected a net of 8 channels and 3 blocks", distill.main, *teach, "3")
        message = "distill/state.pt: a checkpoint of distill.py or ends.py, expected one of train.py"
        self.check(message, train.main, self.path("distill"), *play[1:], "--resume")
        message = "train/state.pt: a checkpoint of train.py, expected one of ends.py"
        self.check(message, ends.main, self.path("train"), *count[1:])

    def test_the_rate_falls_over_all_steps_at_most(self):
        options = ["work", "--labels", "x", "--steps"]
        self.assertEqual([distill.parse_args([*options, steps]).decay for steps in ("500", "50000")], [500, 20_000])


class Answers:
    """Keeps the moves that a label buffer answers with."""

    def answer(self, moves):
        self.moves = moves.clone()


if __name__ == "__main__":
    unittest.main()
