"""Makes score_net_tiny.safetensors, a net of the format kifuwarabe-net-2 with few channels and random weights, and what PyTorch computes
with it for the positions of net_check.json: score_net_tiny.json.

    python3 score_net_tiny.py

The net plays no Go. tests/it/net.rs compares the engine with these figures.
"""
import json
import os
import sys

import numpy as np
import torch

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "train"))
import data  # noqa: E402
import net as nets  # noqa: E402

COLUMNS = "ABCDEFGHJKLMNOPQRST"


def letters(color, vertex, size):
    if vertex == "pass":
        return f"{color.upper()}.."
    return f"{color.upper()}{chr(97 + COLUMNS.index(vertex[0]))}{chr(97 + size - int(vertex[1:]))}"


# Black's stones played less White's, in every second position, which is one under territory scoring
STONES_PLAYED = 2.0


def figures(net, position, is_territory):
    size, moves = position["size"], position["moves"]
    played = "".join(letters(color, vertex, size) for color, vertex in [*moves, (position["to_move"], "pass")])
    games = data.Games(size, [data.Game(size, position["komi"], -1, "", played)])
    planes, scalars, *_ = games.positions(np.zeros(1, np.int64), np.array([len(moves)], np.int32))
    if is_territory:
        scalars[:, 0] += STONES_PLAYED / data.MAX_KOMI * np.where(scalars[:, 1] == 1, 1, -1)
    scalars = np.column_stack([scalars, np.full(1, is_territory, np.float32)]).astype(np.float32)
    with torch.no_grad():
        out = net(torch.from_numpy(planes).float().reshape(1, data.PLANES, size, size), torch.from_numpy(scalars))
    rounded = lambda tensor: [round(float(number), 5) for number in tensor.reshape(-1)]
    return {
        "logits": rounded(out.policy), "value": rounded(out.value[:, 0])[0], "lead": rounded(out.lead)[0],
        "deviation": rounded(out.score_stdev)[0], "ownership": rounded(out.ownership),
    }  # fmt: skip


torch.manual_seed(1)
net = nets.ScoreNet(24, 2)
with torch.no_grad():
    for weight in net.parameters():
        weight.copy_((weight + 0.05 * torch.randn_like(weight)).half())
nets.save(net, os.path.join(here, "score_net_tiny.safetensors"), {})
with open(os.path.join(here, "net_check.json")) as file:
    positions = json.load(file)["positions"]
with open(os.path.join(here, "score_net_tiny.json"), "w") as file:
    json.dump([figures(net, position, number % 2 == 1) for number, position in enumerate(positions)], file, separators=(",", ":"))
