"""Distillation: a net learns the outputs of another one, the teacher.

From labels, which `kifuwarabe-uec14 labels` writes, a net of this project's second format, here from the trunk of another one:

    python distill.py WORK --labels labels19 labels9 --held-out held19 held9 --start net.safetensors

or with `--layout katago` one in KataGo's layout:

    python distill.py WORK --labels labels19 labels9 --held-out held19 held9 --layout katago --blocks 6 --channels 64

Or with a GPU, without storing labels: the engine makes the positions, the teacher evaluates them here.

    python distill.py WORK --teacher b15.bin.gz --engine kifuwarabe-uec14 --positions '--size 19 --records ...' '--size 9 --records ...'

The run writes WORK/net.safetensors, in KataGo's layout WORK/net.bin.gz, the mean of the weights of the last steps, and WORK/state.pt, from which the same command goes on. Ctrl-C
and SIGTERM end it after the step. Each step takes a batch of every board size and turns each batch in one of the eight symmetries.
"""
import argparse
import collections
import glob
import gzip
import json
import os
import shlex
import signal
import struct
import subprocess
import threading
import time

import numpy as np
import torch
from safetensors.numpy import load
from torch.nn import functional as F

import data
import katago
import net as nets

HELD_BATCH = 64
# Of the parts of the loss: about equal gradients at the trunk. A lead is a sum over the board, so its gradient is as many times larger as there are
# points: with a weight of 0.05 its noise was six times the policy's on 19x19, and little else was learned.
WEIGHTS = {"policy": 1.0, "value": 1.0, "lead": 0.003, "score": 0.0005, "spread": 0.001, "ownership": 10.0}
FIGURES = ("divergence", "agreement", "win error", "winner", "lead error", "ownership")


# ---------------------------------------------------------------- labels


class Rows:
    """Positions of one board size, with the teacher's outputs; bits stay packed."""

    NAMES = ("planes", "globals", "legal", "black", "result", "policy", "value", "score", "ownership")

    def __init__(self, shards, layout):
        self.height, self.width = shards[0][0]
        self.area = self.height * self.width
        for name in self.NAMES:
            setattr(self, name, np.concatenate([tensors[name] for _, tensors in shards]))
        self.depth = katago.PLANES
        if layout == "small":
            self.to_small()

    def to_small(self, part=4096):
        """Replaces KataGo's inputs by those of this project's nets."""
        if self.height != self.width or self.width > data.LARGEST:
            raise SystemExit(f"labels of {self.width}x{self.height}, expected square boards up to {data.LARGEST}x{data.LARGEST}")
        packed, numbers = [], []
        for first in range(0, len(self.planes), part):
            rows = slice(first, first + part)
            movers = np.where(self.black[rows].reshape(-1) != 0, 1, 2).astype(np.int8)
            planes = np.unpackbits(self.planes[rows], axis=1)[:, : katago.PLANES * self.area].reshape(-1, katago.PLANES, self.area)
            place = lambda plane: np.where(plane.any(-1), plane.argmax(-1), -1)
            own, opponent = planes[:, 1], planes[:, 2]
            stones = own * movers[:, None] + opponent * (3 - movers[:, None])
            komi = self.globals[rows][:, katago.OWN_KOMI] * katago.SCORE_UNIT * np.where(movers == 2, 1, -1)
            made, scalars = data.board_planes(self.width, stones, place(planes[:, 6]), place(planes[:, 9:14]), movers, komi)
            packed.append(np.packbits(made.reshape(len(made), -1), axis=1))
            is_territory = self.globals[rows][:, katago.IS_TERRITORY]
            numbers.append(np.column_stack([scalars, is_territory]))
        self.planes, self.globals, self.depth = np.concatenate(packed), np.concatenate(numbers), data.PLANES

    def __len__(self):
        return len(self.planes)

    def batch(self, at, way, device, results=0.0):
        """Rows turned in one way (0 to 7): planes, numbers, legal moves, policy, value, score, ownership. `results` is the share of
        the game's result in the value, where it is known."""
        n, area, height, width = len(at), self.area, self.height, self.width
        bits = lambda packed, count: torch.from_numpy(np.unpackbits(packed[at], axis=1)[:, :count]).to(device)
        number = lambda array: torch.from_numpy(array[at].astype(np.float32)).to(device)

        def turned(x):
            x = x.reshape(n, -1, height, width)
            x = x.flip(2) if way & 1 else x
            x = x.flip(3) if way & 2 else x
            return x.transpose(2, 3) if way & 4 and height == width else x

        moves = lambda x: torch.cat([turned(x[:, :area]).reshape(n, area), x[:, area:]], 1)
        policy, value, result = number(self.policy), number(self.value), number(self.result)
        outcome = torch.cat([result, 1 - result, torch.zeros_like(result)], 1)
        value = torch.where(result >= 0, torch.lerp(value, outcome, results), value)
        return (
            turned(bits(self.planes, self.depth * area)).float().contiguous(memory_format=torch.channels_last),
            number(self.globals), moves(bits(self.legal, area + 1)).bool(), moves(policy / policy.sum(1, keepdim=True)), value,
            number(self.score), turned(number(self.ownership) / 127).reshape(n, area),
        )  # fmt: skip


def shape(tensors_bytes):
    """The board's height and width, from the header of a shard."""
    (length,) = struct.unpack("<Q", tensors_bytes[:8])
    about = json.loads(json.loads(tensors_bytes[8 : 8 + length])["__metadata__"]["about"])
    return about["height"], about["width"]


def read_shard(path):
    with gzip.open(path, "rb") as opened:
        data = opened.read()
    return shape(data), load(data)


def read_folders(folders, layout):
    """The rows of folders, by board."""
    shards = collections.defaultdict(list)
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "shard-*.safetensors.gz"))):
            shard = read_shard(path)
            shards[shard[0]].append(shard)
    return {board: Rows(found, layout) for board, found in shards.items()}


class Stream:
    """Positions that the engine makes while the net learns, evaluated by the teacher on the device. The last shards are kept, and
    batches are drawn from them."""

    def __init__(self, engine, arguments, teacher, device, kept, layout):
        self.command = [*shlex.split(engine), "--set", "Net.Use=false", "labels", "--out", "-", *shlex.split(arguments)]
        self.teacher, self.device, self.layout = teacher, device, layout
        self.shards, self.changed = collections.deque(maxlen=kept), threading.Condition()
        self.error, self.process, self.is_closed = None, None, False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            seed = int(time.time())
            while not self.is_closed:
                self.process = subprocess.Popen([*self.command, "--seed", str(seed)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                count = 0
                while not self.is_closed and (shard := self.next_shard(self.process.stdout)) is not None:
                    count += 1
                    with self.changed:
                        self.shards.append(Rows([shard], self.layout))
                        self.changed.notify_all()
                if self.is_closed:
                    self.process.kill()
                if (self.process.wait() or not count) and not self.is_closed:
                    raise RuntimeError(f"{shlex.join(self.command)}: exit status {self.process.returncode}, {count} shards")
                seed += 1
        except Exception as error:  # raised in the thread that learns
            with self.changed:
                self.error = error
                self.changed.notify_all()

    def next_shard(self, stream):
        head = stream.read(8)
        if len(head) < 8:
            return None
        header = stream.read(struct.unpack("<Q", head)[0])
        parts = [part["data_offsets"][1] for name, part in json.loads(header).items() if name != "__metadata__"]
        data = head + header + stream.read(max(parts))
        tensors = load(data)
        tensors.update(self.evaluated(shape(data), tensors))
        return shape(data), tensors

    @torch.inference_mode()
    def evaluated(self, board, tensors, batch=256):
        height, width = board
        area, found = height * width, []
        for first in range(0, len(tensors["planes"]), batch):
            bits = lambda name, count: torch.from_numpy(np.unpackbits(tensors[name][first : first + batch], axis=1)[:, :count]).to(self.device)
            planes = bits("planes", katago.PLANES * area).reshape(-1, katago.PLANES, height, width)
            numbers = torch.from_numpy(tensors["globals"][first : first + batch]).to(self.device)
            with torch.autocast(self.device, torch.float16, enabled=self.device == "cuda"):
                out = self.teacher(planes.float().contiguous(memory_format=torch.channels_last), numbers)
            policy = out.policy.masked_fill(~bits("legal", area + 1).bool(), -torch.inf).softmax(1)
            score = torch.stack([out.score, out.spread, out.lead], 1)
            found.append([x.cpu().numpy() for x in ((policy * 65535).round().int(), out.value.softmax(1), score, (out.ownership * 127).round())])
        policy, value, score, ownership = (np.concatenate(part) for part in zip(*found))
        return {"policy": policy.astype(np.uint16), "value": value, "score": score, "ownership": ownership.astype(np.int8)}

    def close(self):
        self.is_closed = True
        self.process.kill()
        self.thread.join()

    def rows(self):
        """One of the last shards."""
        with self.changed:
            self.changed.wait_for(lambda: self.shards or self.error)
            if self.error:
                raise self.error
            return self.shards[np.random.randint(len(self.shards))]


# ---------------------------------------------------------------- learning


def judged(net, batch, bfloat16=False):
    """The loss of a batch, and its figures. `bfloat16` computes the net's layers in 16 bits; weights and loss keep 32."""
    planes, numbers, legal, policy, value, score, ownership = batch
    with torch.autocast(planes.device.type, torch.bfloat16, enabled=bfloat16):
        out = net(planes, numbers)
    log = out.policy.masked_fill(~legal, -1e9).log_softmax(1)
    parts = {
        "policy": -(policy * log).sum(1).mean(),
        "value": -(value * out.value.log_softmax(1)).sum(1).mean(),
        "lead": F.huber_loss(out.lead, score[:, 2], delta=8.0),
        "score": F.huber_loss(out.score, score[:, 0], delta=8.0),
        "spread": F.huber_loss(out.spread, score[:, 1], delta=8.0),
        "ownership": F.mse_loss(out.ownership, ownership),
    }
    total = sum(WEIGHTS[name] * part for name, part in parts.items())
    with torch.no_grad():
        entropy = -(policy * policy.clamp_min(1e-9).log()).sum(1).mean()
        predicted = out.value.softmax(1)
        win, wanted = predicted[:, 0] + predicted[:, 2] / 2, value[:, 0] + value[:, 2] / 2
        figures = torch.stack([
            parts["policy"] - entropy,
            (log.argmax(1) == policy.argmax(1)).float().mean(),
            (win - wanted).abs().mean(),
            ((win > 0.5) == (wanted > 0.5)).float().mean(),
            (out.lead - score[:, 2]).abs().mean(),
            ((out.ownership > 0) == (ownership > 0)).float().mean(),
        ])  # fmt: skip
    return total, figures.double().cpu().numpy()


def started(args):
    """The net to train."""
    if args.layout == "small":
        return nets.load_score_net(args.start) if args.start else nets.ScoreNet(args.channels, args.blocks)
    return katago.read(args.start)[0] if args.start else katago.Net(args.blocks, args.channels)


class Run:
    def __init__(self, args, device):
        self.args, self.device, self.step = args, device, 0
        torch.manual_seed(args.seed)
        self.net = started(args)
        self.net = self.net.to(device, memory_format=torch.channels_last)
        self.mean = torch.optim.swa_utils.AveragedModel(self.net, avg_fn=self.averaged)
        self.convolutions = [weight for block in self.net.blocks for weight in block.parameters() if weight.dim() == 4]
        ids = set(map(id, self.convolutions))
        others = [weight for weight in self.net.parameters() if id(weight) not in ids]
        # Muon takes matrices: the weights themselves, a row for each channel that is made; view() refuses where that would be a copy
        self.matrices = [weight.detach().permute(0, 2, 3, 1).view(len(weight), -1) for weight in self.convolutions]
        muon = torch.optim.Muon(self.matrices, weight_decay=1e-4, adjust_lr_fn="match_rms_adamw")
        self.optimizers = [torch.optim.AdamW(others, betas=(0.9, 0.99), weight_decay=1e-4), muon]
        self.state = os.path.join(args.work, "state.pt")
        if os.path.exists(self.state):
            self.load(torch.load(self.state, map_location=device, weights_only=True))

    def averaged(self, mean, weight, _):
        """The mean of the weights: of all at first, then mostly of the last thousands of steps."""
        return torch.lerp(mean, weight, max(1 - self.args.mean, 10 / (self.step + 10)))

    def load(self, state):
        self.step = state["step"]
        self.net.load_state_dict(state["net"])
        self.mean.load_state_dict(state["mean"])
        for optimizer, saved in zip(self.optimizers, state["optimizers"]):
            optimizer.load_state_dict(saved)

    def save(self):
        os.makedirs(self.args.work, exist_ok=True)
        optimizers = [optimizer.state_dict() for optimizer in self.optimizers]
        state = {"step": self.step, "net": self.net.state_dict(), "mean": self.mean.state_dict(), "optimizers": optimizers}
        torch.save(state, self.state + ".part")
        os.replace(self.state + ".part", self.state)
        net, path = self.mean.module, os.path.join(self.args.work, "net")
        if self.args.layout == "small":
            nets.save(net, path + ".safetensors", {"steps": self.step, "sources": self.args.labels or self.args.positions})
        else:
            katago.write(net, path + ".bin.gz", f"kifuwarabe-b{len(net.blocks)}c{net.stem.out_channels}-s{self.step}")

    def learn(self, batches):
        """One step; the figures of each batch."""
        left = (self.args.steps - self.step) / max(1, self.args.decay)
        scale = min(1.0, (self.step + 1) / self.args.warmup, max(left, 0.01))
        self.net.zero_grad()
        figures = []
        for batch in batches:
            total, found = judged(self.net, batch, self.args.bfloat16)
            total.backward()
            figures.append(found)
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 4.0)
        for matrix, weight in zip(self.matrices, self.convolutions):
            matrix.grad = weight.grad.permute(0, 2, 3, 1).flatten(1)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = self.args.rate * scale
            optimizer.step()
        self.step += 1
        self.mean.update_parameters(self.net)
        return figures

    @torch.no_grad()
    def held_out(self, rows):
        """The figures of the mean weights on all rows."""
        parts = []
        for first in range(0, len(rows), HELD_BATCH):
            at = np.arange(first, min(first + HELD_BATCH, len(rows)))
            parts.append((len(at), judged(self.mean, rows.batch(at, 0, self.device))[1]))
        counts, figures = zip(*parts)
        return np.average(figures, 0, counts)


def figures_text(board, figures):
    return f"{board[1]}x{board[0]}: " + ", ".join(f"{name} {value:.3f}" for name, value in zip(FIGURES, figures))


def parsed(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work")
    parser.add_argument("--labels", nargs="+", default=[], help="folders of shards")
    parser.add_argument("--held-out", nargs="+", default=[], help="folders of shards for the figures")
    parser.add_argument("--teacher", help="a net, if there are no labels")
    parser.add_argument("--engine", default="kifuwarabe-uec14", help="with --teacher: the program that makes positions")
    parser.add_argument("--positions", nargs="+", default=[], help="with --teacher: options of the engine's `labels`, for each board size")
    parser.add_argument("--kept", type=int, default=32, help="with --teacher: shards of a board size to draw from")
    parser.add_argument("--layout", choices=["small", "katago"], default="small", help="this project's second format, or KataGo's layout")
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--start", help="a net to start from, instead of a new one")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--decay", type=int, default=20_000, help="steps at the end over which the learning rate falls")
    parser.add_argument("--warmup", type=int, default=200, help="steps at the beginning over which the learning rate rises")
    parser.add_argument("--batch", type=int, default=6000, help="points of a batch")
    parser.add_argument("--rate", type=float, default=2e-3, help="learning rate")
    parser.add_argument("--results", type=float, default=0.0, help="share of the game's result in the value")
    parser.add_argument("--mean", type=float, default=0.999, help="how much of the mean weights a step leaves")
    parser.add_argument("--every", type=int, default=500, help="steps between two reports, with files written")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bfloat16", action="store_true", help="compute the layers in 16 bits, which is faster with AVX-512 BF16, AMX, or on a GPU")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    if bool(args.labels) == bool(args.teacher) or bool(args.teacher) != bool(args.positions):
        parser.error("expected --labels, or --teacher with --positions")
    return args


def main(arguments=None):
    args = parsed(arguments)
    torch.set_num_threads(args.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    streams = []
    if args.labels:
        sources = [lambda rows=rows: rows for rows in read_folders(args.labels, args.layout).values()]
        if not sources:
            raise SystemExit(f"--labels {' '.join(args.labels)}: no shards")
    else:
        teacher = katago.read(args.teacher)[0].eval().to(device, memory_format=torch.channels_last)
        streams = [Stream(args.engine, positions, teacher, device, args.kept, args.layout) for positions in args.positions]
        sources = [stream.rows for stream in streams]
    held = read_folders(args.held_out, args.layout)
    run = Run(args, device)
    print(f"{run.net.weights()} weights, {device}, from step {run.step}", flush=True)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    rng = np.random.default_rng([args.seed, run.step])
    sums, begun = collections.defaultdict(float), time.time()
    while run.step < args.steps and not stopped.is_set():
        chosen = [source() for source in sources]
        counts = [max(8, args.batch // rows.area) for rows in chosen]
        batches = (rows.batch(rng.integers(len(rows), size=n), int(rng.integers(8)), device, args.results) for rows, n in zip(chosen, counts))
        for rows, figures in zip(chosen, run.learn(batches)):
            sums[rows.height, rows.width] += figures
        if run.step % args.every == 0 or run.step == args.steps or stopped.is_set():
            since = run.step % args.every or args.every
            print(f"step {run.step}, {time.time() - begun:.0f} s", flush=True)
            for board, figures in sums.items():
                print("  learned  " + figures_text(board, figures / since), flush=True)
            for board, rows in held.items():
                print("  held out " + figures_text(board, run.held_out(rows)), flush=True)
            run.save()
            sums, begun = collections.defaultdict(float), time.time()
    for stream in streams:
        stream.close()


if __name__ == "__main__":
    main()
