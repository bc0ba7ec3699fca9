"""Makes katago_check.json.gz: positions with what KataGo says of them, for tests/it/katago_nets.rs.

    python3 katago_check.py --katago KATAGO --config gtp.cfg --player NET.bin.gz --out katago_check.json.gz NET.bin.gz ...

Made with KataGo 1.17.2 (Eigen) and the nets of KataGo's tests, the one with 6 blocks being the player. Games are
drawn from the player's policy under all rule sets, komis and board sizes below; from each game some positions are taken,
among them those after passes. Of each position the answer of GTP's `kata-raw-nn 0 OPTIMISM` is kept, for the side to
move: the likeliest moves and the pass, the number of illegal moves, and the owner of some points; with --full of all.
Each line of the file is a position in JSON.
"""
import argparse
import gzip
import json
import random
import subprocess

RULES = ["chinese", "chinese-kgs", "tromp-taylor", "japanese", "korean", "stone-scoring", "aga", "new-zealand"]
SIZES = [(9, 9), (13, 13), (19, 19), (7, 7), (5, 9), (11, 6), (2, 3), (19, 15), (10, 18)]
KOMIS = [7.5, 6.5, 7, 0.5, -3.5, 20]


def vertex(x, y, height):
    return "ABCDEFGHJKLMNOPQRST"[x] + str(height - y)


class Engine:
    def __init__(self, args, net):
        command = [args.katago, "gtp", "-model", net, "-config", args.config, "-override-config", "numEigenThreadsPerModel=1"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) != "\n" or not lines:
            if not line:
                raise SystemExit(f"KataGo ended at {command}")
            lines.append(line.rstrip("\n"))
        if not lines[0].startswith("="):
            raise SystemExit(f"{command}: {lines}")
        lines[0] = lines[0][1:].strip()
        return lines

    def start(self, position):
        self.ask(f"rectangular_boardsize {position['width']} {position['height']}")
        self.ask("kata-set-rules " + position["rules"])
        self.ask("clear_board")
        self.ask(f"komi {position['komi']}")
        for number, move in enumerate(position["moves"]):
            self.ask(f"play {'bw'[number % 2]} {move}")

    def raw(self, position, optimism):
        """The numbers, the policy as a dictionary, None for illegal moves, and the ownership; White's, as printed."""
        width, height = position["width"], position["height"]
        color = "bw"[len(position["moves"]) % 2]
        rows = [line.split() for line in self.ask(f"kata-raw-nn {color} 0 {optimism}")]
        numbers = {row[0]: float(row[1]) for row in rows[: rows.index(["policy"])]}
        names = [vertex(x, y, height) for y in range(height) for x in range(width)]
        start = rows.index(["policy"]) + 1
        cells = sum(rows[start : start + height], []) + [rows[start + height][1]]
        policy = {name: None if cell == "NAN" else float(cell) for name, cell in zip([*names, "pass"], cells)}
        start = rows.index(["whiteOwnership"]) + 1
        owners = dict(zip(names, map(float, sum(rows[start : start + height], []))))
        return numbers, policy, owners


def figures(engine, position, optimism, full, rng):
    numbers, policy, owners = engine.raw(position, optimism)
    is_white = len(position["moves"]) % 2 == 1
    sign = 1 if is_white else -1
    win, loss = numbers["whiteWin"], numbers["whiteLoss"]
    likely = sorted((p for p in policy.items() if p[1] is not None), key=lambda p: -p[1])
    if not full:
        likely = likely[:6] + [p for p in likely[6:] if p[0] == "pass"]
    names = list(owners) if full else rng.sample(list(owners), min(6, len(owners)))
    return {
        "optimism": optimism,
        "win": win if is_white else loss,
        "loss": loss if is_white else win,
        "no_result": numbers["noResult"],
        "lead": sign * numbers["whiteLead"],
        "score": sign * numbers["whiteScoreSelfplay"],
        "square": numbers["whiteScoreSelfplaySq"],
        "errors": [numbers["shorttermWinlossError"], numbers["shorttermScoreError"]],
        "policy": dict(likely),
        "illegal": sum(p is None for p in policy.values()),
        "owners": {name: sign * owners[name] for name in names},
    }


def games(engine, count, rng):
    """Positions of games that the player draws from its policy."""
    found = []
    while len(found) < count:
        number = len(found)
        width, height = SIZES[rng.choice([0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8])]
        position = {"width": width, "height": height, "rules": RULES[number % len(RULES)], "komi": rng.choice(KOMIS), "moves": []}
        engine.start(position)
        last = rng.choice([0.2, 0.5, 1, 1.3, 1.3]) * width * height
        taken = {rng.randrange(int(last) + 1), rng.randrange(int(last) + 1)}
        while len(position["moves"]) <= last:
            passes = position["moves"][-2:].count("pass") if position["moves"][-1:] == ["pass"] else 0
            if len(position["moves"]) in taken or (passes and rng.random() < 0.5):
                found.append({**position, "moves": list(position["moves"])})
            if passes == 2:
                break
            _, policy, _ = engine.raw(position, 0)
            legal = [p for p in policy.items() if p[1] is not None]
            # a little flatter than the policy, so that the games differ and have ladders that fail
            move = rng.choices([p[0] for p in legal], [p[1] ** 0.8 + 1e-7 for p in legal])[0]
            if rng.random() < 0.01:
                move = "pass"
            engine.ask(f"play {'bw'[len(position['moves']) % 2]} {move}")
            position["moves"].append(move)
    return found[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("katago", "config", "player", "out"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("nets", nargs="+")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    positions = games(Engine(args, args.player), args.count, rng)
    positions.sort(key=lambda p: (p["width"], p["height"]))
    for net in args.nets:
        engine = Engine(args, net)
        name = net.rsplit("/", 1)[-1]
        for number, position in enumerate(positions):
            engine.start(position)
            position.setdefault("nets", {})[name] = figures(engine, position, int(number % 3 == 0), args.full, rng)
        engine.ask("quit")
    for position in positions:
        position["moves"] = " ".join(position["moves"])
    text = "".join(json.dumps(position, separators=(",", ":")) + "\n" for position in positions)
    with open(args.out, "wb") as out, gzip.GzipFile("", "wb", 9, out, 0) as compressed:
        compressed.write(text.encode())


if __name__ == "__main__":
    main()
