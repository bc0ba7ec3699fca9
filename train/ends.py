"""Fine-tuning on the ends of games: a net of the second format learns the counted scores of finished games.

    python ends.py WORK --start net.safetensors --ends ends19 ends9 --keep positions19 positions9

`kifuwarabe-uec14 labels` writes all folders: with `--ends`, final positions with the points of the recorded result, which
are the target of the lead; without it, the positions of `--keep`. Their targets are the outputs of the net of `--start`,
so that it changes at the ends of games and little elsewhere.

The run writes WORK/net.safetensors, which holds the exponential moving average (EMA) of the weights, and WORK/state.pt,
the checkpoint from which the same command continues. Ctrl-C and SIGTERM end it after the current step. Each step uses one
batch of each board size of each kind, with a random one of the eight symmetries. It runs on the CPU.
"""
import argparse
import collections
import copy
import os
import signal
import threading
import time

import numpy as np
import torch
from torch.nn import functional as F

import distill
import net as nets
from files import write_atomically
from optim import ema_rate, muon_and_adamw, set_matrix_gradients, split_weights

# Weights of the two terms of the loss at an end. The loss at kept positions starts with gradient 0. The Huber loss is linear
# beyond one point, so a wrong margin has a bounded gradient.
LEAD_WEIGHT, VALUE_WEIGHT = 0.5, 0.3
MIN_ROWS = 4  # of each board size in a batch


class EndRows(distill.Rows):
    """Final positions of one board size, with the margins by which the side to move won."""

    NAMES = ("planes", "globals", "legal", "black", "margin")


class InputRows(distill.Rows):
    """Positions of one board size without targets."""

    NAMES = ("planes", "globals", "legal", "black")


def end_loss(out, margin):
    """The loss of outputs at the ends of games, and the share of leads within half a point of the margin."""
    win = (margin.sign() + 1) / 2
    result = torch.stack([win, 1 - win, torch.zeros_like(win)], 1)
    loss = LEAD_WEIGHT * F.huber_loss(out.lead, margin) + VALUE_WEIGHT * F.cross_entropy(out.value, result)
    return loss, ((out.lead - margin).abs() < 0.5).float().mean().item()


def rows_per_batch(boards, batch):
    """Each board size with its number of rows in a batch of about `batch` points. Each row of all sizes is equally likely."""
    points = sum(len(rows) * rows.area for rows in boards)
    return [(rows, max(MIN_ROWS, round(batch * len(rows) / points))) for rows in boards]


class Run:
    """Training state of a run."""

    def __init__(self, args):
        self.args, self.step = args, 0
        torch.manual_seed(args.seed)
        self.rng = np.random.default_rng(args.seed)
        self.start = nets.load_score_net(args.start).to(memory_format=torch.channels_last)
        self.net = copy.deepcopy(self.start)
        self.ema = torch.optim.swa_utils.AveragedModel(self.net, avg_fn=self.averaged)
        self.convolutions, others = split_weights(self.net)
        self.muon, adam = muon_and_adamw(self.convolutions, others, distill.WEIGHT_DECAY, betas=(0.9, 0.99))
        self.optimizers = [adam, self.muon]
        self.state = os.path.join(args.work, "state.pt")
        if os.path.exists(self.state):
            state = torch.load(self.state, weights_only=True)
            self.step = state["step"]
            self.rng = np.random.default_rng([args.seed, self.step])
            self.net.load_state_dict(state["net"])
            self.ema.load_state_dict(state["mean"])
            for optimizer, saved in zip(self.optimizers, state["optimizers"]):
                optimizer.load_state_dict(saved)

    def averaged(self, ema, weight, _):
        """The EMA of a weight after a step."""
        return torch.lerp(ema, weight, ema_rate(self.args.ema_decay, self.step))

    def save(self):
        os.makedirs(self.args.work, exist_ok=True)
        optimizers = [optimizer.state_dict() for optimizer in self.optimizers]
        state = {"step": self.step, "net": self.net.state_dict(), "mean": self.ema.state_dict(), "optimizers": optimizers}
        write_atomically(self.state, lambda file: torch.save(state, file))
        nets.save(self.ema.module, os.path.join(self.args.work, "net.safetensors"), {"steps": self.step, "sources": self.args.ends})

    def computed(self, net, planes, numbers):
        with torch.autocast("cpu", torch.bfloat16, enabled=self.args.bfloat16, cache_enabled=False):
            return net(planes, numbers)

    @torch.no_grad()
    def kept_batch(self, planes, numbers, legal):
        """A batch whose targets are the outputs of the net of the start."""
        out = self.computed(self.start, planes, numbers)
        policy = out.policy.masked_fill(~legal, -1e9).softmax(1)
        score = torch.stack([out.score, out.score_stdev, out.lead], 1)
        return planes, numbers, legal, policy, out.value.softmax(1), score, out.ownership

    def backward(self, kind, rows, count):
        """Adds the gradients of a batch of some rows; returns what is reported of it."""
        indices = self.rng.integers(len(rows), size=count)
        symmetry = int(self.rng.integers(8))
        inputs = rows.inputs(indices, symmetry, "cpu")
        if kind == "ends":
            margin = rows.floats("margin", indices, "cpu").squeeze(1)
            loss, reported = end_loss(self.computed(self.net, *inputs[:2]), margin)
        else:
            loss, metrics = distill.loss_and_metrics(self.net, self.kept_batch(*inputs), self.args.bfloat16)
            reported = metrics[distill.METRICS.index("lead error")].item()
        loss.backward()
        return reported

    def train_step(self, sources):
        """One optimizer step; returns what is reported of each batch."""
        scale = min(1.0, (self.step + 1) / self.args.warmup, max(1 - self.step / self.args.steps, 0.01))
        self.net.zero_grad()
        reported = [self.backward(*source) for source in sources]
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), distill.MAX_GRAD_NORM)
        set_matrix_gradients(self.muon, self.convolutions)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = self.args.rate * scale
            optimizer.step()
        self.step += 1
        self.ema.update_parameters(self.net)
        return reported

    @torch.no_grad()
    def exact_share(self, rows):
        """The share of ends at which the lead of the EMA weights is within half a point of the margin."""
        shares = []
        for first in range(0, len(rows), distill.HELD_OUT_BATCH):
            indices = np.arange(first, min(first + distill.HELD_OUT_BATCH, len(rows)))
            planes, numbers, _ = rows.inputs(indices, 0, "cpu")
            margin = rows.floats("margin", indices, "cpu").squeeze(1)
            shares.append((len(indices), end_loss(self.computed(self.ema, planes, numbers), margin)[1]))
        counts, shares = zip(*shares)
        return np.average(shares, weights=counts)


def parse_args(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", metavar="WORK", help="output folder")
    parser.add_argument("--start", required=True, metavar="FILE", help="net whose weights are the initial ones")
    parser.add_argument("--ends", nargs="+", required=True, metavar="FOLDER", help="folders that labels --ends has written")
    parser.add_argument("--keep", nargs="+", required=True, metavar="FOLDER", help="folders of positions at which the outputs are kept")
    parser.add_argument("--held-out", nargs="+", default=[], metavar="FOLDER", help="folders of held-out ends, for the report")
    parser.add_argument("--steps", type=int, default=2500, help="steps, over which the learning rate falls to zero")
    parser.add_argument("--warmup", type=int, default=100, help="steps at the beginning over which the learning rate rises")
    parser.add_argument("--batch", type=int, default=9000,
                        help="board points of the ends in a step, 9000: 25 positions of 19x19; the kept positions have a third as many")  # fmt: skip
    parser.add_argument("--rate", type=float, default=5e-5, help="peak learning rate")
    parser.add_argument("--ema-decay", type=float, default=0.998, metavar="DECAY",
                        help="decay of the exponential moving average (EMA) of the weights, per step")  # fmt: skip
    parser.add_argument("--every", type=int, default=200, help="steps between two reports, at which the files are written too")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    parser.add_argument("--bfloat16", action="store_true", help="compute the layers in 16 bits, which is faster with AVX-512 BF16 or AMX")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments=None):
    args = parse_args(arguments)
    torch.set_num_threads(args.threads)
    read = lambda folders, kind: list(distill.read_folders(folders, "small", kind).values())
    finished, kept = read(args.ends, EndRows), read(args.keep, InputRows)
    if not finished:
        raise SystemExit(f"--ends {' '.join(args.ends)}: no shards")
    sources = [("ends", *share) for share in rows_per_batch(finished, args.batch)]
    sources += [("keep", *share) for share in rows_per_batch(kept, args.batch // 3)]
    held = {folder: read([folder], EndRows) for folder in args.held_out}
    run = Run(args)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    sums, begun, reported_step = collections.defaultdict(float), time.time(), run.step
    while run.step < args.steps and not stopped.is_set():
        for (kind, rows, _), reported in zip(sources, run.train_step(sources)):
            sums[kind, rows.width] += reported
        if run.step % args.every == 0 or run.step == args.steps or stopped.is_set():
            since = run.step - reported_step
            print(f"step {run.step}, {time.time() - begun:.0f} s", flush=True)
            for (kind, width), total in sums.items():
                name = "exact" if kind == "ends" else "lead error"
                print(f"  {kind} {width}: {name} {total / since:.3f}", flush=True)
            for folder, found in held.items():
                print(f"  held out {folder}: exact {', '.join(f'{run.exact_share(rows):.3f}' for rows in found)}", flush=True)
            run.save()
            sums, begun, reported_step = collections.defaultdict(float), time.time(), run.step


if __name__ == "__main__":
    main()
