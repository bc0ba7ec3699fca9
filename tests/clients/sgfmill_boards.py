"""Compares boards with sgfmill's: the stones after every move of random games, legal moves and area scores.

usage: sgfmill_boards.py PROGRAM [all], with sgfmill in python_modules/; `all` takes every side from 2 to 25, thrice

sgfmill's board knows captures, suicide and the point that a simple ko forbids; what follows for legal moves is computed
here from copies of it.
"""

import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_modules"))

from sgfmill.boards import Board  # noqa: E402
from sgfmill.common import format_vertex, move_from_vertex  # noqa: E402

SIDES = (2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 19, 25)
MOVES = 100
LEGAL_EVERY = 20
KOMI = 0.5


def neighbours(side, row, col):
    cells = ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1))
    return [(r, c) for r, c in cells if 0 <= r < side and 0 <= c < side]


def is_legal(board, row, col, colour, ko, suicide):
    """Whether a stone may be put on an empty point. A single stone without a liberty is never legal."""
    if (row, col) == ko:
        return False
    after = board.copy()
    after.play(row, col, colour)
    if after.get(row, col) == colour:
        return True
    return suicide and any(board.get(r, c) == colour for r, c in neighbours(board.side, row, col))


def game(side, suicide, seed):
    """The commands of a random game, and for each of those with an answer of its own what is expected."""
    rng = random.Random(seed)
    board, ko, colour = Board(side), None, "b"
    rules = '{"ko":"SIMPLE","scoring":"AREA","tax":"NONE","suicide":%s,"friendlyPassOk":false}'
    commands = [(f"boardsize {side}", None), ("kata-set-rules " + rules % str(suicide).lower(), None), (f"komi {KOMI}", None)]
    positions, passed = 0, False
    for number in range(MOVES):
        points = [(r, c) for r in range(side) for c in range(side) if board.get(r, c) is None]
        rng.shuffle(points)
        if number % LEGAL_EVERY == 0:
            legal = {format_vertex(p) for p in points if is_legal(board, *p, colour, ko, suicide)} | {"pass"}
            commands.append(("gogui-rules_legal_moves", legal))
            score = board.area_score() - KOMI
            commands.append(("final_score", {"0" if score == 0 else f"{'BW'[score < 0]}+{abs(score):g}"}))
        # now and then a pass, which lifts the ko; never two, which end the game
        play = None
        if rng.random() < 0.97 or passed:
            play = next((p for p in points if is_legal(board, *p, colour, ko, suicide)), None)
        if play is None and passed:
            break
        passed = play is None
        if play is None:
            ko = None
        else:
            ko = board.play(*play, colour)
        commands.append((f"play {colour} {format_vertex(play)}", None))
        for name, stones in (("black", "b"), ("white", "w")):
            found = {format_vertex(point) for c, point in board.list_occupied_points() if c == stones}
            commands.append((f"list_stones {name}", found))
        positions += 1
        colour = "w" if colour == "b" else "b"
    return commands, positions


def main():
    compared = 0
    is_all = sys.argv[2:] == ["all"]
    for side in range(2, 26) if is_all else SIDES:
        for seed in range(6 if is_all else 2):
            suicide = seed % 2 == 1
            commands, positions = game(side, suicide, 100 * side + seed)
            lines = "".join(f"{number} {text}\n" for number, (text, _) in enumerate(commands, 1)) + "quit\n"
            options = ["--set", "Net.Use=false", "--set", "Paths.JsonLog=", "--set", "Paths.PlainTextLog="]
            output = subprocess.run([sys.argv[1], *options], input=lines, capture_output=True, text=True, check=True).stdout
            answers = [answer.strip() for answer in output.split("\n\n") if answer.strip()]
            for number, ((text, expected), answer) in enumerate(zip(commands, answers), 1):
                head, _, rest = answer.partition(" ")
                place = f"{side}x{side}, suicide {suicide}, command {number}, {text}"
                assert head == f"={number}", f"{place}: {answer}"
                if expected is not None:
                    assert set(rest.split()) == expected, f"{place}: {sorted(set(rest.split()) ^ expected)} differ"
            assert len(answers) >= len(commands), f"{side}: {len(answers)} answers to {len(commands)} commands"
            compared += positions
    assert move_from_vertex("A1", 9) == (0, 0)
    print(f"{compared} positions as sgfmill's: every check passed")


if __name__ == "__main__":
    main()
