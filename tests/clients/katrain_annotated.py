"""KaTrain's reader opens a record that `report --sgf` annotated: `python3 katrain_annotated.py ENGINE`.

The moves, the variations and the comments of the original are compared, and the annotations of the moves. Exits with code 1
at the first failed check.
"""

import os
import subprocess
import tempfile

from katrain_base import ARGUMENTS, STDOUT, check

from katrain.core.game import KaTrainSGF

RECORD = (
    "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]PB[黒]C[start];B[]C[two\n\nlines \\] and \\\\];W[ee];B[aa]"
    "(;W[cc];B[ia])(;W[gg]C[other]N[x]))"
)

folder = tempfile.TemporaryDirectory()
record, output = (os.path.join(folder.name, name) for name in ("game.sgf", "out.sgf"))
with open(record, "w", encoding="utf-8") as file:
    file.write(RECORD)
command = [ARGUMENTS[0], "--set", "Net.Use=false", "report", record, "--sgf", output, "--visits", "200"]
run = subprocess.run(command, capture_output=True, text=True)
check(run.returncode == 0, run.stderr)
original = KaTrainSGF.parse_sgf(RECORD)
root = KaTrainSGF.parse_file(output)


def compare(found, expected):
    """Every node of the original stands at its place, with its move and its comment."""
    check(found.move == expected.move and found.note.startswith(expected.note), found, expected)
    check(len(found.children) >= len(expected.children), "a variation is missing", found)
    for child, expected_child in zip(found.children, expected.children):
        compare(child, expected_child)


compare(root, original)
check(root.get_property("PB") == "黒" and root.komi == 6.5, root.properties)
node, annotated = root, 0
while node:
    check("Kifuwarabe UEC14: Black's win rate " in node.note, node.note)
    check(0 <= float(node.get_property("SBKV")) <= 100, node.properties)
    if node.get_property("BM") or "DO" in node.properties:
        annotated += 1
        check(" was better" in node.note, node.note)
    node = node.children[0] if node.children else None
check(annotated > 0, "no move is annotated")
blunder, better = root.children
check(blunder.is_pass and blunder.get_property("BM") == "2", blunder.properties)
check(not better.is_pass and "better than move 1" in better.note, better.note)
STDOUT.write(f"{annotated} annotated moves\nevery check passed\n")
