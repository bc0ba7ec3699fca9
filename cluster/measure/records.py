#!/usr/bin/env python3
"""Writes games of a table of records, in the format that train/data.py describes, as SGF files.

python3 measure/records.py TABLE.tsv.gz COUNT FOLDER
"""

from __future__ import annotations

import gzip
import itertools
import sys
from pathlib import Path


def sgf(line: str) -> str:
    """A line of a table as a record."""
    fields = line.rstrip("\n").split("\t")
    name, size, komi, _, result, rules, date, black, white = fields[:9]
    setup, moves = ([text[at : at + 3] for at in range(0, len(text), 3)] for text in fields[13:15])
    stones = "".join(f"A{stone[0]}[{stone[1:]}]" for stone in setup)
    played = "".join(f";{move[0]}[{'' if move[1] == '.' else move[1:]}]" for move in moves)
    facts = {"KM": komi, "RE": result, "RU": rules, "DT": date, "BR": black, "WR": white, "GN": name}
    head = "".join(f"{key}[{value}]" for key, value in facts.items() if value and "]" not in value)
    return f"(;GM[1]FF[4]SZ[{size}]{head}{stones}{played})"


def main() -> None:
    table, count, folder = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(table, "rt", encoding="utf8", errors="replace") as lines:
        for number, line in enumerate(itertools.islice(lines, count), 1):
            (folder / f"{number:06}.sgf").write_text(sgf(line))


if __name__ == "__main__":
    main()
