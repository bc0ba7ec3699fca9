"""Distillation: trains a net on the outputs of another net, the teacher.

With labels that `kifuwarabe-uec14 labels` has written, a net of the format `kifuwarabe-net-2`, initialised from a net:

    python distill.py WORK --labels labels19 labels9 --held-out held19 held9 --start net.safetensors

With `--layout katago`, a net in KataGo's layout:

    python distill.py WORK --labels labels19 labels9 --held-out held19 held9 --layout katago --blocks 6 --channels 64

The run writes WORK/net.safetensors (with `--layout katago` WORK/net.bin.gz), which holds the exponential moving average
(EMA) of the weights, and WORK/state.pt, the checkpoint from which the same command continues. Ctrl-C and SIGTERM end it
after the current step. Each step uses one batch of each board size, with a random one of the eight symmetries per batch.
"""
import argparse
import collections
import glob
import gzip
import json
import os
import signal
import struct
import threading
import time

import numpy as np
import torch
from safetensors.numpy import load
from torch.nn import functional as F

import checkpoint
import data
import katago
import net as nets
from files import fraction, make_folder, natural, one_line_errors, positive, refuse
from optim import ema_rate, muon_and_adamw, set_matrix_gradients, split_weights

HELD_OUT_BATCH = 64
BLOCKS, CHANNELS = 6, 64
MAX_GRAD_NORM = 4.0
WEIGHT_DECAY = 1e-4
# With these weights, the gradients of policy, value, lead and ownership at the trunk have norms of the same order of
# magnitude. The lead is a sum over the board, so its gradient grows with the number of points: with weight 0.05 it
# dominates the gradient.
WEIGHTS = {"policy": 1.0, "value": 1.0, "lead": 0.003, "score": 0.0005, "score_stdev": 0.001, "ownership": 10.0}
METRICS = ("divergence", "agreement", "win error", "winner", "lead error", "ownership")


# ---------------------------------------------------------------- labels


class Positions:
    """Positions of one board size. Bits are unpacked per batch."""

    NAMES = ("planes", "globals", "legal", "black")  # the tensors of a shard that are read
    ORIGIN = "`labels`"  # of shards with these tensors

    def __init__(self, shards, layout):
        self.height, self.width = shards[0][0]
        self.area = self.height * self.width
        for name in self.NAMES:
            setattr(self, name, np.concatenate([tensors[name] for _, tensors in shards]))
        self.depth = katago.PLANES
        if layout == "native":
            self.convert_to_native()

    def convert_to_native(self, part=4096):
        """Replaces KataGo's input features by those of this project's nets, `part` rows at a time."""
        if self.height != self.width or self.width > data.MAX_SIDE:
            refuse(f"labels of {self.width}x{self.height}, expected square boards up to {data.MAX_SIDE}x{data.MAX_SIDE}")
        packed, globals = [], []
        for first in range(0, len(self.planes), part):
            rows = slice(first, first + part)
            movers = np.where(self.black[rows].reshape(-1) != 0, 1, 2).astype(np.int8)
            planes = np.unpackbits(self.planes[rows], axis=1)[:, : katago.PLANES * self.area].reshape(-1, katago.PLANES, self.area)
            point = lambda plane: np.where(plane.any(-1), plane.argmax(-1), -1)
            own, opponent = planes[:, 1], planes[:, 2]
            stones = own * movers[:, None] + opponent * (3 - movers[:, None])
            komi = self.globals[rows][:, katago.OWN_KOMI] * katago.SCORE_UNIT * np.where(movers == 2, 1, -1)
            inputs, board_globals = data.board_planes(self.width, stones, point(planes[:, 6]), point(planes[:, 9:14]), movers, komi)
            inputs = np.concatenate([inputs, planes[:, katago.LADDER_PLANES]], 1)
            packed.append(np.packbits(inputs.reshape(len(inputs), -1), axis=1))
            is_territory = self.globals[rows][:, katago.IS_TERRITORY]
            globals.append(np.column_stack([board_globals, is_territory]))
        self.planes, self.globals, self.depth = np.concatenate(packed), np.concatenate(globals), nets.SCORE_PLANES

    def __len__(self):
        return len(self.planes)

    def inputs(self, indices, symmetry, device):
        """The inputs of rows under a symmetry (0 to 7): planes, globals, legal moves."""
        planes = self.transformed(self.bits("planes", indices, self.depth * self.area, device), symmetry)
        return (
            planes.float().contiguous(memory_format=torch.channels_last), self.floats("globals", indices, device),
            self.transformed_moves(self.bits("legal", indices, self.area + 1, device), symmetry).bool(),
        )  # fmt: skip

    def bits(self, name, indices, count, device):
        return torch.from_numpy(np.unpackbits(getattr(self, name)[indices], axis=1)[:, :count]).to(device)

    def floats(self, name, indices, device):
        return torch.from_numpy(getattr(self, name)[indices].astype(np.float32)).to(device)

    def transformed(self, x, symmetry):
        """Numbers of points under a symmetry, as boards."""
        x = x.reshape(len(x), -1, self.height, self.width)
        x = x.flip(2) if symmetry & 1 else x
        x = x.flip(3) if symmetry & 2 else x
        return x.transpose(2, 3) if symmetry & 4 and self.height == self.width else x

    def transformed_moves(self, x, symmetry):
        """Numbers of moves, the pass last, under a symmetry."""
        return torch.cat([self.transformed(x[:, : self.area], symmetry).reshape(len(x), self.area), x[:, self.area :]], 1)


class LabelledPositions(Positions):
    """Positions of one board size, with the teacher's outputs."""

    NAMES = (*Positions.NAMES, "result", "policy", "value", "score", "ownership")
    ORIGIN = "`labels` with a net"

    def batch(self, indices, symmetry, device, result_weight=0.0):
        """A batch of rows under a symmetry: the inputs, policy, value, score, ownership. `result_weight` is the weight of
        the game's result, where known, in the value target."""
        policy, value, score, result, ownership = (
            self.floats(name, indices, device) for name in ("policy", "value", "score", "result", "ownership")
        )
        outcome = torch.cat([result, 1 - result, torch.zeros_like(result)], 1)
        value = torch.where(result >= 0, torch.lerp(value, outcome, result_weight), value)
        return (
            *self.inputs(indices, symmetry, device), self.transformed_moves(policy / policy.sum(1, keepdim=True), symmetry), value,
            score, self.transformed(ownership / 127, symmetry).reshape(len(indices), self.area),
        )  # fmt: skip


def board_shape(tensors_bytes):
    """The board's height and width, from the header of a shard."""
    (length,) = struct.unpack("<Q", tensors_bytes[:8])
    about = json.loads(json.loads(tensors_bytes[8 : 8 + length])["__metadata__"]["about"])
    return about["height"], about["width"]


def read_shard(path):
    with one_line_errors(path), gzip.open(path, "rb") as opened:
        data = opened.read()
        return board_shape(data), load(data)


def read_folders(folders, layout, kind=LabelledPositions):
    """The rows in folders, by board height and width, as objects of a class. Each folder has some."""
    shards = collections.defaultdict(list)
    for folder in folders:
        count = 0
        for path in sorted(glob.glob(os.path.join(folder, "shard-*.safetensors.gz"))):
            board, tensors = read_shard(path)
            if missing := [name for name in kind.NAMES if name not in tensors]:
                refuse(f"{path}: no {', '.join(missing)}; expected a shard of {kind.ORIGIN}")
            if len(tensors["planes"]):
                shards[board].append((board, tensors))
                count += 1
        if not count:
            refuse(f"{folder}: no shards with positions, expected a folder of {kind.ORIGIN}")
    return {board: kind(found, layout) for board, found in shards.items()}


# ---------------------------------------------------------------- training


def win_probability(value):
    """The win probability of the probabilities of win, loss and no result, which counts half."""
    return value[:, 0] + value[:, 2] / 2


def loss_and_metrics(net, batch, bfloat16=False, weights=WEIGHTS):
    """The loss on a batch, and its metrics as a tensor. `bfloat16` computes the layers in 16 bits; weights and loss have
    32 bits."""
    planes, globals, legal, policy, value, score, ownership = batch
    with torch.autocast(planes.device.type, torch.bfloat16, enabled=bfloat16, cache_enabled=False):
        out = net(planes, globals)
    log = out.policy.masked_fill(~legal, -1e9).log_softmax(1)
    terms = {
        "policy": -(policy * log).sum(1).mean(),
        "value": -(value * out.value.log_softmax(1)).sum(1).mean(),
        "lead": F.huber_loss(out.lead, score[:, 2], delta=8.0),
        "score": F.huber_loss(out.score, score[:, 0], delta=8.0),
        "score_stdev": F.huber_loss(out.score_stdev, score[:, 1], delta=8.0),
        "ownership": F.mse_loss(out.ownership, ownership),
    }
    total = sum(weights[name] * term for name, term in terms.items())
    with torch.no_grad():
        entropy = -(policy * policy.clamp_min(1e-9).log()).sum(1).mean()
        win, target = win_probability(out.value.softmax(1)), win_probability(value)
        metrics = torch.stack([
            terms["policy"] - entropy,
            (log.argmax(1) == policy.argmax(1)).float().mean(),
            (win - target).abs().mean(),
            ((win > 0.5) == (target > 0.5)).float().mean(),
            (out.lead - score[:, 2]).abs().mean(),
            ((out.ownership > 0) == (ownership > 0)).float().mean(),
        ])  # fmt: skip
    return total, metrics.double()


def make_net(args):
    """The net to train."""
    if args.layout == "katago":
        return katago.read(args.start)[0] if args.start else katago.Net(args.blocks or BLOCKS, args.channels or CHANNELS)
    if not args.start:
        return nets.ScoreNet(args.channels or CHANNELS, args.blocks or BLOCKS)
    return nets.load_grown(args.start, args.channels, args.blocks)


def size_text(net):
    """The size and the layout of a net."""
    layout = "KataGo's layout" if isinstance(net, katago.Net) else "kifuwarabe-net-2"
    return f"{net.stem.out_channels} channels and {len(net.blocks)} blocks in {layout}"


def mean_over(rows, metrics):
    """The mean over all rows of metrics, which are computed for some of them at a time, given by their indices."""
    parts = np.split(np.arange(len(rows)), range(HELD_OUT_BATCH, len(rows), HELD_OUT_BATCH))
    return np.average([metrics(indices) for indices in parts], 0, [len(indices) for indices in parts])


class Training:
    """A net in training: its optimizers, the EMA of its weights, and the checkpoint WORK/state.pt. PROGRAM of a subclass is
    the program's name in the checkpoint. `save_net` of a subclass writes the net of the EMA to a file whose name, without
    its extension, is given."""

    PROGRAM = None

    def __init__(self, args, net, device):
        self.args, self.net, self.device, self.step = args, net, device, 0
        make_folder(args.work)
        self.ema = torch.optim.swa_utils.AveragedModel(self.net, avg_fn=self.averaged)
        self.convolutions, others = split_weights(self.net)
        self.muon, adam = muon_and_adamw(self.convolutions, others, WEIGHT_DECAY, betas=(0.9, 0.99))
        self.optimizers = [adam, self.muon]  # in the order of state.pt
        self.state = os.path.join(args.work, "state.pt")
        if os.path.exists(self.state):
            self.load(checkpoint.read(self.state, self.PROGRAM, device))
        self.rng = np.random.default_rng([args.seed, self.step])

    def averaged(self, ema, weight, _):
        """The EMA of a weight after a step."""
        return torch.lerp(ema, weight, ema_rate(self.args.ema_decay, self.step))

    def load(self, state):
        size = size_text(self.net)
        if state.get("size", size) != size:
            refuse(f"{self.state}: a net of {state['size']}, expected one of {size}")
        # the checkpoints of early versions have no size
        with one_line_errors(self.state, f"a net of {size}"):
            self.step = state["step"]
            self.net.load_state_dict(state["net"])
            self.ema.load_state_dict(state["ema"])
            for optimizer, saved in zip(self.optimizers, state["optimizers"]):
                optimizer.load_state_dict(saved)

    def save(self):
        """Writes the checkpoint and the net of the EMA."""
        optimizers = [optimizer.state_dict() for optimizer in self.optimizers]
        state = {
            "size": size_text(self.net), "step": self.step, "net": self.net.state_dict(), "ema": self.ema.state_dict(),
            "optimizers": optimizers,
        }  # fmt: skip
        checkpoint.write(self.state, self.PROGRAM, state)
        self.save_net(os.path.join(self.args.work, "net"))

    def update(self):
        """A step of the optimizers, with the gradients that the batches have added."""
        left = (self.args.steps - self.step) / max(1, self.args.decay)
        scale = min(1.0, (self.step + 1) / self.args.warmup, max(left, 0.01))
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), MAX_GRAD_NORM)
        set_matrix_gradients(self.muon, self.convolutions)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = self.args.rate * scale
            optimizer.step()
        self.step += 1
        self.ema.update_parameters(self.net)

    def train(self, train_step, report):
        """Calls `train_step`, which returns the metrics of its batches, until the last step, Ctrl-C or SIGTERM. Every
        `args.every` steps and at the end, calls `report` with the means of the metrics since the last report, and saves."""
        stopped = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stopped.set())
        if self.step:
            ignored = ", without the weights of --start" if self.args.start else ""
            print(f"continues {self.state} from step {self.step}{ignored}", flush=True)
        sums, steps, begun = 0.0, 0, time.time()
        while self.step < self.args.steps and not stopped.is_set():
            sums, steps = sums + np.array(train_step()), steps + 1
            if self.step % self.args.every == 0 or self.step == self.args.steps or stopped.is_set():
                print(f"step {self.step}, {time.time() - begun:.0f} s", flush=True)
                report(sums / steps)
                self.save()
                sums, steps, begun = 0.0, 0, time.time()


class Run(Training):
    """The training of a net on labels."""

    PROGRAM = "distill.py"

    def __init__(self, args, device):
        torch.manual_seed(args.seed)
        net = make_net(args).to(device, memory_format=torch.channels_last)
        # compiled in place, once for each board size
        if args.compile:
            net.compile(dynamic=False)
        super().__init__(args, net, device)

    def save_net(self, path):
        net = self.ema.module
        if self.args.layout == "native":
            nets.save(net, path + ".safetensors", {"steps": self.step, "sources": self.args.labels})
        else:
            katago.write(net, path + ".bin.gz", f"kifuwarabe-b{len(net.blocks)}c{net.stem.out_channels}-s{self.step}")

    def train_step(self, batches):
        """One optimizer step; returns the metrics of each batch."""
        self.net.zero_grad()
        metrics = []
        for batch in batches:
            total, batch_metrics = loss_and_metrics(self.net, batch, self.args.bfloat16)
            total.backward()
            metrics.append(batch_metrics.cpu().numpy())
        self.update()
        return metrics

    @torch.no_grad()
    def held_out_metrics(self, rows):
        """The mean metrics of the EMA weights over all rows."""
        return mean_over(rows, lambda indices: loss_and_metrics(self.ema, rows.batch(indices, 0, self.device))[1].cpu().numpy())


def format_metrics(board, metrics):
    return f"{board[1]}x{board[0]}: " + ", ".join(f"{name} {value:.3f}" for name, value in zip(METRICS, metrics))


def add_training_options(parser):
    """The options of every training with a checkpoint."""
    parser.add_argument("--steps", type=positive, default=100_000)
    parser.add_argument("--warmup", type=positive, default=200, help="steps at the beginning over which the learning rate rises")
    parser.add_argument("--rate", type=float, default=2e-3, help="peak learning rate")
    parser.add_argument("--ema-decay", "--mean", type=fraction, default=0.999, metavar="DECAY",
                        help="decay of the exponential moving average (EMA) of the weights, per step")  # fmt: skip
    parser.add_argument("--every", type=positive, default=500, help="steps between two reports, at which the files are written too")
    parser.add_argument("--threads", type=positive, default=1, help="CPU threads")
    parser.add_argument("--bfloat16", action="store_true", help="compute the layers in 16 bits, which is faster with AVX-512 BF16, AMX, or on a GPU")
    parser.add_argument("--seed", type=natural, default=1)


def parse_args(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", metavar="WORK", help="output folder")
    parser.add_argument("--labels", nargs="+", required=True, metavar="FOLDER", help="folders of shards to train on")
    parser.add_argument("--held-out", nargs="+", default=[], metavar="FOLDER", help="folders of held-out shards, for the metrics")
    parser.add_argument("--layout", choices=["native", "katago"], default="native", help="native: kifuwarabe-net-2; katago: KataGo's layout")
    parser.add_argument("--blocks", type=positive, help=f"default: {BLOCKS}, or those of --start")
    parser.add_argument("--channels", type=positive, help=f"default: {CHANNELS}, or those of --start")
    parser.add_argument("--start", metavar="FILE",
                        help="net whose weights are the initial weights; default: random weights. With more --blocks or --channels "
                        "than FILE has, a net of this project grows to that size and has the same outputs at first; "
                        "a net in KataGo's layout keeps its size.")  # fmt: skip
    add_training_options(parser)
    parser.add_argument("--decay", type=natural, default=20_000,
                        help="steps at the end over which the learning rate falls; at most --steps")  # fmt: skip
    parser.add_argument("--batch", type=positive, default=6000, help="size of a batch in board points: 6000 is 16 positions of 19x19")
    parser.add_argument("--result-weight", "--results", type=fraction, default=0.0, metavar="WEIGHT",
                        help="weight of the game's result, 0 to 1, in the value target")
    parser.add_argument("--compile", action="store_true", help="compile the net with torch.compile: 1.4 times as fast on a CPU, after a minute")
    args = parser.parse_args(arguments)
    if args.layout == "katago" and args.start and (args.blocks or args.channels):
        parser.error("--layout katago with --start: the size of the net is that of the file; omit --blocks and --channels")
    args.decay = min(args.decay, args.steps)
    return args


def main(arguments=None):
    args = parse_args(arguments)
    torch.set_num_threads(args.threads)
    sources = list(read_folders(args.labels, args.layout).values())
    held = read_folders(args.held_out, args.layout)
    run = Run(args, nets.DEVICE)
    print(f"{run.net.parameter_count()} weights, {nets.DEVICE}", flush=True)
    counts = [max(8, args.batch // rows.area) for rows in sources]

    def train_step():
        draw = lambda rows, n: rows.batch(run.rng.integers(len(rows), size=n), int(run.rng.integers(8)), run.device, args.result_weight)
        return run.train_step(draw(rows, n) for rows, n in zip(sources, counts))

    def report(metrics):
        for rows, means in zip(sources, metrics):
            print("  training " + format_metrics((rows.height, rows.width), means), flush=True)
        for board, rows in held.items():
            print("  held out " + format_metrics(board, run.held_out_metrics(rows)), flush=True)

    run.train(train_step, report)


if __name__ == "__main__":
    main()
