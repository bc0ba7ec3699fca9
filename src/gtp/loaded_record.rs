//! The record that `loadsgf` has loaded: the properties and the result that `printsgf` keeps.

use crate::kernel::{GameRule, Position};
use crate::sgf::{self, GameRecord};

/// A loaded record, until another game begins.
pub(crate) struct LoadedRecord {
    /// The record as it was read.
    record: GameRecord,
    /// The game at the end of the record; `None` if a later move than those loaded is illegal.
    at_end: Option<GameRecord>,
    /// Rules and komi of the result: the record's, or else those in use when it was loaded. `None` if the record has
    /// rules or a komi that are not known here.
    rule: Option<GameRule>,
}

impl LoadedRecord {
    /// A record whose whole game ends in the position `end`, if its moves are legal. `used`: the rules in use.
    pub(crate) fn new(record: GameRecord, end: Option<&Position>, used: &GameRule) -> LoadedRecord {
        let at_end = end.map(sgf::record_of);
        let rule = if record.rules.is_none() { Some(*used) } else { sgf::rules_of(&record, used) };
        let rule = rule.filter(|_| record.unclear_komi.is_none());
        LoadedRecord { record, at_end, rule }
    }

    /// Gives `game` the properties of the record that do not depend on moves or rules.
    pub(crate) fn copy_properties(&self, game: &mut GameRecord) {
        let record = &self.record;
        game.black.clone_from(&record.black);
        game.white.clone_from(&record.white);
        game.date.clone_from(&record.date);
        game.time_limit.clone_from(&record.time_limit);
        game.overtime.clone_from(&record.overtime);
        game.name.clone_from(&record.name);
        game.game_info.clone_from(&record.game_info);
    }

    /// Whether the record has a result, and `game` is its whole game, with the same moves and stones.
    pub(crate) fn has_result_of(&self, game: &GameRecord) -> bool {
        let is_same =
            |end: &GameRecord| (&end.setup, &end.to_play, &end.turns) == (&game.setup, &game.to_play, &game.turns);
        self.record.result.is_some() && self.at_end.as_ref().is_some_and(is_same)
    }

    /// The result of the record: a win by resignation, on time or by forfeit is one under all rules, any other under the
    /// record's rules and komi only.
    pub(crate) fn result_under(&self, used: &GameRule) -> Option<String> {
        // filling one's own eye is no matter of the score
        let can_not_put_on_my_eye = used.can_not_put_on_my_eye;
        let is_same = self.rule.is_some_and(|rule| GameRule { can_not_put_on_my_eye, ..rule } == *used);
        self.record.result.clone().filter(|_| is_same || self.record.winner_without_margin().is_some())
    }
}
