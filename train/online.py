"""Distillation on a GPU without stored labels: each position is generated, evaluated by the teacher, and learned at once.

    python online.py WORK --teacher b15.bin.gz --engine kifuwarabe-uec14 --start net.safetensors --seconds 3600 \\
      --positions '--size 19 --records ...' '--size 9 --records ...'

Processes of the engine (`labels --walks`) follow walks: games that begin at random positions of the records and go on with
moves drawn from the policies of the teacher and the student. A search sees such positions, not only those of games. The
teacher evaluates all of them; each step of the student learns from random ones of the last, each in a random one of the
eight symmetries. On CUDA all computations are CUDA graphs.

The run writes WORK/net.safetensors, the exponential moving average (EMA) of the weights, after every report and at the end.
"""
import argparse
import copy
import json
import os
import queue
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
from distill import MAX_GRAD_NORM, WEIGHT_DECAY, WEIGHTS, format_metrics, loss_and_metrics, win_probability
from files import fraction, make_folder, natural, one_line_errors, positive, refuse
from optim import StackedMuon, ema_rate, split_weights

DEVICE = nets.DEVICE
IS_CUDA = DEVICE == "cuda"
TEACHER_TYPE = torch.float16 if IS_CUDA else torch.float32
PADDED_PLANES = 24  # input planes, padded with zeros: convolutions of a multiple of 8 channels are faster
# tensors of shards as early engines named them, and their present names
RENAMED = {"small_planes": "native_planes", "small_scalars": "native_globals"}
NEW_POSITION = 0xFFFF  # in place of a move: go on from a new position
MAX_WALK = 200  # moves of a walk, at most
# how moves are drawn: from the student's policy, from the teacher's, from the square root of the student's, from all
MOVE_SHARES = (0.55, 0.29, 0.145, 0.015)
# Where the student errs, a walk is left more rarely: the probability is divided by one more than the error of the win
# probability and that of the lead (in points), in these units.
WIN_ERROR, LEAD_ERROR = 0.05, 3.0


# ---------------------------------------------------------------- positions


class Walks:
    """A process of the engine that follows walks, and the thread that talks to it. A shard is put into `shards`, with
    these walks; `answer` takes the moves."""

    def __init__(self, engine, options, count, seed, shards):
        self.command = [*shlex.split(engine), "--set", "Net.Use=false", "labels", "--out", "-", "--threads", "1"]
        self.command += [*options, "--walks", str(count), "--seed", str(seed)]
        with one_line_errors(f"--engine {engine}"):
            pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
            # in a session of its own, so that Ctrl-C at the terminal ends the training only
            self.process = subprocess.Popen(self.command, **pipes, start_new_session=True)
        self.shards, self.answers, self.is_closed = shards, queue.Queue(), False
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            while True:
                self.shards.put((self, {name: on_host(array) for name, array in self.read().items()}))
                moves, copied = self.answers.get()
                copied.synchronize()
                self.process.stdin.write(moves.numpy().astype("<u2").tobytes())
                self.process.stdin.flush()
        except Exception as error:  # told by `next_shard`
            self.process.kill()
            self.process.wait()
            last = self.process.stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
            if not self.is_closed:
                self.shards.put((f"{shlex.join(self.command)}: {last or error}", None))

    def read(self):
        stream = self.process.stdout
        head = stream.read(8)
        if len(head) < 8:
            raise EOFError("no shard")
        header = stream.read(struct.unpack("<Q", head)[0])
        parts = [part["data_offsets"][1] for name, part in json.loads(header).items() if name != "__metadata__"]
        tensors = {RENAMED.get(name, name): tensor for name, tensor in load(head + header + stream.read(max(parts))).items()}
        names = ("planes", "globals", "legal", "native_planes", "native_globals")
        return {**{name: tensors[name] for name in names}, "walked": tensors["game"][:, 3].astype(np.int32)}

    def answer(self, moves):
        """Sends a move for each position: a policy index, or NEW_POSITION."""
        host = torch.empty(moves.shape, dtype=moves.dtype, pin_memory=IS_CUDA)
        host.copy_(moves, non_blocking=True)
        self.answers.put((host, event()))

    def close(self):
        self.is_closed = True
        self.process.kill()


def next_shard(shards, stopped=None):
    """The next shard, with its walks. Ends the program with one line if the engine failed; but the signal that sets
    `stopped` may end the engine too: then there is no shard."""
    walks, shard = shards.get()
    if isinstance(walks, str):
        if stopped and stopped.wait(1):  # the engine may get the signal first
            return None
        refuse(walks)
    return walks, shard


def on_host(array):
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    return tensor.pin_memory() if IS_CUDA else tensor


class NoEvent:
    def synchronize(self):
        pass


def event():
    """An event after what the device has been asked to do."""
    if not IS_CUDA:
        return NoEvent()
    recorded = torch.cuda.Event()
    recorded.record()
    return recorded


def synchronize():
    if IS_CUDA:
        torch.cuda.synchronize()


class Graph:
    """A function without arguments that changes tensors in place, captured as a CUDA graph."""

    def __init__(self, function):
        self.replay = function
        if not IS_CUDA:
            function()
            return
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                function()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        # the threads of the walks pin memory in the meantime, which would end a capture of all threads
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            function()
        self.replay = graph.replay


def unpack(packed, count):
    """The first `count` bits of each row of bytes, the highest bit of a byte first."""
    shifts = torch.arange(7, -1, -1, device=packed.device, dtype=torch.uint8)
    return ((packed[:, :, None] >> shifts) & 1).flatten(1)[:, :count]


def pad_planes(planes, kind):
    """Planes padded with zeros to PADDED_PLANES."""
    return F.pad(planes.to(kind), (0, 0, 0, 0, 0, PADDED_PLANES - planes.shape[1])).contiguous(memory_format=torch.channels_last)


class Student(nets.ScoreNet):
    """The net for padded planes."""

    def forward(self, planes, globals):
        stem = F.conv2d(planes, pad_inputs(self.stem.weight), self.stem.bias, padding=1)
        return self.outputs(stem, globals)


def pad_inputs(weight):
    """The weight of a convolution for padded planes."""
    return F.pad(weight, (0, 0, 0, 0, 0, PADDED_PLANES - weight.shape[1]))


class LabelBuffer:
    """The labels of the last shards of one board size, from which batches are drawn; `take` evaluates a shard of walks by the
    teacher, adds its labels, and chooses the moves."""

    def __init__(self, size, rows, batch, shards, leave, teacher, student):
        self.size, self.area, self.rows, self.batch, self.shards = size, size * size, rows, batch, shards
        self.leave, self.teacher, self.student = leave, teacher, student
        bits = lambda count: (count + 7) // 8
        zeros = lambda *shape, dtype=torch.float32: torch.zeros(*shape, dtype=dtype, device=DEVICE)
        inputs = lambda n: {
            "native_planes": zeros(n, bits(nets.SCORE_PLANES * self.area), dtype=torch.uint8),
            "native_globals": zeros(n, nets.SCORE_GLOBALS),
            "legal": zeros(n, bits(self.area + 1), dtype=torch.uint8),
        }
        self.shard = {
            **inputs(rows),
            "planes": zeros(rows, bits(katago.PLANES * self.area), dtype=torch.uint8),
            "globals": zeros(rows, katago.GLOBALS),
            "walked": zeros(rows, dtype=torch.int32),
        }
        self.shard["legal"].fill_(0xFF)
        kept = rows * shards
        self.tensors = {
            **inputs(kept),
            "policy": zeros(kept, self.area + 1, dtype=torch.float16),
            "value": zeros(kept, 3),
            "score": zeros(kept, 3),
            "ownership": zeros(kept, self.area, dtype=torch.float16),
        }
        self.count, self.filled = 0, zeros(())
        self.moves = zeros(rows, dtype=torch.int32)
        self.symmetries = torch.from_numpy(np.stack(data.symmetries(size))).to(DEVICE)
        self.graph = Graph(self.label)

    @torch.no_grad()
    def label(self):
        """Evaluates the shard, and draws a move for each position."""
        shard, size = self.shard, self.size
        legal = unpack(shard["legal"], self.area + 1).bool()
        planes = unpack(shard["planes"], katago.PLANES * self.area).view(-1, katago.PLANES, size, size)
        out = self.teacher(pad_planes(planes, TEACHER_TYPE), shard["globals"].to(TEACHER_TYPE))
        policy = out.policy.masked_fill(~legal, -torch.inf).softmax(1)
        self.labels = {
            **{name: shard[name] for name in ("native_planes", "native_globals", "legal")},
            "policy": policy.half(), "value": out.value.softmax(1),
            "score": torch.stack([out.score, out.score_stdev, out.lead], 1), "ownership": out.ownership.half(),
        }  # fmt: skip
        native = unpack(shard["native_planes"], nets.SCORE_PLANES * self.area).view(-1, nets.SCORE_PLANES, size, size)
        with torch.autocast(DEVICE, torch.bfloat16, cache_enabled=False):
            own = self.student(pad_planes(native, torch.bfloat16), shard["native_globals"])
        own_policy = own.policy.masked_fill(~legal, -torch.inf).softmax(1)
        moves = drawn(self.weights(own_policy, policy, legal))
        leave = self.leave / (1 + error(own, out))
        left = (torch.rand(self.rows, device=DEVICE) < leave) | (shard["walked"] >= MAX_WALK)
        self.moves.copy_(torch.where(left, NEW_POSITION, moves))

    def weights(self, own, policy, legal):
        """The weights of the moves of each position."""
        flat = own.sqrt()
        bounds = np.cumsum(MOVE_SHARES)
        kind = torch.rand(self.rows, 1, device=DEVICE)
        others = torch.where(kind < bounds[2], flat, legal.float())
        return torch.where(kind < bounds[0], own, torch.where(kind < bounds[1], policy, others))

    def take(self, walks, shard):
        """Evaluates the shard of some walks, answers with moves, and adds the labels to the buffer."""
        for name, tensor in shard.items():
            self.shard[name].copy_(tensor, non_blocking=True)
        self.graph.replay()
        walks.answer(self.moves)
        first = self.count % self.shards * self.rows
        for name, tensor in self.labels.items():
            self.tensors[name][first : first + self.rows].copy_(tensor)
        self.count += 1
        self.filled.fill_(min(self.count, self.shards) * self.rows)

    def draw(self):
        """A batch of random labels of the buffer, each in a random symmetry."""
        rows = (torch.rand(self.batch, device=DEVICE) * self.filled).long().clamp_max(self.rows * self.shards - 1)
        labels = {name: tensor[rows] for name, tensor in self.tensors.items()}
        return self.as_batch(labels, self.symmetries[torch.randint(8, (self.batch,), device=DEVICE)])

    def as_batch(self, labels, source):
        """Labels under a symmetry, given by the source of each point: what `loss_and_metrics` takes."""
        n, area, size = len(source), self.area, self.size
        planes = unpack(labels["native_planes"], nets.SCORE_PLANES * area).view(n, nets.SCORE_PLANES, area)
        planes = planes.gather(2, source[:, None, :].expand(-1, nets.SCORE_PLANES, -1)).view(n, -1, size, size)
        moves = F.pad(source, (0, 1), value=area)
        policy = labels["policy"].float().gather(1, moves)
        return (
            pad_planes(planes, torch.bfloat16 if IS_CUDA else torch.float32), labels["native_globals"],
            unpack(labels["legal"], area + 1).gather(1, moves).bool(), policy / policy.sum(1, keepdim=True),
            labels["value"], labels["score"], labels["ownership"].float().gather(1, source),
        )  # fmt: skip

    def held_out(self, shard):
        """The labels of a shard as a batch."""
        for name, tensor in shard.items():
            self.shard[name].copy_(tensor)
        self.graph.replay()
        return self.as_batch({name: tensor.clone() for name, tensor in self.labels.items()}, self.symmetries[:1].expand(self.rows, -1))


def error(student, teacher):
    """The student's error at each position, in the units WIN_ERROR and LEAD_ERROR."""
    win = win_probability(student.value.float().softmax(1)) - win_probability(teacher.value.float().softmax(1))
    lead = student.lead.float() - teacher.lead.float()
    return win.abs() / WIN_ERROR + lead.abs() / LEAD_ERROR


def drawn(weights):
    """For each row a column, drawn in proportion to the weights (Gumbel's method)."""
    noise = -torch.log(-torch.log(torch.rand_like(weights).clamp(1e-9, 1 - 1e-7)))
    return (weights.log() + noise).argmax(1)


# ---------------------------------------------------------------- training


class Run:
    """The student, its optimizers, and the EMA of its weights."""

    def __init__(self, student, buffers, ema_decay, value_weight):
        self.student, self.buffers, self.ema_decay, self.steps = student, buffers, ema_decay, 0
        self.weights = {**WEIGHTS, "value": value_weight}
        self.parameters = list(student.parameters())
        self.ema = [weight.detach().clone() for weight in self.parameters]
        convolutions, others = split_weights(student)
        self.rate, self.ema_rate = (torch.zeros((), device=DEVICE) for _ in range(2))
        self.muon = StackedMuon(convolutions, self.rate, WEIGHT_DECAY)
        self.adam = torch.optim.AdamW(others, lr=self.rate, weight_decay=WEIGHT_DECAY, betas=(0.9, 0.99), fused=IS_CUDA, capturable=IS_CUDA)
        self.sums = [torch.zeros(6, dtype=torch.double, device=DEVICE) for _ in buffers]
        self.summed = 0
        self.batches = [buffer.draw() for buffer in buffers]
        self.draw = Graph(self.draw_batches)
        self.graph = Graph(self.update)  # at the rate 0
        self.muon.reset()
        for state in self.adam.state.values():
            for tensor in state.values():
                tensor.zero_()
        self.reset_sums()

    def reset_sums(self):
        for total in self.sums:
            total.zero_()
        self.summed = 0

    def draw_batches(self):
        for kept, buffer in zip(self.batches, self.buffers):
            for to, tensor in zip(kept, buffer.draw()):
                to.copy_(tensor)

    def update(self):
        """A step of the optimizers on the batches."""
        for weight in self.parameters:
            weight.grad = None
        for batch, sums in zip(self.batches, self.sums):
            total, metrics = loss_and_metrics(self.student, batch, IS_CUDA, self.weights)
            total.backward()
            sums += metrics
        gradients = [weight.grad for weight in self.parameters]
        norm = torch.stack(torch._foreach_norm(gradients)).norm()
        torch._foreach_mul_(gradients, (MAX_GRAD_NORM / (norm + 1e-6)).clamp(max=1.0))
        self.muon.step()
        self.adam.step()
        with torch.no_grad():
            for ema, weight in zip(self.ema, self.parameters):
                ema.lerp_(weight, self.ema_rate)

    def step(self, rate):
        self.steps += 1
        self.summed += 1
        self.rate.fill_(rate)
        self.ema_rate.fill_(ema_rate(self.ema_decay, self.steps))
        self.draw.replay()
        self.graph.replay()

    def ema_net(self):
        """The net with the EMA of the weights."""
        net = copy.deepcopy(self.student)
        for weight, ema in zip(net.parameters(), self.ema):
            weight.data.copy_(ema)
        return net

    def report(self, held):
        """Prints the metrics of the steps since the last report, and of the held-out positions."""
        net = self.ema_net()
        for buffer, sums, batch in zip(self.buffers, self.sums, held):
            shape = buffer.size, buffer.size
            if self.summed:
                print("  training " + format_metrics(shape, (sums / self.summed).tolist()))
            with torch.no_grad():
                metrics = loss_and_metrics(net, batch, IS_CUDA, self.weights)[1]
            print("  held out " + format_metrics(shape, metrics.tolist()), flush=True)
        self.reset_sums()


def rate_at(share, steps, args):
    """The learning rate after a share of the run: it rises for some steps, stays, and falls linearly to 0."""
    return args.rate * min(1.0, (steps + 1) / args.warmup, max(0.0, 1 - share) / (1 - args.flat))


def parse_args(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", metavar="WORK", help="output folder")
    parser.add_argument("--teacher", required=True, metavar="FILE", help="net of KataGo, model version 8")
    parser.add_argument("--start", required=True, metavar="FILE", help="net of this project whose weights are the initial weights")
    parser.add_argument("--channels", type=positive, help="default: those of --start; a net with more of them has the same outputs at first")
    parser.add_argument("--blocks", type=positive, help="default: those of --start, as --channels")
    parser.add_argument("--engine", default="kifuwarabe-uec14", help="the program that generates positions")
    parser.add_argument("--positions", nargs="+", required=True, metavar="OPTIONS",
                        help="options of the engine's `labels`, one string for each board size; each needs --size and --records")  # fmt: skip
    parser.add_argument("--seconds", type=float, required=True, help="length of the run; a run cannot be continued")
    parser.add_argument("--shares", type=float, nargs="+", metavar="SHARE",
                        help="shares of the board sizes in processes, shards and batches, one for each of --positions; equal by default")  # fmt: skip
    parser.add_argument("--processes", type=positive, default=max(1, (os.cpu_count() or 2) // 3), help="processes of the engine for each board size, on average")
    parser.add_argument("--shard", type=positive, default=138_624, help="mean size of a shard in board points: 138624 is 384 positions of 19x19")
    parser.add_argument("--batch", type=positive, default=92_416, help="mean size of a batch in board points: 92416 is 256 positions of 19x19")
    parser.add_argument("--buffer-shards", type=positive, default=200, metavar="N", help="batches are drawn from the last N shards of each board size")
    parser.add_argument("--steps-per-shard", type=positive, default=3, metavar="N", help="steps after each shard of each board size")
    parser.add_argument("--leave", type=fraction, default=0.2, metavar="P",
                        help="probability that a walk is left after a move where the student is exact; lower where it errs")  # fmt: skip
    parser.add_argument("--rate", type=float, default=1e-3, help="peak learning rate")
    parser.add_argument("--warmup", type=positive, default=200, help="steps at the beginning over which the learning rate rises")
    parser.add_argument("--flat", type=float, default=0.2, help="share of the run after which the learning rate falls")
    parser.add_argument("--ema-decay", type=fraction, default=0.999, metavar="DECAY", help="decay of the exponential moving average (EMA) of the weights, per step")
    parser.add_argument("--value-weight", type=float, default=1.5, help="weight of win, loss and no result in the loss")
    parser.add_argument("--held-out", type=positive, default=1024, metavar="N", help="held-out positions of each board size, for the metrics")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two reports")
    parser.add_argument("--seed", type=natural, default=1)
    args = parser.parse_args(arguments)
    if not 0 <= args.flat < 1:
        parser.error(f"argument --flat: expected 0 or more and less than 1, found {args.flat:g}")
    return args


def board_size(options):
    size = options[options.index("--size") + 1] if "--size" in options[:-1] else ""
    if not size.isdecimal() or not 1 <= int(size) <= data.MAX_SIDE:
        refuse(f"--positions {shlex.join(options)}: expected --size with a number from 1 to {data.MAX_SIDE}")
    return int(size)


def relative(shares, count):
    """The shares of the board sizes, divided by their mean."""
    if shares is None:
        return [1.0] * count
    if len(shares) != count or min(shares) <= 0:
        refuse(f"--shares {' '.join(map(str, shares))}: expected a positive number for each of --positions, {count}")
    return [share * count / sum(shares) for share in shares]


def main(arguments=None):
    args = parse_args(arguments)
    begun = time.monotonic()
    torch.manual_seed(args.seed)
    teacher = katago.read(args.teacher)[0].eval().requires_grad_(False)
    teacher.stem.weight.data = pad_inputs(teacher.stem.weight.data)
    teacher = teacher.to(DEVICE, TEACHER_TYPE, memory_format=torch.channels_last)
    started = nets.load_grown(args.start, args.channels, args.blocks)
    student = Student(started.channels, len(started.blocks))
    student.load_state_dict(started.state_dict())
    student = student.to(DEVICE, memory_format=torch.channels_last)
    make_folder(args.work)

    buffers, queues, walks, held = [], [], [], []
    for options, share in zip(map(shlex.split, args.positions), relative(args.shares, len(args.positions))):
        size = board_size(options)
        rows, batch = (max(8, int(points * share) // size**2) for points in (args.shard, args.batch))
        processes = max(1, round(args.processes * share))
        buffer = LabelBuffer(size, rows, batch, args.buffer_shards, args.leave, teacher, student)
        shards, held_out = queue.Queue(), queue.Queue()
        held_walks = Walks(args.engine, [*options, "--held-out"], args.held_out, args.seed, held_out)
        walks += [held_walks, *(Walks(args.engine, options, rows, args.seed + 1 + n, shards) for n in range(processes))]
        evaluator = LabelBuffer(size, args.held_out, 1, 1, 0, teacher, student)
        held.append(evaluator.held_out(next_shard(held_out)[1]))
        held_walks.close()
        buffer.take(*next_shard(shards))
        buffers.append(buffer), queues.append(shards)
    run = Run(student, buffers, args.ema_decay, args.value_weight)
    print(f"{student.parameter_count()} weights, {DEVICE}, {time.monotonic() - begun:.0f} s", flush=True)
    run.report(held)

    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    start = last = time.monotonic()
    end = begun + args.seconds
    if start >= end:
        refuse(f"--seconds {args.seconds:g}: the start alone took {start - begun:.0f} s")
    while (share := (time.monotonic() - start) / (end - start)) < 1 and not stopped.is_set():
        for buffer, shards in zip(buffers, queues):
            if taken := next_shard(shards, stopped):
                buffer.take(*taken)
        for _ in range(args.steps_per_shard):
            run.step(rate_at(share, run.steps, args))
        synchronize()
        if time.monotonic() - last > args.every:
            last = time.monotonic()
            print(f"step {run.steps}, {last - begun:.0f} s, {sum(buffer.count * buffer.rows for buffer in buffers)} positions")
            run.report(held)
            save(run, args)
    print(f"step {run.steps}, end")
    run.report(held)
    save(run, args)
    for each in walks:
        each.close()


def save(run, args):
    nets.save(run.ema_net(), os.path.join(args.work, "net.safetensors"), {"steps": run.steps})


if __name__ == "__main__":
    main()
