"""KaTrain, without its window, reviews a game with the engine: `python3 katrain_review.py ENGINE [RECORD [VISITS]]`.

KaTrain queries every position of a game. Then the script does what users do: it analyses alternative moves and a region,
ponders, restarts the analysis, and makes the report of the game. Exits with code 1 at the first failed check.
"""

import time

from katrain_base import ARGUMENTS, STDOUT, Headless, check, check_node, finished_games, start_engine
from katrain_base import wait_for, wait_until

from katrain.core.ai import game_report
from katrain.core.game import Game, KaTrainSGF

ENGINE, RECORD, VISITS = (ARGUMENTS + [None, None])[:3]
VISITS = int(VISITS or 20)

katrain = Headless()
engine = start_engine(katrain, ENGINE, VISITS)
record = open(RECORD).read() if RECORD else finished_games()[0][2]
begin = time.time()
game = Game(katrain, engine, move_tree=KaTrainSGF.parse_sgf(record))
nodes = game.root.nodes_in_tree
wait_for(nodes, engine, VISITS)
elapsed = time.time() - begin
for node in nodes:
    check_node(node, engine, VISITS)
wait_until(engine.is_idle, "the last query")
summary, _, _ = game_report(game, katrain.config("trainer/eval_thresholds"))
for player in "BW":
    check(0 <= summary[player]["accuracy"] <= 100 and summary[player]["mean_ptloss"] >= 0, summary)

# alternative moves, a region of the board, and a search without a limit
end = nodes[len(nodes) // 2]
known = len(end.analysis["moves"])
end.analyze(engine, find_alternatives=True)
wait_until(lambda: len(end.analysis["moves"]) > known, "alternatives")
end.analyze(engine, region_of_interest=[0, 2, 0, 2])
visits = end.root_visits
end.analyze(engine, ponder=True, time_limit=False)
wait_until(lambda: end.root_visits > 2 * visits, "pondering")
engine.stop_pondering()
wait_until(engine.is_idle, "the end of pondering")
# a review that is started again, cancelled by a new game, and started once more
game.analyze_all_nodes(even_if_present=True)
engine.on_new_game()
game.analyze_all_nodes(even_if_present=True)
wait_for(nodes, engine, VISITS)

katrain.check_messages()
engine.shutdown(finish=True)
moves = len(nodes) - 1
STDOUT.write(f"{moves} moves, {VISITS} visits a position, {elapsed:.1f} s; {summary}\nevery check passed\n")
