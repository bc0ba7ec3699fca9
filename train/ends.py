"""Fine-tuning on the ends of games: a `kifuwarabe-net-2` learns the counted scores of finished games.

    python ends.py WORK --start net.safetensors --ends ends19 ends9 --keep positions19 positions9

`kifuwarabe-uec14 labels` writes all folders: with `--ends`, final positions with the points of the recorded result, which
are the target of the lead; without it, the positions of `--keep`. Their targets are the outputs of the net of `--start`,
so that it changes at the ends of games and little elsewhere.

The run writes WORK/net.safetensors, which holds the exponential moving average (EMA) of the weights, and WORK/state.pt,
the checkpoint from which the same command continues. Ctrl-C and SIGTERM end it after the current step. Each step uses one
batch of each board size of each kind, with a random one of the eight symmetries. The training loop and the options are
those of distill.py.
"""
import argparse
import copy

import torch
from torch.nn import functional as F

import distill
import net as nets
from files import positive

# Weights of the two terms of the loss at an end. The loss at kept positions starts with gradient 0. The Huber loss is linear
# beyond one point, so a wrong margin has a bounded gradient.
LEAD_WEIGHT, VALUE_WEIGHT = 0.5, 0.3
MIN_ROWS = 4  # of each board size in a batch


class Ends(distill.Positions):
    """Final positions of one board size, with the margins by which the side to move won."""

    NAMES = (*distill.Positions.NAMES, "margin")
    ORIGIN = "`labels --ends`"
    NAME, METRIC = "ends", "exact"

    def loss_and_metric(self, run, net, indices, symmetry):
        """The loss of a net at some rows, and the share of leads within half a point of the margin."""
        planes, globals, _ = self.inputs(indices, symmetry, run.device)
        out, margin = run.outputs(net, planes, globals), self.floats("margin", indices, run.device).squeeze(1)
        win = (margin.sign() + 1) / 2
        result = torch.stack([win, 1 - win, torch.zeros_like(win)], 1)
        loss = LEAD_WEIGHT * F.huber_loss(out.lead, margin) + VALUE_WEIGHT * F.cross_entropy(out.value, result)
        return loss, ((out.lead - margin).abs() < 0.5).float().mean().item()


class Kept(distill.Positions):
    """Positions of one board size at which the outputs of the first net are kept."""

    NAME, METRIC = "keep", "lead error"

    def loss_and_metric(self, run, net, indices, symmetry):
        """The loss of a net at some rows, and the difference of its leads from the first net's."""
        planes, globals, legal = self.inputs(indices, symmetry, run.device)
        with torch.no_grad():
            out = run.outputs(run.start, planes, globals)
        policy = out.policy.masked_fill(~legal, -1e9).softmax(1)
        score = torch.stack([out.score, out.score_stdev, out.lead], 1)
        batch = planes, globals, legal, policy, out.value.softmax(1), score, out.ownership
        loss, metrics = distill.loss_and_metrics(net, batch, run.args.bfloat16)
        return loss, metrics[distill.METRICS.index(self.METRIC)].item()


def rows_per_batch(boards, batch):
    """Each board size with its number of rows in a batch of about `batch` points. Each row of all sizes is equally likely."""
    points = sum(len(rows) * rows.area for rows in boards)
    return [(rows, max(MIN_ROWS, round(batch * len(rows) / points))) for rows in boards]


class Run(distill.Training):
    """The training of a net on the ends of games."""

    PROGRAM = "ends.py"

    def __init__(self, args):
        torch.manual_seed(args.seed)
        self.start = nets.load_score_net(args.start, [nets.ScoreNet]).to(nets.DEVICE, memory_format=torch.channels_last)
        super().__init__(args, copy.deepcopy(self.start), nets.DEVICE)

    def save_net(self, path):
        nets.save(self.ema.module, path + ".safetensors", {"steps": self.step, "sources": self.args.ends})

    def outputs(self, net, planes, globals):
        with torch.autocast(self.device, torch.bfloat16, enabled=self.args.bfloat16, cache_enabled=False):
            return net(planes, globals)

    def train_step(self, sources):
        """One optimizer step; returns the metric of each batch. A source is rows and their number in a batch."""
        self.net.zero_grad()
        metrics = []
        for rows, count in sources:
            indices, symmetry = self.rng.integers(len(rows), size=count), int(self.rng.integers(8))
            loss, metric = rows.loss_and_metric(self, self.net, indices, symmetry)
            loss.backward()
            metrics.append(metric)
        self.update()
        return metrics

    @torch.no_grad()
    def exact_share(self, ends):
        """The share of ends at which the lead of the EMA weights is within half a point of the margin."""
        return distill.mean_over(ends, lambda indices: ends.loss_and_metric(self, self.ema, indices, 0)[1])


def parse_args(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", metavar="WORK", help="output folder")
    parser.add_argument("--start", required=True, metavar="FILE", help="net whose weights are the initial ones")
    parser.add_argument("--ends", nargs="+", required=True, metavar="FOLDER", help="folders that labels --ends has written")
    parser.add_argument("--keep", nargs="+", required=True, metavar="FOLDER", help="folders of positions at which the outputs are kept")
    parser.add_argument("--held-out", nargs="+", default=[], metavar="FOLDER", help="folders of held-out ends, for the report")
    distill.add_training_options(parser)
    parser.add_argument("--batch", type=positive, default=9000,
                        help="board points of the ends in a step, 9000: 25 positions of 19x19; the kept positions have a third as many")  # fmt: skip
    parser.set_defaults(steps=2500, warmup=100, rate=5e-5, ema_decay=0.998, every=200)
    args = parser.parse_args(arguments)
    args.decay = args.steps  # the learning rate falls all the time
    return args


def main(arguments=None):
    args = parse_args(arguments)
    torch.set_num_threads(args.threads)
    read = lambda folders, kind: list(distill.read_folders(folders, "native", kind).values())
    sources = rows_per_batch(read(args.ends, Ends), args.batch) + rows_per_batch(read(args.keep, Kept), args.batch // 3)
    held = {folder: read([folder], Ends) for folder in args.held_out}
    run = Run(args)

    def report(metrics):
        for (rows, _), mean in zip(sources, metrics):
            print(f"  {rows.NAME} {rows.width}: {rows.METRIC} {mean:.3f}", flush=True)
        for folder, found in held.items():
            print(f"  held out {folder}: exact {', '.join(f'{run.exact_share(rows):.3f}' for rows in found)}", flush=True)

    run.train(lambda: run.train_step(sources), report)


if __name__ == "__main__":
    main()
