"""Averages weights: a `kifuwarabe-net-2` whose weights are the means of those of several nets of one size.

    python average_weights.py net.safetensors first.safetensors second.safetensors

The mean of nets that were trained from the same weights can be more accurate than each of them (M. Wortsman and others,
"Model soups: averaging weights of multiple fine-tuned models improves accuracy without increasing inference time", 2022).
"""
import argparse

import torch

import net as nets
from files import one_line_errors


def average(loaded):
    """The net with the mean weights of some nets."""
    first = loaded[0]
    if any((other.channels, len(other.blocks)) != (first.channels, len(first.blocks)) for other in loaded):
        raise ValueError("nets of different sizes")
    mean = nets.ScoreNet(first.channels, len(first.blocks))
    for weight, *others in zip(mean.parameters(), *(net.parameters() for net in loaded)):
        weight.data.copy_(torch.stack([other.data for other in others]).mean(0))
    return mean


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT", help="file of the mean")
    parser.add_argument("nets", metavar="NET", nargs="+", help="files of the nets")
    args = parser.parse_args(arguments)
    loaded = [nets.load_score_net(path, [nets.ScoreNet]) for path in args.nets]
    with one_line_errors(" ".join(args.nets)):
        mean = average(loaded)
    with one_line_errors(args.out):
        nets.save(mean, args.out, {"mean_of": args.nets})


if __name__ == "__main__":
    main()
