#!/usr/bin/env python3
"""Accuracy of a net on held-out games, as `kifuwarabe-uec14 eval --records` prints it."""
import argparse

import numpy as np
import torch
from torch.nn import functional as F

import data
import net as nets
from files import positive, refuse

POSITIONS_PER_GAME = 3
BATCH_SIZE = 256


def sample_positions(games, max_games=None):
    """Three positions of each game, chosen by its digest: the numbers of their games, and their plies."""
    game_numbers = np.arange(len(games))[:max_games]
    numbers = np.ascontiguousarray(games.digests[game_numbers, 1 : 1 + 4 * POSITIONS_PER_GAME]).view("<u4")
    plies = numbers % games.plies[game_numbers, None].astype(np.uint32)
    return np.repeat(game_numbers, POSITIONS_PER_GAME), plies.reshape(-1).astype(np.int32)


@torch.no_grad()
def accuracy(net, games, device="cpu", max_games=None):
    """Top-1 and top-5 accuracy of the policy, and accuracy of the predicted winner. The move played is in the top k if
    fewer than k legal moves have a higher logit."""
    game_numbers, plies = sample_positions(games, max_games)
    played = games.moves[games.move_at[game_numbers] + plies].astype(np.int64)
    played = torch.from_numpy(np.where(played < 0, games.area, played))
    top1 = top5 = winner_known = winner_right = 0
    for start in range(0, len(game_numbers), BATCH_SIZE):
        part = slice(start, start + BATCH_SIZE)
        batch = data.as_batch(*games.positions(game_numbers[part], plies[part]), games.size).to(device)
        policy, value, _ = net(batch.planes.float(), batch.globals)
        is_illegal = F.pad(batch.planes[:, data.ILLEGAL].flatten(1) != 0, (0, 1))  # a pass is legal
        policy = policy.masked_fill(is_illegal, -torch.inf)
        better = (policy > policy.gather(1, played[part, None].to(device))).sum(1)
        top1 += (better == 0).sum().item()
        top5 += (better < 5).sum().item()
        known = (batch.win == 0) | (batch.win == 1)
        winner_known += known.sum().item()
        winner_right += ((value > 0) == (batch.win > 0.5))[known].sum().item()
    share = lambda part, whole: part / max(whole, 1)
    return {
        "positions": len(game_numbers),
        "games": len(game_numbers) // POSITIONS_PER_GAME,
        "top1": share(top1, len(game_numbers)),
        "top5": share(top5, len(game_numbers)),
        "winner": share(winner_right, winner_known),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net", help="file of a net of the format kifuwarabe-net-1, such as data/human.safetensors")
    parser.add_argument("--size", type=positive, required=True, help="board size")
    parser.add_argument("--records", nargs="+", required=True, metavar="FILE", help="tables of game records")
    parser.add_argument("--games", type=positive, metavar="N", help="use at most N games")
    parser.add_argument("--threads", type=positive, default=torch.get_num_threads(), help="CPU threads")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    net = nets.load(args.net).to(nets.DEVICE)
    _, held = data.load(args.records, [args.size])
    if not len(held[args.size]):
        refuse(f"--records {' '.join(args.records)}: no held-out games on {args.size}x{args.size}")
    found = accuracy(net, held[args.size], nets.DEVICE, args.games)
    print(
        f"{args.size}x{args.size}: {found['positions']} positions of {found['games']} games: "
        f"top-1 {100 * found['top1']:.2f}%, top-5 {100 * found['top5']:.2f}%, winner {100 * found['winner']:.2f}%"
    )


if __name__ == "__main__":
    main()
