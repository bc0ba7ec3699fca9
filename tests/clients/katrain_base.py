"""KaTrain without its window, for katrain_review.py and katrain_play.py.

In KaTrain's settings the engine replaces KataGo; nothing else is changed. KaTrain's own class starts the engine, writes
the queries and reads the responses.
"""

import os
import re
import sys
import tempfile
import time

# before KaTrain is imported: no window, no messages of the window's library, no files of the user
HOME = tempfile.TemporaryDirectory()
os.environ.update(HOME=HOME.name, KIVY_HOME=HOME.name, KIVY_NO_ARGS="1", KIVY_NO_CONSOLELOG="1", KIVY_NO_FILELOG="1")
ARGUMENTS = sys.argv[1:]
sys.argv = sys.argv[:1]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "python_modules"))

from katrain.core.base_katrain import KaTrainBase  # noqa: E402
from katrain.core.constants import OUTPUT_ERROR, OUTPUT_KATAGO_STDERR  # noqa: E402
from katrain.core.engine import KataGoEngine  # noqa: E402

# the window's library has put its log in place of these
STDOUT = sys.__stdout__
sys.stderr = sys.__stderr__
# an upper bound for waits, generous because other programs may load the machine
MAX_WAIT = 300
# settings of KataGo without a counterpart here: the engine says so in a warning, which KaTrain writes to its debug log
UNUSED_SETTINGS = {
    "antiMirror",
    "humanSLProfile",
    "ignorePreRootHistory",
    "playoutDoublingAdvantage",
    "playoutDoublingAdvantagePla",
    "wideRootNoise",
}


def check(condition, *facts):
    if not condition:
        raise AssertionError(" ".join(map(str, facts)))


class Widget:
    """A part of KaTrain's window: every attribute is such a part, and every call does nothing."""

    def __getattr__(self, name):
        return Widget()

    def __call__(self, *args, **kwargs):
        return None


class Headless(KaTrainBase):
    """KaTrain's settings, and the messages it would show."""

    def __init__(self):
        self.errors, self.warnings, self.engine_messages = [], [], []
        self.controls, self.game = Widget(), None
        super().__init__(force_package_config=True, debug_level=0)

    def log(self, message, level=0):
        if level == OUTPUT_ERROR:
            self.errors.append(message)
        elif level == OUTPUT_KATAGO_STDERR:
            self.engine_messages.append(message)
        elif "received from KataGo" in str(message) and "'warning'" in str(message):
            self.warnings.append(message)

    def __call__(self, message, *args, **kwargs):
        self.errors.append((message, args))

    def check_messages(self):
        """No error, no word of the engine but that it is ready, and no warning but of settings it does not have."""
        check(not self.errors, self.errors)
        check(any("ready to begin handling requests" in line for line in self.engine_messages), self.engine_messages)
        check(not any("rror" in line or "arning" in line for line in self.engine_messages), self.engine_messages)
        for warning in self.warnings:
            # the names of settings are the only words with capitals inside
            listed = re.findall(r"\b[a-z]+[A-Z]\w*", warning.partition("'warning': '")[2].partition("'")[0])
            check(listed and set(listed) <= UNUSED_SETTINGS, warning)


def start_engine(katrain, program, visits):
    """KaTrain's engine class with this program, and this number of visits for a position and for a fast analysis."""
    settings = dict(katrain.config("engine"), katago=os.path.abspath(program), max_time=600.0)
    settings.update(max_visits=visits, fast_visits=min(visits, 25))
    return KataGoEngine(katrain, settings)


def finished_games():
    """Finished games on 9x9: rules, the referee's score, and the record."""
    games = []
    with open(os.path.join(HERE, "..", "data", "finished_9x9.tsv")) as table:
        for line in table:
            if line.startswith("#"):
                continue
            rules, score, _, moves = line.rstrip("\n").split("\t")
            turns = "".join(f";{'BW'[number % 2]}[{sgf(vertex)}]" for number, vertex in enumerate(moves.split()))
            games.append((rules, score, f"(;GM[1]FF[4]SZ[9]KM[6.5]RU[{rules}]{turns})"))
    return games


def sgf(vertex):
    """A point of the table, whose rank 1 is the top row, in a record's notation."""
    if vertex == "pass":
        return ""
    return "abcdefghi"["ABCDEFGHJ".index(vertex[0])] + "abcdefghi"[int(vertex[1:]) - 1]


def wait_until(condition, what, seconds=MAX_WAIT):
    end = time.time() + seconds
    while not condition():
        check(time.time() < end, "timeout:", what)
        time.sleep(0.01)


def wait_for(nodes, engine, visits):
    """Waits until positions are analysed with this number of visits."""

    def is_analysed(node):
        return node.analysis_complete and node.root_visits >= visits

    wait_until(lambda: all(is_analysed(node) for node in nodes) or not engine.check_alive(), "an analysis", 3600)
    check(all(is_analysed(node) for node in nodes), "the engine has ended:", engine.katrain.engine_messages)


def check_node(node, engine, visits):
    """Waits for the analysis of a position, and checks that KaTrain can show it."""
    wait_for([node], engine, visits)
    x, y = node.board_size
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
