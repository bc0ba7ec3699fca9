#!/usr/bin/env python3
"""Trains a net on game records and self-play games.

WORK/net.safetensors, for the engine, holds the exponential moving average (EMA) of the weights. WORK/state.pt is the
checkpoint from which --resume continues the run and its schedule. Both are written every few minutes, at the end, and
when the run is interrupted.

`torchrun` starts several processes, on one machine or many. Each trains on its part of every batch; the first one writes
the files.
"""
import argparse
import copy
import json
import math
import os
import signal
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

import checkpoint
import data
import evaluate
import net as nets
from files import fraction, make_folder, natural, positive, refuse
from optim import ema_rate, muon_and_adamw, set_matrix_gradients

WARMUP_STEPS = 300
WEIGHT_DECAY = 1e-2  # of weight matrices; biases and norm parameters have none
MAX_GRAD_NORM = 5.0
LOSS_WINDOW_STEPS = 200  # the printed losses are means over the last steps
PROGRAM = "train.py"  # as named in state.pt
SIZE = {"channels": 64, "blocks": 6}  # of a net whose initial weights are random, unless given
HELD_OUT_GAMES = 700  # held-out games of each board size evaluated whenever the net is written


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", metavar="WORK", help="output folder")
    parser.add_argument("--records", nargs="*", default=[], metavar="FILE", help="tables of game records")
    parser.add_argument("--selfplay", nargs="*", default=[], metavar="FILE", help="self-play games: *.jsonl, *.parquet, or folders of *.parquet")
    parser.add_argument("--resume", action="store_true", help="continue from WORK/state.pt, with its settings")
    parser.add_argument("--threads", type=positive, default=torch.get_num_threads(),
                        help="CPU threads, each of which trains on its part of every batch; not used with a GPU")  # fmt: skip
    parser.add_argument("--feeders", type=positive, default=1, help="threads that prepare batches; a GPU needs about 12")
    parser.add_argument("--save-minutes", type=float, default=5, help="minutes between two writes of the files")
    group = parser.add_argument_group("settings of a new run")
    group.add_argument("--start", metavar="FILE", help="state.pt of another run, whose EMA weights are the initial weights")
    group.add_argument("--channels", type=positive, metavar="N", help=f"default: {SIZE['channels']}, or those of --start")
    group.add_argument("--blocks", type=positive, metavar="N", help=f"default: {SIZE['blocks']}, or those of --start")
    group.add_argument("--positions", type=float, default=2.5e6, help="length of the run and its schedule, in training positions")
    group.add_argument("--plan", nargs="+", default=["19:64"] * 3 + ["9:128"], metavar="SIZE:BATCH",
                       help="SIZE:BATCH of each step, repeated cyclically")  # fmt: skip
    group.add_argument("--rate", type=float, default=3e-3, help="peak learning rate")
    group.add_argument("--selfplay-share", type=fraction, default=0.5, help="share of self-play positions in a batch, if there are records too")
    group.add_argument("--value-weight", type=float, default=0.5, help="weight of the value loss")
    group.add_argument("--ownership-weight", type=float, default=0.25, help="weight of the ownership loss")
    group.add_argument("--ema-decay", "--mean", type=fraction, default=0.999, metavar="DECAY",
                       help="decay of the exponential moving average (EMA) of the weights, per step")  # fmt: skip
    group.add_argument("--seed", type=natural, default=1)
    return parser.parse_args()


# as named in state.pt
SETTINGS = ("channels", "blocks", "positions", "plan", "rate", "selfplay_share", "value_weight", "ownership_weight",
            "ema_decay", "seed")  # fmt: skip


def learning_rate(settings, step, positions):
    """Linear warm-up over steps, then cosine decay over positions."""
    done = min(positions / settings["positions"], 1)
    return settings["rate"] * min(1, (step + 1) / WARMUP_STEPS) * max(0.5 * (1 + math.cos(math.pi * done)), 0.01)


def losses(net, batch, device):
    """The losses of policy, value and ownership, each a mean over the positions with a known target."""
    planes = batch.planes.float().contiguous(memory_format=torch.channels_last)
    with torch.autocast(device, torch.bfloat16):
        policy, value, ownership = (out.float() for out in net(planes, batch.globals))
    policy_loss = -(batch.policy * F.log_softmax(policy, 1)).sum(1).mean()
    value_loss = mean_over_known(F.binary_cross_entropy_with_logits(value, batch.win, reduction="none"), batch.win >= 0)
    owner_target = (batch.ownership.float() + 1) / 2
    ownership_loss = F.binary_cross_entropy_with_logits(ownership, owner_target, reduction="none").mean(1)
    return policy_loss, value_loss, mean_over_known(ownership_loss, batch.ownership[:, 0] != data.UNKNOWN)


def mean_over_known(found, known):
    """The mean of the losses of the positions with a known target; 0 without any. Even then every weight has a gradient,
    as DistributedDataParallel expects."""
    return (found * known).sum() / known.sum().clamp_min(1)


def optimizers(net, convolutions):
    """Muon for the weights of the 3x3 convolutions, AdamW for the other weights."""
    others = [p for p in net.parameters() if not any(p is weight for weight in convolutions)]
    decayed = {"params": [p for p in others if p.dim() > 1], "weight_decay": WEIGHT_DECAY}
    not_decayed = {"params": [p for p in others if p.dim() <= 1], "weight_decay": 0}
    return muon_and_adamw(convolutions, [decayed, not_decayed], WEIGHT_DECAY)


class Processes:
    """The processes of a run: one, or those that torchrun started, which train with PyTorch's DistributedDataParallel."""

    def __init__(self):
        self.world_size, self.rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
        self.is_first, self.is_distributed = self.rank == 0, self.world_size > 1
        self.device = nets.DEVICE
        if self.is_distributed:
            if self.device == "cuda":
                torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
            dist.init_process_group("nccl" if self.device == "cuda" else "gloo")
            # for losses and stop requests, which are not on the GPU
            self.group = dist.new_group(backend="gloo")

    def distributed_net(self, net):
        """Wraps the net, so that its gradients are averaged over all processes."""
        gpus = [torch.cuda.current_device()] if self.device == "cuda" else None
        return DistributedDataParallel(net, device_ids=gpus)

    def mean(self, numbers):
        """The mean of each number over the processes."""
        if not self.is_distributed:
            return numbers
        sums = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(sums, group=self.group)
        return (sums / self.world_size).tolist()

    def broadcast(self, make):
        """Calls `make` in the first process and returns its value in all processes."""
        if not self.is_distributed:
            return make()
        value = [make() if self.is_first else None]
        dist.broadcast_object_list(value, group=self.group)
        return value[0]

    def close(self):
        if self.is_distributed:
            dist.destroy_process_group()


class Training:
    """Training state of a run.

    Each of `threads` trains a replica of the net on its part of a batch, which is faster than splitting each convolution.
    The replicas share the weights. Each has its own batch-norm statistics; those of the first one are the net's.
    """

    def __init__(self, settings, device, threads=1, processes=None):
        torch.manual_seed(settings["seed"])
        self.settings, self.device = settings, device
        self.net = nets.Net(settings["channels"], settings["blocks"]).to(device).to(memory_format=torch.channels_last)
        self.ema = copy.deepcopy(self.net).eval()
        shared = {id(p): p for p in self.net.parameters()}
        self.replicas = [self.net] + [copy.deepcopy(self.net, dict(shared)) for _ in range(threads - 1)]
        self.pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
        self.convolutions = [convolution.weight for _, convolution, _ in self.net.convolutions_with_norm()]
        self.muon, self.adam = optimizers(self.net, self.convolutions)
        self.processes = processes
        self.ddp_net = processes.distributed_net(self.net) if processes and processes.is_distributed else None
        self.steps = self.positions = 0

    def state_parts(self):
        """The parts with a state dict, by their names in state.pt."""
        return {"net": self.net, "ema": self.ema, "muon": self.muon, "adam": self.adam}

    @staticmethod
    def resume(path, device, threads=1, processes=None):
        load = lambda: checkpoint.read(path, PROGRAM)
        state = processes.broadcast(load) if processes else load()
        training = Training(state["settings"], device, threads, processes)
        for name, part in training.state_parts().items():
            part.load_state_dict(state[name])
        training.steps, training.positions = state["steps"], state["positions"]
        return training

    def load_weights(self, weights):
        """Loads the EMA weights of another run."""
        self.net.load_state_dict(weights)
        self.ema.load_state_dict(weights)

    def total_loss(self, found):
        weights = (1, self.settings["value_weight"], self.settings["ownership_weight"])
        return sum(weight * loss for weight, loss in zip(weights, found))

    def losses_and_gradients(self, net, batch):
        """The losses on a part of a batch, and the gradients of their weighted sum."""
        found = losses(net, batch, self.device)
        gradient = torch.autograd.grad(self.total_loss(found), list(self.net.parameters()))
        return torch.stack(found).detach(), gradient

    def backward_in_threads(self, batch):
        """The losses on a batch, of which each thread takes a part; stores the gradients in the net."""
        # a part has at least one position
        count = min(len(self.replicas), len(batch.win))
        batches = [data.Batch(*parts) for parts in zip(*(tensor.tensor_split(count) for tensor in batch))]
        found, gradients = zip(*self.pool.map(self.losses_and_gradients, self.replicas, batches))
        for parameter, parts in zip(self.net.parameters(), zip(*gradients)):
            parameter.grad = sum(parts) / len(batches)
        return sum(found) / len(found)

    def backward_in_processes(self, batch):
        """The losses on this process's part of a batch; stores the gradients averaged over all processes in the net."""
        self.net.zero_grad(set_to_none=True)
        found = losses(self.ddp_net, batch, self.device)
        self.total_loss(found).backward()
        return torch.stack(found).detach()

    def step(self, batch, count=None):
        """One optimizer step on a batch of `count` positions, of which `batch` is this process's part."""
        for group in self.muon.param_groups + self.adam.param_groups:
            group["lr"] = learning_rate(self.settings, self.steps, self.positions)
        found = self.backward_in_processes(batch) if self.ddp_net else self.backward_in_threads(batch)
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), MAX_GRAD_NORM)
        set_matrix_gradients(self.muon, self.convolutions)
        self.muon.step()
        self.adam.step()
        self.steps += 1
        self.positions += len(batch.win) if count is None else count
        self.update_ema()
        return found.tolist()

    @torch.no_grad()
    def update_ema(self):
        """Updates the EMA of the weights and of the batch-norm statistics."""
        rate = ema_rate(self.settings["ema_decay"], self.steps)
        for ema, current in zip(self.ema.state_dict().values(), self.net.state_dict().values()):
            if ema.is_floating_point():
                ema.lerp_(current, rate)
            else:
                ema.copy_(current)

    def save(self, folder, facts):
        state = {name: part.state_dict() for name, part in self.state_parts().items()}
        path = os.path.join(folder, "state.pt")
        state |= {"settings": self.settings, "steps": self.steps, "positions": self.positions}
        checkpoint.write(path, PROGRAM, state)
        nets.save(self.ema, os.path.join(folder, "net.safetensors"), facts)

    def held_out_accuracy(self, held):
        """Positions and steps so far, and the accuracy on held-out games of each board size."""
        facts = {"positions": self.positions, "steps": self.steps}
        for size, games in held.items():
            if len(games):
                found = evaluate.accuracy(self.ema, games, self.device, HELD_OUT_GAMES)
                facts[str(size)] = {name: round(found[name], 4) for name in ("top1", "top5", "winner")}
        return facts


def read_plan(words):
    """The board size and the batch size of each step."""
    plan = []
    for word in words:
        size, _, count = word.partition(":")
        if not (size.isdecimal() and count.isdecimal() and 1 <= int(size) <= data.MAX_SIDE and int(count)):
            refuse(f"--plan {word}: expected SIZE:BATCH with a size from 1 to {data.MAX_SIDE}, such as 19:64")
        plan.append((int(size), int(count)))
    return plan


def settings_of(args, start):
    """The settings of a new run. The size of the net is that of the checkpoint `start`, if there is one."""
    settings = {name: getattr(args, name) for name in SETTINGS}
    for name, default in SIZE.items():
        expected = start["settings"][name] if start else settings[name] or default
        if settings[name] not in (None, expected):
            refuse(f"--{name} {settings[name]}: the net of --start {args.start} has {expected}")
        settings[name] = expected
    return settings


def sources(args, settings, sizes, is_quiet=False):
    """The training positions of each board size, and its held-out games: records, or self-play games if there are none.
    Prints their numbers, unless `is_quiet`."""
    train_records, held = data.load(args.records, sizes)
    train_selfplay, held_selfplay = data.load(args.selfplay, sizes)
    found = {}
    for size in sizes:
        if not is_quiet:
            print(f"games of {size}x{size}: {len(train_records[size])} of records, {len(train_selfplay[size])} of self-play, "
                  f"{len(held[size])} held out", flush=True)  # fmt: skip
        if not len(train_records[size]) and not len(train_selfplay[size]):
            refuse(f"no games on {size}x{size}: add files with such games, or change --plan")
        found[size] = data.Source(size, train_records[size], train_selfplay[size], settings["selfplay_share"])
    return found, {size: held[size] if len(held[size]) else held_selfplay[size] for size in sizes}


def main():
    args = parse_args()
    processes = Processes()
    try:
        run(args, processes)
    finally:
        processes.close()


def run(args, processes):
    device = processes.device
    threads = args.threads if device == "cpu" else 1
    torch.set_num_threads(threads)
    if processes.is_distributed:
        threads = 1  # replica; PyTorch computes it with all threads of the process
    state = os.path.join(args.work, "state.pt")
    if args.resume:
        training = Training.resume(state, device, threads, processes)
    elif processes.broadcast(lambda: os.path.exists(state)):
        refuse(f"{state} exists: continue it with --resume, or choose another folder")
    else:
        start = processes.broadcast(lambda: checkpoint.read(args.start, PROGRAM)) if args.start else None
        training = Training(settings_of(args, start), device, threads, processes)
        if start:
            training.load_weights(start["ema"])
    settings = training.settings
    plan = read_plan(settings["plan"])
    if any(count < processes.world_size for _, count in plan):
        refuse(f"--plan: expected batches of at least {processes.world_size} positions, one for each process")
    source, held = sources(args, settings, sorted({size for size, _ in plan}), not processes.is_first)
    make_folder(args.work)

    def make(number):
        size, count = plan[number % len(plan)]
        rng = np.random.default_rng((settings["seed"], number))
        return source[size].batch(count, rng, processes.rank, processes.world_size)

    stop_requested = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop_requested.append(True))
    loader = data.Loader(make, training.steps, args.feeders)
    begin = saved = time.monotonic()
    first, recent = training.positions, deque(maxlen=LOSS_WINDOW_STEPS)
    is_stopped = False
    while not is_stopped and training.positions < settings["positions"]:
        count = plan[training.steps % len(plan)][1]
        found = training.step(loader.next().to(device), count)
        # all processes stop after the same step
        stopped, *found = processes.mean([float(bool(stop_requested)), *found])
        is_stopped = stopped > 0
        recent.append(found)
        now = time.monotonic()
        if now - saved > 60 * args.save_minutes and processes.is_first:
            report(training, held, args.work, recent, (training.positions - first) / (now - begin))
            saved = time.monotonic()
    if processes.is_first:
        speed = (training.positions - first) / max(time.monotonic() - begin, 1e-9)
        report(training, held, args.work, recent, speed)
    loader.close()


def report(training, held, folder, recent, speed):
    facts = training.held_out_accuracy(held)
    training.save(folder, facts)
    loss = ""
    if recent:  # a finished run makes no steps when it is resumed
        policy, value, ownership = np.mean(recent, 0)
        loss = f"loss: policy {policy:.3f}, value {value:.3f}, ownership {ownership:.3f}; {speed:.0f} positions/s; "
    print(loss + json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
