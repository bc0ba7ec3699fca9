"""KaTrain, without its window, reviews a game with the engine: `python3 katrain.py ENGINE [RECORD [VISITS]]`.

In KaTrain's settings the engine replaces KataGo; nothing else is changed. KaTrain's own class starts the engine, queries
every position of a game, and reads the responses. Then the script does what users do: it analyses alternative moves and a
region, ponders, restarts the analysis, and makes the report of the game. Exits with code 1 at the first failed check.
"""

import os
import sys
import tempfile
import time

# before KaTrain is imported: no window, no messages of the window's library, no files of the user
HOME = tempfile.TemporaryDirectory()
os.environ.update(HOME=HOME.name, KIVY_HOME=HOME.name, KIVY_NO_ARGS="1", KIVY_NO_CONSOLELOG="1", KIVY_NO_FILELOG="1")
ENGINE, RECORD, VISITS = (sys.argv[1:] + [None, None])[:3]
sys.argv = sys.argv[:1]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [place for place in sys.path if os.path.abspath(place or ".") != HERE]
sys.path.insert(0, os.path.join(HERE, "python_modules"))

from katrain.core.ai import game_report  # noqa: E402
from katrain.core.base_katrain import KaTrainBase  # noqa: E402
from katrain.core.constants import OUTPUT_ERROR, OUTPUT_KATAGO_STDERR  # noqa: E402
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game import Game, KaTrainSGF  # noqa: E402

STDOUT = sys.__stdout__


def check(condition, *facts):
    if not condition:
        raise AssertionError(" ".join(map(str, facts)))


class Headless(KaTrainBase):
    """KaTrain's settings, and the messages it would show."""

    def __init__(self):
        self.errors, self.engine_messages = [], []
        super().__init__(force_package_config=True, debug_level=0)

    def log(self, message, level=0):
        if level == OUTPUT_ERROR:
            self.errors.append(message)
        if level == OUTPUT_KATAGO_STDERR:
            self.engine_messages.append(message)

    def __call__(self, message, *args, **kwargs):
        self.errors.append((message, args))


def whole_game():
    """The record of a finished game on 9x9."""
    with open(os.path.join(HERE, "..", "data", "finished_9x9.tsv")) as table:
        game = next(line for line in table if not line.startswith("#"))
    rules, _, _, moves = game.rstrip("\n").split("\t")
    point = lambda vertex: "" if vertex == "pass" else "ABCDEFGHJ".index(vertex[0])
    named = lambda vertex: "" if vertex == "pass" else "abcdefghi"[point(vertex)] + "abcdefghi"[int(vertex[1:]) - 1]
    turns = "".join(f";{'BW'[number % 2]}[{named(vertex)}]" for number, vertex in enumerate(moves.split()))
    return f"(;GM[1]FF[4]SZ[9]KM[6.5]RU[{rules}]{turns})"


def wait_until(condition, what, seconds=300):
    end = time.time() + seconds
    while not condition():
        check(time.time() < end, "timeout:", what)
        time.sleep(0.01)


def check_node(node):
    """Checks that KaTrain can show an analysed position."""
    x, y = node.board_size
    check(node.analysis_complete, "not analysed:", node.depth)
    check(node.root_visits >= VISITS, node.depth, node.root_visits, "visits")
    check(0 <= node.winrate <= 1 and abs(node.score) <= 2 * x * y, node.winrate, node.score)
    check(len(node.ownership) == x * y and all(abs(owner) <= 1 for owner in node.ownership), "ownership")
    check(len(node.policy) == x * y + 1, "policy")
    check(abs(sum(probability for probability in node.policy if probability >= 0) - 1) < 1e-3, "policy")
    stones = [move.coords for move in node.moves if not move.is_pass]
    check(all(node.policy[(y - 1 - row) * x + column] == -1 for column, row in stones), "a legal move on a stone")
    candidates = node.candidate_moves
    check(candidates and candidates[0]["order"] == 0, node.depth, candidates[:1])
    for move in candidates:
        check({"move", "visits", "winrate", "scoreLead", "pv", "pointsLost", "winrateLost"} <= move.keys(), move)
    node.comment(sgf=True, details=True, interactive=False)


katrain = Headless()
settings = dict(katrain.config("engine"), katago=os.path.abspath(ENGINE), max_time=600.0)
VISITS = settings["max_visits"] = int(VISITS or 60)
engine = KataGoEngine(katrain, settings)
record = open(RECORD).read() if RECORD else whole_game()
begin = time.time()
game = Game(katrain, engine, move_tree=KaTrainSGF.parse_sgf(record))
nodes = game.root.nodes_in_tree
wait_until(lambda: all(node.analysis_complete for node in nodes) or not engine.check_alive(), "the review", 3600)
elapsed = time.time() - begin
for node in nodes:
    check_node(node)
check(engine.is_idle(), "queries left:", engine.queries)
summary, _, _ = game_report(game, katrain.config("trainer/eval_thresholds"))
for player in "BW":
    check(0 <= summary[player]["accuracy"] <= 100 and summary[player]["mean_ptloss"] >= 0, summary)

# alternative moves, a region of the board, and a search without a limit
end = nodes[len(nodes) // 2]
known = len(end.analysis["moves"])
end.analyze(engine, find_alternatives=True)
wait_until(engine.is_idle, "alternatives")
check(len(end.analysis["moves"]) > known, "no alternatives to", known)
end.analyze(engine, region_of_interest=[0, 2, 0, 2])
wait_until(engine.is_idle, "a region")
visits = end.root_visits
end.analyze(engine, ponder=True, time_limit=False)
wait_until(lambda: end.root_visits > 2 * visits, "pondering")
engine.stop_pondering()
wait_until(engine.is_idle, "the end of pondering")
# a review that is started again, cancelled by a new game, and started once more
game.analyze_all_nodes(even_if_present=True)
engine.on_new_game()
game.analyze_all_nodes(even_if_present=True)
wait_until(lambda: all(node.analysis_complete for node in nodes), "the second review", 3600)

check(not katrain.errors, katrain.errors)
check(any("ready to begin handling requests" in line for line in katrain.engine_messages), katrain.engine_messages)
engine.shutdown(finish=True)
moves = len(nodes) - 1
STDOUT.write(f"{moves} moves, {VISITS} visits a position, {elapsed:.1f} s; {summary}\nevery check passed\n")
