#!/usr/bin/env python3
"""Trains a net on game records and on games of self-play.

WORK/net.safetensors is what the engine reads: the mean of the weights of the last steps. WORK/state.pt is what --resume
goes on from, in the middle of the schedule. Both are written now and then, at the end, and when the run is interrupted.

Several processes, on one machine or many, each learn from their part of every batch if `torchrun` starts them; the first
one writes.
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

import data
import evaluate
import net as nets

WARM_UP = 300  # steps
WEIGHT_DECAY = 1e-2  # of matrices, not of biases and norms
MOST_GRADIENT = 5.0
REPORTED = 200  # steps whose mean loss is printed
ASKED = 700  # held-out games of each size that are asked about whenever the net is written


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", metavar="WORK", help="folder of what is written")
    parser.add_argument("--records", nargs="*", default=[], metavar="FILE", help="tables of records")
    parser.add_argument("--selfplay", nargs="*", default=[], metavar="FILE", help="games of self-play: *.jsonl, *.parquet, or folders of these")
    parser.add_argument("--resume", action="store_true", help="go on with WORK/state.pt and its settings")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(),
                        help="processors that learn, each from its part of every batch; a GPU is one")  # fmt: skip
    parser.add_argument("--feeders", type=int, default=1, help="threads that make batches; a GPU needs a dozen")
    parser.add_argument("--save-minutes", type=float, default=5, help="how often the net is written")
    group = parser.add_argument_group("settings of a new run")
    group.add_argument("--start", metavar="FILE", help="the state.pt of another run, whose weights are the first ones")
    group.add_argument("--channels", type=int, default=64)
    group.add_argument("--blocks", type=int, default=6)
    group.add_argument("--positions", type=float, default=2.5e6, help="to learn from: the length of the schedule")
    group.add_argument("--plan", nargs="+", default=["19:64"] * 3 + ["9:128"], metavar="SIZE:BATCH",
                       help="boards and batches of the steps, in turns")  # fmt: skip
    group.add_argument("--rate", type=float, default=3e-3, help="greatest learning rate")
    group.add_argument("--selfplay-share", type=float, default=0.5, help="of positions, where there are both sources")
    group.add_argument("--value-weight", type=float, default=0.5, help="of the loss of the value")
    group.add_argument("--ownership-weight", type=float, default=0.25, help="of the loss of ownership")
    group.add_argument("--mean", type=float, default=0.999, help="how much of the mean of the weights a step leaves")
    group.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


SETTINGS = ("channels", "blocks", "positions", "plan", "rate", "selfplay_share", "value_weight", "ownership_weight",
            "mean", "seed")  # fmt: skip


def learning_rate(settings, step, positions):
    """A warm-up by steps, then half a cosine by positions."""
    done = min(positions / settings["positions"], 1)
    return settings["rate"] * min(1, (step + 1) / WARM_UP) * max(0.5 * (1 + math.cos(math.pi * done)), 0.01)


def losses(net, batch, device):
    """Those of the policy, the value and ownership, each a mean over the positions of which it is known."""
    planes = batch.planes.float().contiguous(memory_format=torch.channels_last)
    with torch.autocast(device, torch.bfloat16):
        policy, value, ownership = (out.float() for out in net(planes, batch.scalars))
    nothing = torch.zeros((), device=device)
    of_policy = -(batch.policy * F.log_softmax(policy, 1)).sum(1).mean()
    known = batch.win >= 0
    of_value = F.binary_cross_entropy_with_logits(value[known], batch.win[known]) if known.any() else nothing
    known = batch.ownership[:, 0] != data.UNKNOWN
    owned = (batch.ownership[known].float() + 1) / 2
    of_ownership = F.binary_cross_entropy_with_logits(ownership[known], owned) if known.any() else nothing
    return of_policy, of_value, of_ownership


def optimizers(net):
    """Muon for the 3x3 convolutions, AdamW for all else.

    Muon (K. Jordan, "Muon: An optimizer for hidden layers in neural networks", 2024) takes matrices: here one row for
    each channel that is made. Its steps are scaled to the length of AdamW's, so that one rate suits both.
    """
    convolutions = [convolution.weight for _, convolution, _ in net.normalised()]
    # the weights themselves, seen as matrices: view() refuses where that would be a copy
    matrices = [weight.detach().permute(0, 2, 3, 1).view(len(weight), -1) for weight in convolutions]
    others = [p for p in net.parameters() if not any(p is weight for weight in convolutions)]
    decayed = {"params": [p for p in others if p.dim() > 1], "weight_decay": WEIGHT_DECAY}
    kept = {"params": [p for p in others if p.dim() <= 1], "weight_decay": 0}
    muon = torch.optim.Muon(matrices, weight_decay=WEIGHT_DECAY, adjust_lr_fn="match_rms_adamw")
    return muon, torch.optim.AdamW([decayed, kept])


class Processes:
    """The processes of a run: one, or those that torchrun started, which learn together by PyTorch's DistributedDataParallel."""

    def __init__(self):
        self.number, self.rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
        self.is_first, self.are_several = self.rank == 0, self.number > 1
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        if self.are_several:
            if self.device == "cuda":
                torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
            dist.init_process_group("nccl" if self.device == "cuda" else "gloo")
            # what processes tell each other about a step needs no GPU
            self.group = dist.new_group(backend="gloo")

    def wrapped(self, net):
        """The net whose gradients are the means over all processes."""
        gpus = [torch.cuda.current_device()] if self.device == "cuda" else None
        # without known results or owners, a batch leaves a head without gradient
        return DistributedDataParallel(net, device_ids=gpus, find_unused_parameters=True)

    def mean(self, numbers):
        """The means of numbers over the processes."""
        if not self.are_several:
            return numbers
        sums = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(sums, group=self.group)
        return (sums / self.number).tolist()

    def from_first(self, make):
        """The value of the first process, in all processes."""
        if not self.are_several:
            return make()
        value = [make() if self.is_first else None]
        dist.broadcast_object_list(value, group=self.group)
        return value[0]

    def close(self):
        if self.are_several:
            dist.destroy_process_group()


class Training:
    """A net on its way: all that a run needs to go on from here.

    Each of `threads` learns from its part of a batch; that is faster than to share out every convolution.
    They have the same weights; of what batch normalisation keeps each has its own, and the first one's is the net's.
    """

    def __init__(self, settings, device, threads=1, processes=None):
        torch.manual_seed(settings["seed"])
        self.settings, self.device = settings, device
        self.net = nets.Net(settings["channels"], settings["blocks"]).to(device).to(memory_format=torch.channels_last)
        self.mean = copy.deepcopy(self.net).eval()
        shared = {id(p): p for p in self.net.parameters()}
        self.parts = [self.net] + [copy.deepcopy(self.net, dict(shared)) for _ in range(threads - 1)]
        self.pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
        self.muon, self.adam = optimizers(self.net)
        self.processes = processes
        self.shared = processes.wrapped(self.net) if processes and processes.are_several else None
        self.steps = self.positions = 0

    @staticmethod
    def resumed(path, device, threads=1, processes=None):
        load = lambda: torch.load(path, map_location="cpu")
        state = processes.from_first(load) if processes else load()
        training = Training(state["settings"], device, threads, processes)
        for part in ("net", "mean", "muon", "adam"):
            getattr(training, part).load_state_dict(state[part])
        training.steps, training.positions = state["steps"], state["positions"]
        return training

    def begin_from(self, path):
        """Takes over the weights of another run."""
        load = lambda: torch.load(path, map_location="cpu")["mean"]
        weights = self.processes.from_first(load) if self.processes else load()
        self.net.load_state_dict(weights)
        self.mean.load_state_dict(weights)

    def weighted(self, found):
        weights = (1, self.settings["value_weight"], self.settings["ownership_weight"])
        return sum(weight * loss for weight, loss in zip(weights, found))

    def learn(self, net, batch):
        """The losses of a part of a batch, and their gradient."""
        found = losses(net, batch, self.device)
        gradient = torch.autograd.grad(self.weighted(found), list(self.net.parameters()), allow_unused=True)
        return torch.stack(found).detach(), gradient

    def learn_by_threads(self, batch):
        """The losses of a batch, of which each thread takes a part; leaves the gradient in the net."""
        batches = [data.Batch(*parts) for parts in zip(*(tensor.chunk(len(self.parts)) for tensor in batch))]
        found, gradients = zip(*self.pool.map(self.learn, self.parts, batches))
        for parameter, parts in zip(self.net.parameters(), zip(*gradients)):
            known = [part for part in parts if part is not None]
            parameter.grad = sum(known) / len(batches) if known else None
        return sum(found) / len(found)

    def learn_by_processes(self, batch):
        """The losses of this process's part of a batch; leaves the mean gradient of all processes in the net."""
        self.net.zero_grad(set_to_none=True)
        found = losses(self.shared, batch, self.device)
        self.weighted(found).backward()
        return torch.stack(found).detach()

    def step(self, batch, count=None):
        """Learns from a batch of `count` positions, of which `batch` has this process's part."""
        for group in self.muon.param_groups + self.adam.param_groups:
            group["lr"] = learning_rate(self.settings, self.steps, self.positions)
        found = self.learn_by_processes(batch) if self.shared else self.learn_by_threads(batch)
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), MOST_GRADIENT)
        for matrix, (_, convolution, _) in zip(self.muon.param_groups[0]["params"], self.net.normalised()):
            matrix.grad = convolution.weight.grad.permute(0, 2, 3, 1).flatten(1)
        self.muon.step()
        self.adam.step()
        self.steps += 1
        self.positions += len(batch.win) if count is None else count
        self.follow()
        return found.tolist()

    @torch.no_grad()
    def follow(self):
        """Moves the mean of the weights, and of what batch normalisation keeps, a little towards the present ones."""
        leaves = min(self.settings["mean"], (1 + self.steps) / (10 + self.steps))
        for mean, now in zip(self.mean.state_dict().values(), self.net.state_dict().values()):
            if mean.is_floating_point():
                mean.lerp_(now, 1 - leaves)
            else:
                mean.copy_(now)

    def save(self, folder, facts):
        state = {part: getattr(self, part).state_dict() for part in ("net", "mean", "muon", "adam")}
        path = os.path.join(folder, "state.pt")
        state |= {"settings": self.settings, "steps": self.steps, "positions": self.positions}
        torch.save(state, path + ".tmp")
        os.replace(path + ".tmp", path)
        nets.save(self.mean, os.path.join(folder, "net.safetensors"), facts)

    def judged(self, held):
        """The evaluation of the net: figures of held-out games by size of board."""
        facts = {"positions": self.positions, "steps": self.steps}
        for size, games in held.items():
            if len(games):
                found = evaluate.figures(self.mean, games, self.device, ASKED)
                facts[str(size)] = {name: round(found[name], 4) for name in ("top1", "top5", "winner")}
        return facts


def read_plan(words):
    return [tuple(int(number) for number in word.split(":")) for word in words]


def sources(args, settings, sizes):
    """Where positions come from, and the games held out: of records, or of self-play where there are no records."""
    learned, held = data.load(args.records, sizes)
    learned_selfplay, held_selfplay = data.load(args.selfplay, sizes)
    found = {}
    for size in sizes:
        counts = {"records": len(learned[size]), "self-play": len(learned_selfplay[size]), "held out": len(held[size])}
        print(f"{size}x{size}:", ", ".join(f"{count} games {name}" for name, count in counts.items()), flush=True)
        if not len(learned[size]) and not len(learned_selfplay[size]):
            raise SystemExit(f"no games on {size}x{size}: name files that have some, or another --plan")
        found[size] = data.Source(size, learned[size], learned_selfplay[size], settings["selfplay_share"])
    return found, {size: held[size] if len(held[size]) else held_selfplay[size] for size in sizes}


def main():
    args = arguments()
    processes = Processes()
    try:
        run(args, processes)
    finally:
        processes.close()


def run(args, processes):
    device = processes.device
    threads = args.threads if device == "cpu" else 1
    torch.set_num_threads(threads)
    if processes.are_several:
        threads = 1  # of parts; each process computes its part with all of its threads
    os.makedirs(args.work, exist_ok=True)
    state = os.path.join(args.work, "state.pt")
    if args.resume:
        training = Training.resumed(state, device, threads, processes)
    elif processes.from_first(lambda: os.path.exists(state)):
        raise SystemExit(f"{state} is there already: --resume goes on with it")
    else:
        training = Training({name: getattr(args, name) for name in SETTINGS}, device, threads, processes)
        if args.start:
            training.begin_from(args.start)
    settings = training.settings
    plan = read_plan(settings["plan"])
    if any(count < processes.number for _, count in plan):
        raise SystemExit(f"--plan: expected batches of at least {processes.number} positions, one for each process")
    source, held = sources(args, settings, sorted({size for size, _ in plan}))

    def make(number):
        size, count = plan[number % len(plan)]
        rng = np.random.default_rng((settings["seed"], number))
        return source[size].batch(count, rng, processes.rank, processes.number)

    is_told_to_stop = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: is_told_to_stop.append(True))
    loader = data.Loader(make, training.steps, args.feeders)
    begin = saved = time.monotonic()
    first, recent = training.positions, deque(maxlen=REPORTED)
    is_stopped = False
    while not is_stopped and training.positions < settings["positions"]:
        count = plan[training.steps % len(plan)][1]
        found = training.step(loader.next().to(device), count)
        # all processes stop after the same step
        stopped, *found = processes.mean([float(bool(is_told_to_stop)), *found])
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
    facts = training.judged(held)
    training.save(folder, facts)
    policy, value, ownership = np.mean(recent, 0) if recent else [float("nan")] * 3
    print(f"loss: policy {policy:.3f}, value {value:.3f}, ownership {ownership:.3f}; {speed:.0f} positions/s;",
          json.dumps(facts), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
