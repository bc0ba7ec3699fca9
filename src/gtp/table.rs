//! The command table: one row for each command. Dispatch, `list_commands`, `known_command`, `help`, the suggestions for
//! unknown commands, completion at the terminal and the replay of logs all read it.
//!
//! A row has the name, the arguments, the subject and the handler. Then come, where a command has them, its effect on
//! the game (`game`), the reason why its answer may differ in a replay (`repeatability`), `not listed` for `list_commands`,
//! the help on its arguments (`details`); and its purpose.

use crate::gtp::command::{self, Command, GameEffect, Handler, Repeatability, Subject};
use crate::gtp::commands::{
    admin, analyze, dragons, estimate, files, game, genmove, gogui, gogui_rules, invariant_hash, net, params, query,
    ren_db, rules, scoring, setup, tactics, time,
};
use crate::gtp::help;

/// The command with this name. Names are case-sensitive.
pub fn find(name: &str) -> Option<&'static Command> {
    command::find(COMMANDS, name)
}

macro_rules! commands {
    ($($name:literal $arguments:literal $subject:ident $handler:ident($run:path), $(game $game:ident,)?
        $(repeatability $repeatability:ident,)? $(not $listed:ident,)? $(details $details:path,)? $help:literal;)*) => {
        /// Every command, sorted by name.
        pub static COMMANDS: &[Command] = &[$(Command {
            name: $name,
            arguments: $arguments,
            help: $help,
            subject: Subject::$subject,
            effect: commands!(@effect $($game)?),
            repeatability: commands!(@repeatability $($repeatability)?),
            is_listed: commands!(@listed $($listed)?),
            details: commands!(@details $($details)?),
            handler: Handler::$handler($run),
        }),*];
    };
    (@effect $game:ident) => { GameEffect::$game };
    (@effect) => { GameEffect::None };
    (@repeatability $repeatability:ident) => { Repeatability::$repeatability };
    (@repeatability) => { Repeatability::Repeatable };
    (@listed $listed:ident) => { false };
    (@listed) => { true };
    (@details $details:path) => { Some($details) };
    (@details) => { None };
}

commands! {
    "accurate_approxlib" "COLOR VERTEX" Show Reply(query::accuratelib), details query::accuratelib_help, "Same as accuratelib.";
    "accuratelib" "COLOR VERTEX" Show Reply(query::accuratelib), details query::accuratelib_help, "Lists the liberties that a stone would have at an empty point.";
    "all_legal" "COLOR" Show Reply(query::all_legal), "Lists the points where a colour may play.";
    "all_move_values" "" Analysis Reply(estimate::all_move_values), details estimate::weight_help, "Searches the position and lists all moves with their weights, one a line.";
    "attack" "VERTEX" Score Reply(tactics::attack), details tactics::attack_help, "Whether a ladder captures the ren at a point, and by which move.";
    "black" "VERTEX" Game Reply(game::black), game Changes, details game::move_help, "Plays a black stone, or passes for Black.";
    "board" "" Show Reply(query::board), "Draws the walled board, rank 1 at the top.";
    "board_set" "file PATH" Setup Reply(setup::board_set), game Starts, details setup::board_set_help, "Sets up the position of a drawn board in a file.";
    "boardsize" "WIDTH [HEIGHT]" Game Reply(game::boardsize), game Starts, details game::boardsize_help, "Starts a new game on an empty board. Komi and rules stay.";
    "can_not_put_on_my_eye" "get | set true|false" Rules Reply(rules::can_not_put_on_my_eye), game Changes, details rules::my_eye_help, "Shows or sets whether filling one's own one-point eye is refused.";
    "captures" "COLOR" Show Reply(query::captures), "Number of stones that a colour has captured.";
    "cgos-gameover" "RESULT" Protocol Reply(admin::cgos_gameover), details admin::cgos_result_help, "Writes the result of a game on CGOS to the logs.";
    "cgos-opponent_name" "NAME" Protocol Reply(admin::cgos_opponent), game Changes, details admin::cgos_name_help, "The name of the opponent on CGOS: sets the rules of that server.";
    "cgos-opponent_rating" "RATING" Protocol Reply(admin::cgos_opponent), game Changes, details admin::cgos_rating_help, "The rating of the opponent on CGOS: sets the rules of that server.";
    "clear_board" "" Game Reply(game::clear_board), game Starts, "Starts a new game on an empty board. Komi and rules stay.";
    "clear_cache" "" Parameters Reply(params::clear_cache), "Clears search tree and evaluation cache.";
    "color" "VERTEX" Show Reply(query::color), "Content of a point: black, white or empty.";
    "countlib" "VERTEX" Show Reply(query::countlib), "Number of liberties of the ren at a point.";
    "cputime" "" Protocol Reply(time::cputime), repeatability Time, "Processor time used by the engine, in seconds.";
    "defend" "VERTEX" Score Reply(tactics::defend), details tactics::defend_help, "Whether a move saves the ren at a point from capture by a ladder, and which.";
    "does_attack" "MOVE VERTEX" Score Reply(tactics::does_attack), details tactics::tried_help, "1 if a move of the opponent captures the ren at a point, by a ladder or at once.";
    "does_defend" "MOVE VERTEX" Score Reply(tactics::does_defend), details tactics::tried_help, "1 if no ladder captures the ren at a point after a move of its owner.";
    "dragon_data" "[VERTEX]" Score Reply(dragons::dragon_data), details dragons::data_help, "Colour, size, status, neighbours and rens of a group, or of all groups.";
    "dragon_status" "[VERTEX]" Score Reply(dragons::dragon_status), details dragons::status_help, "Status of the group at a point, or of all groups: alive, dead or unknown.";
    "dragon_stones" "[VERTEX|COLOR]" Show Reply(dragons::dragon_stones), details dragons::stones_help, "Stones of the group at a point, or of all groups of a colour or both, one group a line.";
    "echo" "[TEXT]" Protocol Reply(admin::echo), details admin::echo_help, "Answers the rest of the line.";
    "echo_err" "[TEXT]" Protocol Reply(admin::echo_err), details admin::echo_help, "Answers the rest of the line and writes it to stderr.";
    "estimate_score" "" Score Reply(estimate::estimate_score), details estimate::estimate_help, "Estimates the score of an unfinished game by two searches, one for each player to move.";
    "experimental_score" "COLOR" Score Reply(estimate::experimental_score), details estimate::experimental_help, "Estimates the score with a player to move: White's lead in points.";
    "final_score" "" Score Reply(scoring::final_score), "The score, such as W+6.5, with dame filled and dead stones removed; an estimate while the game is unfinished.";
    "final_status" "VERTEX" Score Reply(scoring::final_status), details scoring::final_status_help, "Status of a point in the final score.";
    "final_status_list" "alive|seki|dead" Score Reply(scoring::final_status_list), details scoring::status_help, "Lists the rens with a status, one ren a line.";
    "find_all_rens" "" Rendb Reply(ren_db::find_all_rens), "Adds all rens of the position to the ren database.";
    "findlib" "VERTEX" Show Reply(query::findlib), "Lists the liberties of the ren at a point.";
    "fixed_handicap" "N" Setup Reply(setup::fixed_handicap), game Changes, details setup::fixed_handicap_help, "Places handicap stones on the traditional points of an empty board.";
    "genmove" "COLOR" Genmove Reply(genmove::genmove), game Changes, "Chooses a move and plays it; answers a vertex, pass or resign.";
    "genmove_black" "" Genmove Reply(genmove::genmove_black), game Changes, "Same as genmove black.";
    "genmove_debug" "COLOR" Genmove Reply(genmove::genmove_debug), game Changes, "Same as genmove; writes the searched moves to stderr.";
    "genmove_white" "" Genmove Reply(genmove::genmove_white), game Changes, "Same as genmove white.";
    "get_handicap" "" Show Reply(query::get_handicap), "Number of handicap stones.";
    "get_komi" "" Rules Reply(query::get_komi), "Komi.";
    "get_random_seed" "" Parameters Reply(params::get_random_seed), "Seed of random numbers.";
    "gg-undo" "[MOVES]" Game Reply(game::gg_undo), game Changes, details game::gg_undo_help, "Takes back several moves.";
    "gg_genmove" "COLOR [SEED]" Genmove Reply(genmove::gg_genmove), details genmove::gg_genmove_help, "Same as reg_genmove, with a seed of random numbers.";
    "gogui-analyze_commands" "" Gogui Reply(gogui::gogui_analyze_commands), "Lists the commands of GoGui's Analyze window.";
    "gogui-interrupt" "" Gogui Reply(admin::gogui_interrupt), "Does nothing. GoGui looks for it before it stops a search by a comment line.";
    "gogui-play_sequence" "COLOR VERTEX ..." Game Reply(game::gogui_play_sequence), game Changes, details game::move_help, "Plays several moves, or none if one of them is illegal.";
    "gogui-rules_board" "" Gogui Reply(gogui_rules::board), not listed, "Draws the position for GoGui: X is Black, O is White.";
    "gogui-rules_board_size" "" Gogui Reply(gogui_rules::board_size), not listed, "Size of the board: one number, or width and height.";
    "gogui-rules_captured_count" "" Gogui Reply(gogui_rules::captured_count), not listed, "Number of stones that Black has captured, then White.";
    "gogui-rules_final_result" "" Gogui Reply(gogui_rules::final_result), not listed, "The score as a sentence.";
    "gogui-rules_game_id" "" Gogui Reply(gogui_rules::game_id), not listed, "Name of the game: Go.";
    "gogui-rules_legal_moves" "" Gogui Reply(gogui_rules::legal_moves), not listed, "Lists the legal moves of the side to move; empty after two passes.";
    "gogui-rules_side_to_move" "" Gogui Reply(gogui_rules::side_to_move), not listed, "The side to move: black or white.";
    "gogui-setup" "COLOR VERTEX ..." Setup Reply(setup::gogui_setup), game Changes, "Sets up stones on an empty board.";
    "gogui-setup_player" "COLOR" Setup Reply(setup::gogui_setup_player), game Changes, "Sets the side to move.";
    "gogui-title" "" Gogui Reply(gogui::gogui_title), "Title for a window: engine, board size, rules and komi.";
    "gomill-cpu_time" "" Protocol Reply(time::cputime), repeatability Time, "Same as cputime.";
    "gomill-describe_engine" "" Protocol Reply(admin::gomill_describe_engine), repeatability Version, "Name, version and rules, on several lines.";
    "help" "[COMMAND]" Protocol Table(help::help), details help::command_help, "Lists all commands by subject, or explains one with all its arguments.";
    "invariant_hash" "" Show Reply(invariant_hash::invariant_hash), "Hash of the stones and the ko, the same for rotated and reflected boards.";
    "invariant_hash_for_moves" "COLOR" Show Reply(invariant_hash::invariant_hash_for_moves), "That hash after each legal move of a colour, one move a line.";
    "is_legal" "COLOR VERTEX" Show Reply(query::is_legal), details game::move_help, "1 if a colour may play there, 0 if not.";
    "kata-analyze" "[COLOR] [N] [KEY VALUE]" Analysis Analysis(analyze::kata_analyze), details analyze::kata_until_input_help, "Searches until the next line of input and reports all moves, in the form of KataGo.";
    "kata-benchmark" "VISITS" Parameters Reply(net::kata_benchmark), repeatability Time, details net::benchmark_help, "Measures searches by net on ten positions: visits and evaluations a second.";
    "kata-debug-print-tc" "" Time Reply(time::kata_debug_print_tc), repeatability DependsOnSearchTime, "Time settings, clocks and the time of the next move of both players, in the form of KataGo.";
    "kata-genmove_analyze" "[COLOR] [N] [KEY VALUE]" Analysis Analysis(analyze::kata_genmove_analyze), game Changes, details analyze::kata_help, "Chooses a move, plays it and reports the search, in the form of KataGo.";
    "kata-get-models" "" Analysis Reply(net::kata_get_models), repeatability Version, "The net of level 10 and of analyses, as a JSON list.";
    "kata-get-param" "NAME" Parameters Reply(params::kata_get_param), repeatability OptionNames, details params::param_help, "Value of a search parameter.";
    "kata-get-params" "" Parameters Reply(params::kata_get_params), repeatability OptionNames, "All search parameters with their values, as a JSON object.";
    "kata-get-rules" "" Rules Reply(rules::kata_get_rules), "The rules, as a JSON object.";
    "kata-list-params" "" Parameters Reply(params::kata_list_params), repeatability OptionNames, "Names of the search parameters.";
    "kata-list_time_settings" "" Time Reply(time::kata_list_time_settings), "Names of the time systems of kata-time_settings.";
    "kata-raw-nn" "[COLOR] [SYMMETRY|all] [OPTIMISM]" Analysis Reply(net::kata_raw_nn), not listed, details net::raw_help, "Output of a net with a score head for the position, in KataGo's form.";
    "kata-search" "COLOR" Genmove Reply(genmove::kata_search), "Chooses a move without playing it; answers a vertex, pass or resign.";
    "kata-search_analyze" "[COLOR] [N] [KEY VALUE]" Analysis Analysis(analyze::kata_search_analyze), details analyze::kata_help, "Chooses a move without playing it and reports the search, in the form of KataGo.";
    "kata-search_analyze_cancellable" "[COLOR] [N] [KEY VALUE]" Analysis Analysis(analyze::kata_search_analyze_cancellable), details analyze::kata_help, "Same as kata-search_analyze; any line cancels it, and the answer ends with play cancelled.";
    "kata-search_cancellable" "COLOR" Genmove Reply(genmove::kata_search_cancellable), details genmove::cancellable_help, "Same as kata-search; any line cancels it; the answer is then the word cancelled.";
    "kata-search_debug" "COLOR" Genmove Reply(genmove::kata_search_debug), "Same as kata-search; writes the searched moves to stderr.";
    "kata-set-param" "NAME VALUE" Parameters Reply(params::kata_set_param), repeatability OptionNames, details params::set_param_help, "Sets a search parameter until the engine ends.";
    "kata-set-params" "JSON" Parameters Reply(params::kata_set_params), repeatability OptionNames, details params::set_params_help, "Sets several search parameters, or none if one of them is refused.";
    "kata-set-rule" "KEY VALUE" Rules Reply(rules::kata_set_rule), game Changes, details rules::set_rule_help, "Changes one rule.";
    "kata-set-rules" "NAME|JSON" Rules Reply(rules::kata_set_rules), game Changes, details rules::set_rules_help, "Sets the rules, by the name of a rule set or key by key. Komi stays.";
    "kata-time_settings" "SYSTEM [NUMBER ...]" Time Reply(time::kata_time_settings), details time::kata_help, "Sets the time system, as KataGo's command does.";
    "kgs-game_over" "" Protocol Reply(admin::kgs_game_over), "Ends a game on KGS. The position stays.";
    "kgs-genmove_cleanup" "COLOR" Genmove Reply(genmove::kgs_genmove_cleanup), game Changes, "Same as genmove, but captures dead stones before it passes.";
    "kgs-rules" "NAME" Rules Reply(rules::kgs_rules), game Changes, details rules::kgs_help, "Sets the rules by a name of KGS. Komi stays.";
    "kgs-time_settings" "SYSTEM [NUMBER ...]" Time Reply(time::kgs_time_settings), details time::kgs_help, "Sets the time system, as KGS does.";
    "kifuwarabe-criticality" "" Gogui Reply(gogui::criticality), "Covariance of owning a point and winning, for each point.";
    "kifuwarabe-get_liberty" "VERTEX" Gogui Reply(gogui::show_liberty), "The ren at a point and its liberties, as graphics.";
    "kifuwarabe-legal_moves" "COLOR" Gogui Reply(gogui::legal_moves), "Legal points, and why others are illegal, as graphics.";
    "kifuwarabe-ownership" "" Gogui Reply(gogui::ownership), "Expected owner of each point: 1 is Black, -1 is White.";
    "kifuwarabe-rens" "" Gogui Reply(gogui::rens), "Each ren in a colour with its number of liberties, as graphics.";
    "kifuwarabe-rule_params" "[KEY VALUE]" Gogui Reply(params::rule_params), game Changes, details params::rule_dialog_help, "Shows or sets rules and komi, for GoGui's dialog.";
    "kifuwarabe-safe" "" Gogui Reply(gogui::safe), "Unconditionally alive stones and their territory, as graphics.";
    "kifuwarabe-score_details" "" Score Reply(scoring::score_details), "The score in detail, as JSON: what was filled, dead stones, seki, and the owner of each point.";
    "kifuwarabe-search_params" "[KEY VALUE]" Gogui Reply(params::search_params), repeatability OptionNames, details params::search_dialog_help, "Shows or sets search parameters, for GoGui's dialog.";
    "kifuwarabe-variation" "" Gogui Reply(gogui::variation), "The principal variation.";
    "kifuwarabe-visits" "" Gogui Reply(gogui::visits), "Visits of each move.";
    "known_command" "NAME" Protocol Table(help::known_command), details help::name_help, "Whether there is a command with that name: true or false.";
    "komi" "POINTS" Rules Reply(rules::komi), game Changes, details rules::komi_help, "Sets the points added to White's score.";
    "ladder_attack" "VERTEX" Score Reply(tactics::ladder_attack), details tactics::attack_help, "Whether a ladder captures a ren with two liberties, and by which move.";
    "last_move" "" Show Reply(query::last_move), "The last move with its colour.";
    "level" "[N]" Parameters Reply(params::level), details params::level_help, "Shows or sets the playing strength.";
    "list_commands" "" Protocol Table(help::list_commands), "Lists the names of the commands, one a line, without gogui-rules_* and kata-raw-nn.";
    "list_stones" "COLOR" Show Reply(query::list_stones), "Lists the points of a colour's stones.";
    "loadsgf" "FILE [MOVE_NUMBER]" Files Reply(files::loadsgf), game Starts, details files::loadsgf_help, "Loads a game record.";
    "lz-analyze" "[COLOR] [N] [KEY VALUE]" Analysis Analysis(analyze::lz_analyze), details analyze::lz_until_input_help, "Searches until the next line of input and reports all moves, in the form of Leela Zero.";
    "lz-genmove_analyze" "[COLOR] [N] [KEY VALUE]" Analysis Analysis(analyze::lz_genmove_analyze), game Changes, details analyze::lz_help, "Chooses a move, plays it and reports the search, in the form of Leela Zero.";
    "move_history" "" Show Reply(query::move_history), "Lists the moves since the position was set up, newest first.";
    "name" "" Protocol Reply(admin::name), "Name of the engine.";
    "new_score" "" Score Reply(estimate::estimate_score), details estimate::estimate_help, "Same as estimate_score.";
    "place_free_handicap" "N" Setup Reply(setup::place_free_handicap), game Changes, details setup::free_handicap_help, "Places handicap stones on points chosen by the engine.";
    "play" "COLOR VERTEX" Game Reply(game::play), game Changes, details game::move_help, "Plays a stone or passes.";
    "popgo" "" Game Reply(game::popgo), game Changes, "Takes back the last move of trymove.";
    "print_board" "[FILE] [rens] [ownership] [variation] [from N] [to N]" Files Reply(files::print_board), details files::print_board_help, "Draws the position as a picture in SVG or PNG, or moves as an animated GIF or SVG.";
    "printsgf" "[FILE]" Files Reply(files::printsgf), repeatability Version, details files::printsgf_help, "The game as an SGF record.";
    "protocol_version" "" Protocol Reply(admin::protocol_version), "Version of GTP: 2.";
    "query_boardsize" "" Show Reply(query::query_boardsize), "Size of the board: one number, or width and height if they differ.";
    "quit" "" Game Reply(admin::quit), "Ends the engine.";
    "record" "[captures]" Show Reply(query::record), details query::record_help, "The moves since the position was set up.";
    "rectangular_boardsize" "WIDTH [HEIGHT]" Game Reply(game::boardsize), game Starts, details game::boardsize_help, "Same as boardsize: the name that controllers use for boards that are not square.";
    "reg_genmove" "COLOR" Genmove Reply(genmove::reg_genmove), "Chooses a move without playing it. Never answers resign.";
    "remove_ren" "VERTEX" Setup Reply(setup::remove_ren), game Changes, "Removes the ren at a point from the board. This is no move and takes no prisoners.";
    "rendb_board" "[ORDINAL]" Rendb Reply(ren_db::rendb_board), details ren_db::rendb_board_help, "Draws the positions of the ren database.";
    "rendb_dump" "" Rendb Reply(ren_db::rendb_dump), "Lists the ren database: name and points of each ren.";
    "rendb_load" "PATH" Rendb Reply(ren_db::rendb_load), details ren_db::path_help, "Replaces the ren database by that of a file.";
    "rendb_save" "PATH" Rendb Reply(ren_db::rendb_save), details ren_db::path_help, "Writes the ren database to a file.";
    "restricted_genmove" "COLOR VERTEX ..." Genmove Reply(genmove::restricted_genmove), details genmove::restricted_help, "Chooses one of the given moves without playing it. Never answers resign.";
    "same_dragon" "VERTEX VERTEX" Show Reply(dragons::same_dragon), "1 if the stones at two points are of one group, 0 if not.";
    "set_free_handicap" "VERTEX ..." Setup Reply(setup::set_free_handicap), game Changes, "Places handicap stones on these points of an empty board.";
    "set_position" "COLOR VERTEX ..." Setup Reply(setup::set_position), game Starts, "Sets up a position of these stones.";
    "set_random_seed" "N" Parameters Reply(params::set_random_seed), details params::seed_help, "Sets the seed of random numbers.";
    "showboard" "" Show Reply(query::showboard), "Draws the position with rank 1 at the bottom, side to move, komi and prisoners.";
    "stop" "" Analysis Reply(admin::stop), "Does nothing: every line of input ends an analysis.";
    "test_coord" "VERTEX" Coordinates Reply(query::test_coord), "Index of a point in the walled board.";
    "test_file" "VERTEX" Coordinates Reply(query::test_file), "File (column letter) of a point.";
    "test_get_liberty" "VERTEX" Show Reply(query::test_get_liberty), "The ren at a point: colour, number of points and liberties, adjacent colours.";
    "test_get_point_from_code" "VERTEX" Coordinates Reply(query::test_get_point_from_code), "Index and name of a point.";
    "test_get_point_from_xy" "X Y" Coordinates Reply(query::test_get_point_from_xy), details query::xy_help, "Index of a cell of the walled board.";
    "test_rank" "VERTEX" Coordinates Reply(query::test_rank), "Rank (row number) of a point.";
    "test_x" "N" Coordinates Reply(query::test_x), details query::x_help, "File (column letter) of a column.";
    "test_y" "N" Coordinates Reply(query::test_y), details query::y_help, "Rank (row number) of a row.";
    "time_left" "COLOR SECONDS STONES" Time Reply(time::time_left), details time::time_left_help, "Sets the remaining time of a player.";
    "time_settings" "MAIN BYO_YOMI STONES" Time Reply(time::time_settings), details time::time_settings_help, "Sets main time and Canadian byo-yomi.";
    "top_moves" "" Analysis Reply(estimate::top_moves), details estimate::weight_help, "Searches the position and lists the best moves with their weights.";
    "top_moves_black" "" Analysis Reply(estimate::top_moves_black), details estimate::weight_help, "Same as top_moves, with Black to move.";
    "top_moves_white" "" Analysis Reply(estimate::top_moves_white), details estimate::weight_help, "Same as top_moves, with White to move.";
    "trymove" "COLOR VERTEX" Game Reply(game::trymove), game Changes, details game::move_help, "Plays a move that popgo takes back.";
    "unconditional_status" "VERTEX" Score Reply(scoring::unconditional_status), details scoring::unconditional_help, "Status of a point by Benson's theorem, however both sides play.";
    "undo" "" Game Reply(game::undo), game Changes, "Takes back the last move.";
    "version" "" Protocol Reply(admin::version), repeatability Version, "Version of the engine.";
    "white" "VERTEX" Game Reply(game::white), game Changes, details game::move_help, "Plays a white stone, or passes for White.";
    "worm_data" "[VERTEX]" Score Reply(tactics::worm_data), details tactics::worm_data_help, "Colour, size, liberties, attack and defence of a ren, or of all rens.";
    "worm_stones" "[VERTEX|COLOR]" Show Reply(query::worm_stones), details query::worm_help, "Stones of the ren at a point, or of all rens of a colour or both, one ren a line.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_names_are_lower_case() {
        assert!(COMMANDS.is_sorted_by(|a, b| a.name < b.name));
        for command in COMMANDS {
            assert!(command.help.ends_with('.'), "{}", command.name);
            assert!(command.details.is_none_or(|details| !details().is_empty()), "{}", command.name);
            assert!(command.name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-".contains(&byte)));
        }
    }
}
