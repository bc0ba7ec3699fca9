"""KaTrain, without its window, plays and explores with the engine: `python3 katrain_play.py ENGINE [VISITS]`.

Each of KaTrain's AI strategies plays in several positions; KaTrain's own board refuses an illegal move. Then: settled boards
counted by KaTrain from the engine's ownership, handicap, komi and rules, undo and variations, a region of interest, a
framed life-and-death problem, the extra analyses of the menu, saved analysis. Exits with code 1 at the first failed check.
"""

import itertools
import os
import random

from katrain_base import HOME, ARGUMENTS, STDOUT, Headless, check, check_node, finished_games, start_engine
from katrain_base import wait_for, wait_until

from katrain.core.ai import STRATEGY_REGISTRY, generate_ai_move
from katrain.core.constants import AI_HUMAN, AI_PRO, AI_SETTLE_STONES, AI_SIMPLE_OWNERSHIP
from katrain.core.engine import BaseEngine
from katrain.core.game import Game, IllegalMoveException, KaTrainSGF, Move
from katrain.core.tsumego_frame import tsumego_frame_from_katrain_game

ENGINE, VISITS = (ARGUMENTS + [None])[:2]
VISITS = int(VISITS or 12)
NEEDS_HUMAN_NET = {AI_HUMAN, AI_PRO}

random.seed(1)
katrain = Headless()
engine = start_engine(katrain, ENGINE, VISITS)
GAMES = finished_games()


def open_game(record=None, at=None, **properties):
    """A game from a record, or a new one with these root properties, at its end or after `at` moves, all analysed."""
    tree = KaTrainSGF.parse_sgf(record) if record else None
    if tree:
        for name, value in properties.items():
            tree.set_property(name, value)
    engine.on_new_game()
    game = katrain.game = Game(katrain, engine, move_tree=tree, game_properties=properties)
    nodes = game.root.nodes_in_tree
    wait_for(nodes, engine, VISITS)
    game.redo(len(nodes) if at is None else at)
    return game


def ask(node, **fields):
    """The final response to a query of KaTrain's engine class."""
    final = []
    refused = []
    engine.request_analysis(
        node,
        callback=lambda response, partial: None if partial else final.append(response),
        error_callback=refused.append,
        **fields,
    )
    wait_until(lambda: final or refused or not engine.check_alive(), f"a response to {fields}")
    check(final, refused)
    return final[0]


def is_allowed(move, settings):
    """Whether a move passes the filters of the strategies by ownership."""
    if "ownership" not in move or move["move"] == "pass":
        return False
    has_visits = move["order"] <= 1 or move["visits"] >= settings["min_visits"]
    return has_visits and move["pointsLost"] < settings["max_points_lost"]


def strategies():
    """Every strategy moves in every position; the moves are legal, and the positions after them are analysed."""
    half = GAMES[0][2]
    games = [
        ("an empty board", open_game(SZ="9", KM="6.5", RU="japanese")),
        ("an opening", open_game("(;GM[1]FF[4]SZ[13]KM[6.5]RU[chinese];B[dd];W[jj];B[jd])")),
        ("a pass", open_game("(;GM[1]FF[4]SZ[9]KM[6.5]RU[chinese];B[ee];W[])")),
        ("a middle game", open_game(half, at=14)),
        ("an endgame", open_game(half, at=27)),
    ]
    played = 0
    for mode in STRATEGY_REGISTRY:
        for place, game in games:
            katrain.game = game
            node = game.current_node
            try:
                # KaTrain has no settings of its own for "Settle stones"
                settings = katrain.config("ai").get(mode) or katrain.config("ai")[AI_SIMPLE_OWNERSHIP]
                move, answer = generate_ai_move(game, mode, dict(settings))
            except Exception as problem:
                if "No moves found" in str(problem) and mode in (AI_SIMPLE_OWNERSHIP, AI_SETTLE_STONES):
                    # few visits: every move may lose more than these strategies allow
                    check(not any(is_allowed(move, settings) for move in node.candidate_moves), mode, place)
                    check("No moves found" in katrain.errors.pop(), mode, place)
                    continue
                # as with KataGo without its net of human play
                check(mode in NEEDS_HUMAN_NET and "humanPolicy" in str(problem), mode, place, repr(problem))
                continue
            check(mode not in NEEDS_HUMAN_NET, mode, "without its net")
            check(answer is game.current_node and answer.parent is node, mode, place, move)
            check(move.player == node.next_player and answer.ai_thoughts, mode, place, move)
            check_node(answer, engine, VISITS)
            check(answer.points_lost is not None, mode, place, move)
            # the played move is a candidate of the position before, with the values of the position after
            known = node.analysis["moves"][move.gtp()]
            check(known["visits"] >= answer.root_visits, mode, place, known)
            game.undo(1)
            node.children = []
            played += 1
    return played


# Black owns the files A to C of a 5x5 board, with nine stones and six empty points, and White D and E
WALL = "ae bd ca cb cc bb ce cd ab".split()
WHITE = "da db dc dd de eb ed".split()


def settled(black, white, komi, rules="japanese"):
    """The record of a game in which these stones were played, one colour passing when it has no more, and both at the end."""
    turns = "".join(f";B[{one}];W[{other}]" for one, other in itertools.zip_longest(black, white, fillvalue=""))
    return f"(;GM[1]FF[4]SZ[5]KM[{komi}]RU[{rules}]{turns};B[];W[])"


def count_settled_boards():
    """KaTrain's count from the engine's ownership, under Japanese rules: territory, dead stones, prisoners, komi."""
    boards = [
        (WALL, WHITE, "0.5", "B+2.5"),
        (WALL, WHITE, "-3.5", "B+6.5"),
        # White's stone at A3 is dead: one point more for Black
        (WALL, WHITE + ["ac"], "0.5", "B+3.5"),
        # it is captured by two moves in Black's own territory
        (WALL + ["ad", "bc"], WHITE + ["ac"], "0.5", "B+1.5"),
    ]
    for black, white, komi, expected in boards:
        end = open_game(settled(black, white, komi))
        check(end.end_result == expected, "KaTrain counts", end.end_result, "not", expected, end)
        owners = "".join("B" if owner > 0.5 else "W" if owner < -0.5 else "." for owner in end.current_node.ownership)
        check(owners == "BBBWW" * 5, owners)
    return len(boards)


def rules_and_komi():
    """Komi shifts the lead by its difference; every rule set of KaTrain, and one in words of KataGo, is understood."""
    own = '{"ko":"SIMPLE","scoring":"AREA","tax":"NONE","suicide":false,"hasButton":false,"whiteHandicapBonus":"N"}'
    # nine stones and six points against seven and three
    territory, area = 3, 5
    for komi in (0.5, -3, 20.5):
        game = open_game(settled(WALL, WHITE, komi))
        node = game.current_node
        for rules in [*dict.fromkeys(BaseEngine.RULESETS.values()), own]:
            # as its dialog does
            game.root.set_property("RU", rules)
            game.reset_current_analysis()
            check_node(node, engine, VISITS)
            score = ask(node, visits=100)["rootInfo"]["scoreLead"]
            # stone scoring takes two points from each side's only group
            is_territory = rules in ("japanese", "korean")
            lead, tolerance = (territory, 1.4) if is_territory else (area, 0.9)
            check(abs(score - lead + komi) < tolerance, rules, komi, score)


def handicap():
    """Handicap stones: White moves first, and more stones lead by more."""
    leads = []
    for stones in (2, 5, 9):
        game = open_game(f"(;GM[1]FF[4]SZ[13]KM[0.5]RU[japanese]HA[{stones}])")
        check(len(game.stones) == stones and game.current_node.next_player == "W", game)
        check_node(game.root, engine, VISITS)
        leads.append(game.root.score)
        game.play(Move((2, 6), player="W"))
        check_node(game.current_node, engine, VISITS)
    check(leads[0] < leads[1] < leads[2] and leads[1] > 0, "leads of 2, 5 and 9 stones:", leads)


def undo_and_variations():
    """Moves are taken back while they are analysed, and other moves played: every answer belongs to its own node."""
    game = open_game(GAMES[2][2], at=12)
    for turn in range(8):
        node = game.current_node
        empty = [(x, y) for y, row in enumerate(game.board) for x, chain in enumerate(row) if chain < 0]
        for point in random.sample(empty, 3):
            try:
                game.play(Move(point, player=node.next_player))
                game.undo(int(turn % 3 > 0))
            except IllegalMoveException:
                pass
    wait_for(game.root.nodes_in_tree, engine, VISITS)
    game.undo("branch")
    game.redo(3)
    for node in game.root.nodes_in_tree:
        game.set_current_node(node)
        stones = {stone.coords for stone in game.stones}
        legal = {move.coords for share, move in node.policy_ranking if share >= 0}
        check(not stones & legal and legal, "policy on a stone after", node.depth)
        for candidate in node.candidate_moves:
            move = Move.from_gtp(candidate["move"])
            check(move.is_pass or move.coords not in stones, candidate, "on a stone after", node.depth)
    game.reset_current_analysis()
    check_node(game.current_node, engine, VISITS)


def region():
    """A region of interest restricts the first move of a search, and only that."""
    game = open_game("(;GM[1]FF[4]SZ[13]KM[6.5]RU[chinese];B[dd];W[jj])")
    inside = [0, 4, 6, 12]
    x0, x1, y0, y1 = inside
    node = game.current_node

    def is_inside(vertex):
        point = Move.from_gtp(vertex)
        return point.is_pass or (x0 <= point.coords[0] <= x1 and y0 <= point.coords[1] <= y1)

    response = ask(node, region_of_interest=inside, visits=200)
    moves = response["moveInfos"]
    check(len(moves) > 1 and all(is_inside(move["move"]) for move in moves), [move["move"] for move in moves])
    check(any(not is_inside(vertex) for move in moves for vertex in move["pv"][1:]), "the region restricts answers")
    # a different region by the other field, which KaTrain does not use
    allowed = [{"moves": ["C3", "D3"], "player": "B", "untilDepth": 1}]
    query = {"id": "allowed", "moves": [["B", "D10"], ["W", "K4"]], "rules": "chinese", "komi": 6.5, "maxVisits": 50}
    query.update(boardXSize=13, boardYSize=13, allowMoves=allowed)
    answers = []
    engine.send_query(query, lambda response, partial: answers.append(response), answers.append)
    wait_until(lambda: answers, "allowed moves")
    check({move["move"] for move in answers[0].get("moveInfos", [])} == {"C3", "D3"}, answers[0])
    # in the window: the region stays while moves are played
    game.set_region_of_interest((x0, x1, y0, y1))
    check(game.region_of_interest == inside, game.region_of_interest)
    game.play(Move((2, 9), player="B"))
    check_node(game.current_node, engine, min(VISITS, 25))
    # alternatives to the known moves are other moves
    known = set(node.analysis["moves"])
    response = ask(node, find_alternatives=True)
    check(not known & {move["move"] for move in response["moveInfos"]}, response)


def framed_problem():
    """KaTrain's frame around a life-and-death problem: a full board of stones, set up, and a region."""
    game = open_game("(;GM[1]FF[4]SZ[13]KM[6.5]RU[japanese]AB[ba][bb][bc][ac]AW[ca][cb][cc][bd][ad][cd]PL[W])")
    node, frame = tsumego_frame_from_katrain_game(game, game.komi, False, False, 4)
    check(len(node.placements) > 20 and frame, node.properties)
    game.set_current_node(node)
    (x0, x1), (y0, y1) = frame
    game.set_region_of_interest((x0, x1, y0, y1))
    node.analyze(engine)
    game.analyze_extra("extra")
    check_node(node, engine, VISITS)


def extra_analyses():
    """The entries of the analysis menu, and self-play."""
    # A1 is suicide for White; without an analysis KaTrain sweeps all empty points
    game = open_game("(;GM[1]FF[4]SZ[7]KM[6.5]RU[chinese];B[bg];W[dd];B[af])")
    fresh = game.current_node
    fresh.clear_analysis()
    game.analyze_extra("sweep")
    wait_until(lambda: len(fresh.analysis["moves"]) == 45, "a sweep of all points but A1")
    fresh.analyze(engine)
    check_node(fresh, engine, VISITS)
    fewest = lambda: min(move["visits"] for move in fresh.candidate_moves if move["move"] != "pass")
    game.analyze_extra("equalize")
    wait_until(lambda: fewest() >= VISITS // 4, "equal visits")
    for mode in ("sweep", "alternative", "local", "extra"):
        game.analyze_extra(mode)
    check_node(fresh, engine, VISITS)
    nodes = game.root.nodes_in_tree
    game.analyze_extra("game", mistakes_only=False, visits=VISITS + 10)
    wait_for(nodes, engine, VISITS + 10)
    game.analyze_extra("game", mistakes_only=True, move_range=(1, 3))
    game.analyze_extra("ponder")
    wait_until(lambda: engine.ponder_query, "the start of pondering")
    game.analyze_extra("stop")
    wait_until(engine.is_idle, "the end of all analyses")
    # self-play to the end, and to a position with a wanted lead
    game = open_game(GAMES[0][2], at=14)
    start = game.current_node
    game.selfplay("end")
    # the front end goes to the position before a pass
    wait_until(lambda: game.current_node is not start, "self-play to the end")
    check(game.current_node.candidate_moves[0]["move"] == "pass", "self-play ends with a pass")
    game = open_game(SZ="9", KM="6.5", RU="chinese")
    game.selfplay(16, target_b_advantage=5)
    wait_until(lambda: game.current_node.depth == 16, "a position with a wanted lead")
    check_node(game.current_node, engine, 25)


def saved_analysis():
    """An analysed game is saved with its analysis, and read again."""
    game = open_game(GAMES[0][2], at=5)
    path = os.path.join(HOME.name, "game.sgf")
    game.write_sgf(path, {**katrain.config("trainer"), "save_analysis": True, "save_feedback": [True] * 6})
    with open(path, encoding="utf-8") as file:
        again = KaTrainSGF.parse_sgf(file.read())
    engine.on_new_game()
    read = Game(katrain, engine, move_tree=again)
    wait_for(read.root.nodes_in_tree, engine, VISITS)
    for node, copy in zip(game.root.nodes_in_tree, read.root.nodes_in_tree):
        check(copy.analysis_complete and copy.root_visits == node.root_visits, "saved analysis of", node.depth)


def restart():
    """The engine is restarted in the middle of a review, as in the settings dialog."""
    game = open_game(GAMES[1][2], at=5)
    game.analyze_all_nodes(even_if_present=True)
    engine.restart()
    game.analyze_all_nodes(even_if_present=True)
    wait_for(game.root.nodes_in_tree, engine, VISITS)


moves = strategies()
counted = count_settled_boards()
for part in (rules_and_komi, handicap, undo_and_variations, region, framed_problem, extra_analyses, saved_analysis, restart):
    part()
katrain.check_messages()
engine.shutdown(finish=True)
STDOUT.write(f"{moves} moves of strategies, {counted} boards counted\nevery check passed\n")
