#!/usr/bin/env python3
"""Asks a net about games that were held out of training: the figures of `kifuwarabe-uec14 eval --records`."""
import argparse

import numpy as np
import torch

import data
import net as nets

PER_GAME = 3
BATCH = 256


def questions(games, most=None):
    """Three plies of each game, chosen by its digest: games and plies, side by side. `most` is of games."""
    chosen = np.arange(len(games))[:most]
    numbers = np.ascontiguousarray(games.digests[chosen, 1 : 1 + 4 * PER_GAME]).view("<u4")
    plies = numbers % games.plies[chosen, None].astype(np.uint32)
    return np.repeat(chosen, PER_GAME), plies.reshape(-1).astype(np.int32)


@torch.no_grad()
def figures(net, games, device="cpu", most=None):
    """How often the net agrees with the games: shares of positions. The move made is among the first where no other, or
    fewer than five, seem better."""
    chosen, plies = questions(games, most)
    made = games.moves[games.at[chosen] + plies].astype(np.int64)
    made = torch.from_numpy(np.where(made < 0, games.area, made))
    first = among_five = judged = judged_right = 0
    for start in range(0, len(chosen), BATCH):
        part = slice(start, start + BATCH)
        batch = data.as_batch(*games.positions(chosen[part], plies[part]), games.size).to(device)
        policy, value, _ = net(batch.planes.float(), batch.scalars)
        better = (policy > policy.gather(1, made[part, None].to(device))).sum(1)
        first += (better == 0).sum().item()
        among_five += (better < 5).sum().item()
        known = (batch.win == 0) | (batch.win == 1)
        judged += known.sum().item()
        judged_right += ((value > 0) == (batch.win > 0.5))[known].sum().item()
    share = lambda part, whole: part / max(whole, 1)
    return {
        "positions": len(chosen),
        "games": len(chosen) // PER_GAME,
        "top1": share(first, len(chosen)),
        "top5": share(among_five, len(chosen)),
        "winner": share(judged_right, judged),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net", help="its file, such as data/net.safetensors")
    parser.add_argument("--size", type=int, required=True, help="points of a side of the board")
    parser.add_argument("--records", nargs="+", required=True, metavar="FILE", help="tables of records")
    parser.add_argument("--games", type=int, help="ask about so many of them only")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    _, held = data.load(args.records, [args.size])
    found = figures(nets.load(args.net).to(device), held[args.size], device, args.games)
    print(
        f"{args.size}x{args.size}: {found['positions']} positions of {found['games']} games: "
        f"top-1 {100 * found['top1']:.2f}%, top-5 {100 * found['top5']:.2f}%, winner {100 * found['winner']:.2f}%"
    )


if __name__ == "__main__":
    main()
