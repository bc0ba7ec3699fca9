//! The command table. Dispatch, `list_commands`, `known_command`, `help` and the terminal's completion all read it.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::commands::{
    admin, analyze, coordinates, dialogs, extensions, game, genmove, gogui, handicap, inspect, params, pictures, query,
    rendb, rules, scoring, setup, sgf_files, time,
};
use crate::gtp::response::{CommandError, Reply};

/// A command that the engine knows.
pub struct Command {
    /// What is typed.
    pub name: &'static str,
    /// Names of its arguments, as `COLOR VERTEX`.
    pub arguments: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Does it.
    pub run: fn(&mut Engine, &mut Args<'_>) -> Result<Reply, CommandError>,
}

/// The command of this name. Names are case-sensitive.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

macro_rules! commands {
    ($($name:literal $arguments:literal $run:path, $help:literal;)*) => {
        /// Every command, sorted by name.
        pub static COMMANDS: &[Command] =
            &[$(Command { name: $name, arguments: $arguments, help: $help, run: $run }),*];
    };
}

commands! {
    "all_legal" "COLOR" query::all_legal, "The points where a colour may play.";
    "board" "" inspect::board, "Draws the walled board, rank 1 at the top.";
    "board_set" "file PATH" game::board_set, "Sets the position from a drawn board in a file.";
    "boardsize" "N" game::boardsize, "Begins again on an empty board of N x N points, 2 to 25.";
    "can_not_put_on_my_eye" "get | set true|false" game::can_not_put_on_my_eye, "Whether filling one's own one-point eye is refused.";
    "captures" "COLOR" query::captures, "How many stones a colour has taken.";
    "cgos-gameover" "RESULT" extensions::noted, "Notes the result of a game on CGOS in the logs.";
    "cgos-opponent_name" "NAME" extensions::noted, "Notes the opponent on CGOS in the logs.";
    "cgos-opponent_rating" "RATING" extensions::noted, "Notes the opponent's rating on CGOS in the logs.";
    "clear_board" "" game::clear_board, "Begins again on an empty board.";
    "color" "VERTEX" query::color, "What stands on a point: black, white or empty.";
    "countlib" "VERTEX" query::countlib, "How many liberties the ren at a point has.";
    "cputime" "" time::cputime, "Processor time used by the engine, in seconds.";
    "final_score" "" scoring::final_score, "Who is ahead when both players stop, and by how much.";
    "final_status_list" "alive|seki|dead" scoring::final_status_list, "The rens of a status, one a line.";
    "find_all_rens" "" rendb::find_all_rens, "Adds the rens of this position that the ren database lacks.";
    "findlib" "VERTEX" query::findlib, "The liberties of the ren at a point.";
    "fixed_handicap" "N" handicap::fixed_handicap, "Puts N handicap stones on their traditional points.";
    "genmove" "COLOR" genmove::genmove, "Chooses a move and plays it.";
    "get_handicap" "" query::get_handicap, "How many handicap stones Black has had.";
    "get_komi" "" query::get_komi, "The points added to White's score.";
    "gg-undo" "[MOVES]" setup::gg_undo, "Takes several moves back, or one.";
    "gogui-analyze_commands" "" gogui::gogui_analyze_commands, "What the engine can show in GoGui.";
    "gogui-interrupt" "" genmove::gogui_interrupt, "Says that the line # interrupt ends a search.";
    "gogui-play_sequence" "COLOR VERTEX ..." setup::gogui_play_sequence, "Plays several moves, all or none.";
    "gogui-setup" "COLOR VERTEX ..." setup::gogui_setup, "Sets stones on an empty board.";
    "gogui-setup_player" "COLOR" setup::gogui_setup_player, "Says whose turn it is.";
    "gogui-title" "" gogui::gogui_title, "A title for a window: the engine and the game.";
    "gomill-cpu_time" "" time::cputime, "As cputime.";
    "gomill-describe_engine" "" extensions::gomill_describe_engine, "Name, version and rules, in several lines.";
    "help" "[COMMAND]" admin::help, "Says what a command does, or lists all commands.";
    "is_legal" "COLOR VERTEX" query::is_legal, "1 if a colour may play there, otherwise 0.";
    "kata-analyze" "[COLOR] [N] [KEY VALUE]" analyze::kata_analyze, "Searches until any line comes, and says what it finds in KataGo's words.";
    "kata-genmove_analyze" "[COLOR] [N] [KEY VALUE]" analyze::kata_genmove_analyze, "As genmove, and says what it finds in KataGo's words.";
    "kata-get-param" "NAME" params::kata_get_param, "The value of one of the search's parameters.";
    "kata-get-params" "" params::kata_get_params, "The search's parameters with their values, as JSON.";
    "kata-get-rules" "" rules::kata_get_rules, "The rules agreed on, as JSON.";
    "kata-list-params" "" params::kata_list_params, "The names of the search's parameters.";
    "kata-list_time_settings" "" time::kata_list_time_settings, "The time systems that kata-time_settings knows.";
    "kata-search_analyze" "[COLOR] [N] [KEY VALUE]" analyze::kata_search_analyze, "As kata-genmove_analyze, but the move is not played.";
    "kata-set-param" "NAME VALUE" params::kata_set_param, "Changes one of the search's parameters.";
    "kata-set-rule" "KEY VALUE" rules::kata_set_rule, "Changes one of the rules agreed on.";
    "kata-set-rules" "NAME|JSON" rules::kata_set_rules, "Sets the rules agreed on, by name or key by key.";
    "kata-time_settings" "SYSTEM [NUMBER ...]" time::kata_time_settings, "Sets the time agreed on, by KataGo's names.";
    "kgs-game_over" "" extensions::kgs_game_over, "Hears that a game on KGS is over; the position stays.";
    "kgs-genmove_cleanup" "COLOR" genmove::kgs_genmove_cleanup, "Chooses a move and plays it, taking dead stones.";
    "kgs-rules" "NAME" rules::kgs_rules, "Sets the rules agreed on, by KGS's names.";
    "kgs-time_settings" "SYSTEM [NUMBER ...]" time::kgs_time_settings, "Sets the time agreed on, by KGS's names.";
    "kifuwarabe-criticality" "" gogui::criticality, "How much owning each point goes along with winning.";
    "kifuwarabe-get_liberty" "VERTEX" gogui::show_liberty, "The ren at a point and its liberties, as graphics.";
    "kifuwarabe-legal_moves" "COLOR" gogui::legal_moves, "Where a colour may play and why not elsewhere, as graphics.";
    "kifuwarabe-ownership" "" gogui::ownership, "Whose each point will be: 1 Black's, -1 White's.";
    "kifuwarabe-rens" "" gogui::rens, "Each ren in a colour, with its liberties, as graphics.";
    "kifuwarabe-rule_params" "[KEY VALUE]" dialogs::rule_params, "The rules agreed on as GoGui's dialogs show and change them.";
    "kifuwarabe-safe" "" gogui::safe, "What lives however both sides play, as graphics.";
    "kifuwarabe-search_params" "[KEY VALUE]" dialogs::search_params, "The search's parameters as GoGui's dialogs show and change them.";
    "kifuwarabe-variation" "" gogui::variation, "What both players are expected to play.";
    "kifuwarabe-visits" "" gogui::visits, "How often the search tries each move.";
    "known_command" "NAME" admin::known_command, "Says whether there is a command of that name.";
    "komi" "POINTS" game::komi, "Sets the points added to White's score.";
    "last_move" "" query::last_move, "The last move, with its colour.";
    "level" "[N]" params::level, "Sets how strong to play, 1 to 10; alone, says it.";
    "list_commands" "" admin::list_commands, "Names all commands, one a line.";
    "list_stones" "COLOR" query::list_stones, "The points where a colour has stones.";
    "loadsgf" "FILE [MOVE_NUMBER]" sgf_files::loadsgf, "Begins again from a game record, before a move or at its end.";
    "lz-analyze" "[COLOR] [N] [KEY VALUE]" analyze::lz_analyze, "Searches until any line comes, and says what it finds in Leela Zero's words.";
    "lz-genmove_analyze" "[COLOR] [N] [KEY VALUE]" analyze::lz_genmove_analyze, "As genmove, and says what it finds in Leela Zero's words.";
    "move_history" "" query::move_history, "The moves since the position was set, newest first.";
    "name" "" admin::name, "The engine's name.";
    "place_free_handicap" "N" handicap::place_free_handicap, "Puts N handicap stones where the engine likes.";
    "play" "COLOR VERTEX" game::play, "Plays a stone, or passes.";
    "print_board" "[FILE.svg] [rens] [ownership] [variation]" pictures::print_board, "The position as a picture in SVG, or writes it to a file.";
    "printsgf" "[FILE]" sgf_files::printsgf, "The game as a record, or writes it to a file.";
    "protocol_version" "" admin::protocol_version, "The version of GTP that is spoken.";
    "query_boardsize" "" query::query_boardsize, "The number of points in a row.";
    "quit" "" admin::quit, "Ends the engine.";
    "record" "[captures]" inspect::record, "The moves since the position was set; with `captures`, those that took stones and which.";
    "reg_genmove" "COLOR" genmove::reg_genmove, "Chooses a move without playing it.";
    "remove_ren" "VERTEX" game::remove_ren, "Takes the ren at a point off the board, by hand.";
    "rendb_board" "[ORDINAL]" rendb::rendb_board, "Draws the positions held in the ren database, or one of them.";
    "rendb_dump" "" rendb::rendb_dump, "Lists the ren database: each ren's name and points.";
    "rendb_load" "PATH" rendb::rendb_load, "Replaces the ren database by one read from a file.";
    "rendb_save" "PATH" rendb::rendb_save, "Writes the ren database to a file.";
    "set_free_handicap" "VERTEX ..." handicap::set_free_handicap, "Puts handicap stones on these points.";
    "set_position" "COLOR VERTEX ..." setup::set_position, "Sets the position to these stones.";
    "showboard" "" inspect::showboard, "Draws the position as GTP engines do, rank 1 at the bottom.";
    "test_coord" "VERTEX" coordinates::test_coord, "The number of a point in the walled board.";
    "test_file" "VERTEX" coordinates::test_file, "The file of a point.";
    "test_get_liberty" "VERTEX" inspect::test_get_liberty, "The ren at a point: colour, points, liberties, colours next to it.";
    "test_get_point_from_code" "VERTEX" coordinates::test_get_point_from_code, "The number and the name of a point.";
    "test_get_point_from_xy" "X Y" coordinates::test_get_point_from_xy, "The number of the cell in column X and row Y, counted with the frame from 0.";
    "test_rank" "VERTEX" coordinates::test_rank, "The rank of a point.";
    "test_x" "N" coordinates::test_x, "The file of column N, counted without the frame from 0.";
    "test_y" "N" coordinates::test_y, "The rank of row N, counted without the frame from 0.";
    "time_left" "COLOR SECONDS STONES" time::time_left, "Hears what a clock shows.";
    "time_settings" "MAIN BYO_YOMI STONES" time::time_settings, "Sets the time agreed on, in seconds.";
    "unconditional_status" "VERTEX" scoring::unconditional_status, "What is sure of a point however both sides play.";
    "undo" "" game::undo, "Takes the last move back.";
    "version" "" admin::version, "The engine's version.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_says_what_each_command_does() {
        assert!(COMMANDS.is_sorted_by(|a, b| a.name < b.name));
        for command in COMMANDS {
            assert!(command.help.ends_with('.'), "{}", command.name);
            assert!(command.name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-".contains(&byte)));
        }
    }
}
