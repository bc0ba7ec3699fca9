#!/usr/bin/env python3
"""Trains a net on game records and on games of self-play.

WORK/net.safetensors is what the engine reads: the mean of the weights of the last steps. WORK/state.pt is what --resume
goes on from, in the middle of the schedule. Both are written now and then, at the end, and when the run is interrupted.
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
import torch.nn.functional as F

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
    parser.add_argument("--selfplay", nargs="*", default=[], metavar="FILE", help="games of self-play, *.jsonl")
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


class Training:
    """A net on its way: all that a run needs to go on from here.

    Each of `threads` learns from its part of a batch; that is faster than to share out every convolution.
    They have the same weights; of what batch normalisation keeps each has its own, and the first one's is the net's.
    """

    def __init__(self, settings, device, threads=1):
        torch.manual_seed(settings["seed"])
        self.settings, self.device = settings, device
        self.net = nets.Net(settings["channels"], settings["blocks"]).to(device).to(memory_format=torch.channels_last)
        self.mean = copy.deepcopy(self.net).eval()
        shared = {id(p): p for p in self.net.parameters()}
        self.parts = [self.net] + [copy.deepcopy(self.net, dict(shared)) for _ in range(threads - 1)]
        self.pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
        self.muon, self.adam = optimizers(self.net)
        self.steps = self.positions = 0

    @staticmethod
    def resumed(path, device, threads=1):
        state = torch.load(path, map_location="cpu")
        training = Training(state["settings"], device, threads)
        for part in ("net", "mean", "muon", "adam"):
            getattr(training, part).load_state_dict(state[part])
        training.steps, training.positions = state["steps"], state["positions"]
        return training

    def begin_from(self, path):
        """Takes over the weights of another run."""
        weights = torch.load(path, map_location="cpu")["mean"]
        self.net.load_state_dict(weights)
        self.mean.load_state_dict(weights)

    def learn(self, net, batch):
        """The losses of a part of a batch, and their gradient."""
        found = losses(net, batch, self.device)
        weights = (1, self.settings["value_weight"], self.settings["ownership_weight"])
        total = sum(weight * loss for weight, loss in zip(weights, found))
        gradient = torch.autograd.grad(total, list(self.net.parameters()), allow_unused=True)
        return torch.stack(found).detach(), gradient

    def step(self, batch):
        for group in self.muon.param_groups + self.adam.param_groups:
            group["lr"] = learning_rate(self.settings, self.steps, self.positions)
        batches = [data.Batch(*parts) for parts in zip(*(tensor.chunk(len(self.parts)) for tensor in batch))]
        found, gradients = zip(*self.pool.map(self.learn, self.parts, batches))
        for parameter, parts in zip(self.net.parameters(), zip(*gradients)):
            known = [part for part in parts if part is not None]
            parameter.grad = sum(known) / len(batches) if known else None
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), MOST_GRADIENT)
        for matrix, (_, convolution, _) in zip(self.muon.param_groups[0]["params"], self.net.normalised()):
            matrix.grad = convolution.weight.grad.permute(0, 2, 3, 1).flatten(1)
        self.muon.step()
        self.adam.step()
        self.steps += 1
        self.positions += len(batch.win)
        self.follow()
        return (sum(found) / len(found)).tolist()

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
        """What is known of the net: figures of held-out games by size of board."""
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
    device = "cuda" if torch.cuda.is_available() else "cpu"
    threads = args.threads if device == "cpu" else 1
    torch.set_num_threads(threads)
    os.makedirs(args.work, exist_ok=True)
    state = os.path.join(args.work, "state.pt")
    if args.resume:
        training = Training.resumed(state, device, threads)
    elif os.path.exists(state):
        raise SystemExit(f"{state} is there already: --resume goes on with it")
    else:
        training = Training({name: getattr(args, name) for name in SETTINGS}, device, threads)
        if args.start:
            training.begin_from(args.start)
    settings = training.settings
    plan = read_plan(settings["plan"])
    source, held = sources(args, settings, sorted({size for size, _ in plan}))

    def make(number):
        size, count = plan[number % len(plan)]
        return source[size].batch(count, np.random.default_rng((settings["seed"], number)))

    is_told_to_stop = []
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, lambda *_: is_told_to_stop.append(True))
    loader = data.Loader(make, training.steps, args.feeders)
    begin = saved = time.monotonic()
    first, recent = training.positions, deque(maxlen=REPORTED)
    while not is_told_to_stop and training.positions < settings["positions"]:
        recent.append(training.step(loader.next().to(device)))
        now = time.monotonic()
        if now - saved > 60 * args.save_minutes:
            report(training, held, args.work, recent, (training.positions - first) / (now - begin))
            saved = time.monotonic()
    report(training, held, args.work, recent, (training.positions - first) / max(time.monotonic() - begin, 1e-9))
    loader.close()


def report(training, held, folder, recent, speed):
    facts = training.judged(held)
    training.save(folder, facts)
    policy, value, ownership = np.mean(recent, 0) if recent else [float("nan")] * 3
    print(f"loss: policy {policy:.3f}, value {value:.3f}, ownership {ownership:.3f}; {speed:.0f} positions/s;",
          json.dumps(facts), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
