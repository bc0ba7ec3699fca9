//! A game with everything that the outputs of the report need: its record, and the analysis of each position.

use crate::kernel::{Color, Move, Position};
use crate::net::Net;
use crate::player::review::{
    AnalysisSettings, Mistake, MoveLoss, PositionAnalysis, analyze_game, apply_final_score, mistakes, move_losses,
    remove_tempo_bias,
};
use crate::player::score::{FinalScore, final_score_with};
use crate::report::summary::{Phase, Summary, summarize};
use crate::sgf::{GameRecord, GameTree, NodeId, ReplayError};
use crate::text::plural;

/// A game that was read and can be played.
pub(super) struct PlayedGame {
    /// The main line.
    pub(super) record: GameRecord,
    /// The record with its variations and comments.
    pub(super) tree: GameTree,
    /// The last position, with the whole game as its history.
    pub(super) end: Position,
    /// The first illegal move, before which the game ends here.
    pub(super) illegal: Option<ReplayError>,
}

impl PlayedGame {
    /// The nodes of the main line, each with the number of moves up to it.
    pub(super) fn nodes(&self) -> Vec<(NodeId, usize)> {
        let mut number = 0;
        let nodes = self.tree.main_line().into_iter();
        nodes
            .map(|id| {
                number += self.tree.moves(id).count();
                (id, number)
            })
            .collect()
    }

    /// The comments of the record, each with the number of the position it stands at; nodes without a move belong to
    /// the position before them. Those from an illegal move on are left out.
    pub(super) fn comments(&self) -> Vec<(usize, String)> {
        let nodes = self.nodes().into_iter().filter(|&(_, number)| number <= self.end.record().len());
        let texts = nodes.map(|(id, number)| (number, self.tree.text(id, "C").unwrap_or_default()));
        texts.filter(|(_, text)| !text.trim().is_empty()).collect()
    }

    /// The score of a game that was counted: its result or two passes say so, and without two passes it is finished.
    fn count(&self, net: Option<&Net>) -> Option<FinalScore> {
        let is_over = self.end.is_over();
        let is_counted = is_over || self.record.counted_margin().is_some();
        let score = is_counted.then(|| final_score_with(&self.end, net));
        score.filter(|score| score.is_finished || is_over)
    }
}

/// The score of a game that was counted.
pub(super) struct CountedScore {
    /// The score, such as `B+3.5`.
    pub(super) score: String,
    /// Whether the game was finished; if not, both players passed, and it was counted as the board stands.
    pub(super) is_finished: bool,
}

/// A game and its analysis.
pub(super) struct Review {
    pub(super) game: PlayedGame,
    /// The analysis of each position, from the first.
    pub(super) analyses: Vec<PositionAnalysis>,
    /// The loss of each move.
    pub(super) losses: Vec<MoveLoss>,
    /// The moves that have a class, in order.
    pub(super) mistakes: Vec<Mistake>,
    /// Visits for each position.
    pub(super) visits: u64,
    /// The same in words, as playouts in a search by playouts.
    pub(super) visits_in_words: String,
    /// The score of a game that was counted; the last position has it in place of the evaluation by a search.
    pub(super) counted: Option<CountedScore>,
}

impl Review {
    /// Analyzes a game. `progress` is called with the number of positions done and their total.
    pub(super) fn new(
        game: PlayedGame,
        settings: AnalysisSettings<'_>,
        progress: impl FnMut(usize, usize) + Send,
    ) -> Review {
        // this stop signal is never raised
        let mut analyses = analyze_game(&game.end, settings, progress).unwrap_or_default();
        remove_tempo_bias(&game.end, &mut analyses);
        let mut losses = move_losses(&game.end, &analyses);
        let counted = game.count(settings.net).map(|score| {
            apply_final_score(&game.end, &score, settings, &mut analyses, &mut losses);
            CountedScore { score: score.score.to_string(), is_finished: score.is_finished }
        });
        let mistakes = mistakes(&losses);
        let visits_in_words = plural::counted(settings.visits, settings.visit_name(game.end.board().coordinate()));
        Review { game, analyses, losses, mistakes, visits: settings.visits, visits_in_words, counted }
    }

    /// The score of a game whose players passed before it was finished, in words.
    pub(super) fn unfinished_count(&self) -> Option<String> {
        let counted = self.counted.as_ref().filter(|counted| !counted.is_finished)?;
        Some(format!("{}, counted as the board stands after two passes", counted.score))
    }

    /// The moves, in order.
    pub(super) fn moves(&self) -> impl Iterator<Item = (Color, Move)> {
        self.game.end.record().items().iter().map(|item| (item.color, item.play))
    }

    /// The number of moves.
    pub(super) fn move_count(&self) -> usize {
        self.game.end.record().len()
    }

    /// The analysis of the position before a move, whose number is from 1.
    pub(super) fn before(&self, number: usize) -> Option<&PositionAnalysis> {
        self.analyses.get(number.checked_sub(1)?)
    }

    /// The class of a move, whose number is from 1.
    pub(super) fn mistake(&self, number: usize) -> Option<&Mistake> {
        self.mistakes.iter().find(|mistake| mistake.number == number)
    }

    /// Quality of a player's moves in a phase; `None` without moves.
    pub(super) fn summary(&self, color: Color, phase: Phase) -> Option<Summary> {
        let expected = self.analyses.iter().map(|analysis| analysis.variation.first());
        let is_expected: Vec<bool> =
            self.moves().zip(expected).map(|((_, play), expected)| expected == Some(&play)).collect();
        summarize(&self.game.end, &self.losses, &is_expected, color, phase)
    }

    /// The prisoners that Black and White have taken, in each position.
    pub(super) fn prisoners(&self) -> Vec<[usize; 2]> {
        let mut taken = [0; 2];
        let mut prisoners = vec![taken];
        for (number, item) in self.game.end.record().items().iter().enumerate() {
            let stones = self.game.end.stones_at(number);
            for point in &item.captured {
                // in a suicide the opponent takes the stones, the last one of which was not there before
                let stone = stones.get(point.index()).copied().unwrap_or_default();
                let is_own = stone != item.color.opponent().stone();
                let taker = if is_own { item.color.opponent() } else { item.color };
                if let Some(count) = taken.get_mut(taker.index()) {
                    *count += 1;
                }
            }
            prisoners.push(taken);
        }
        prisoners
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule};
    use crate::player::Options;
    use crate::search::StopSignal;
    use crate::sgf::{self, PlayablePart};

    fn review(record: &str) -> Review {
        let tree = GameTree::read(record.as_bytes()).unwrap();
        let record = sgf::read(record.as_bytes()).unwrap();
        let like = Position::new(Coordinate::square(19).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let PlayablePart { position: end, illegal } = sgf::playable_part(&record, &like).unwrap();
        let settings = AnalysisSettings {
            visits: 300,
            threads: 2,
            options: &Options::default(),
            net: None,
            stop_signal: &StopSignal::default(),
        };
        Review::new(PlayedGame { record, tree, end, illegal }, settings, |_, _| {})
    }

    #[test]
    fn pass_on_an_empty_board_is_a_mistake() {
        let review = review("(;SZ[5];B[];W[cc])");
        assert!(review.mistake(1).is_some() && review.losses[0].points > 3.0, "{:?}", review.losses);
    }

    #[test]
    fn game_of_two_passes_ends_with_the_count() {
        // nothing is settled
        let review = review("(;SZ[9]AB[cc][gg];W[];B[])");
        let counted = review.counted.as_ref().unwrap();
        assert_eq!((counted.score.as_str(), counted.is_finished), ("B+78.5", false));
        assert_eq!(review.unfinished_count().unwrap(), "B+78.5, counted as the board stands after two passes");
        let (before, last) = (&review.analyses[1], &review.analyses[2]);
        assert_eq!((last.lead, last.win_probability, last.candidates.len()), (78.5, 1.0, 0));
        // the position before the last pass has a search, by which the pass lost nothing
        assert!(before.candidates.len() > 1 && before.lead < 78.0, "{before:?}");
        assert_eq!(review.losses[1], MoveLoss::default());
    }

    #[test]
    fn game_ends_before_an_illegal_move() {
        let review = review("(;SZ[5]C[start];B[cc]C[one];W[cc]C[two];B[dd]C[three])");
        assert_eq!((review.analyses.len(), review.move_count()), (2, 1));
        assert_eq!(review.game.illegal.as_ref().unwrap().brief(), "move 2, white C3: masonry");
        let comments = [(0, "start"), (1, "one")].map(|(at, text)| (at, text.to_owned()));
        assert_eq!(review.game.comments(), comments);
        let annotated = crate::report::annotate::annotated(&review).replace('\n', "");
        assert!(annotated.contains(";W[cc]C[two];B[dd]C[three])"), "{annotated}");
    }

    #[test]
    fn comments_belong_to_positions_and_prisoners_are_counted() {
        let review = review("(;SZ[5]C[start];B[ba]C[one];W[aa];C[ set-up ]AE[ee];B[ab](;W[ee]C[end])(;W[dd]C[other]))");
        let comments: Vec<(usize, String)> =
            [(0, "start"), (1, "one"), (2, " set-up "), (4, "end")].map(|(at, text)| (at, text.to_owned())).into();
        assert_eq!(review.game.comments(), comments);
        assert_eq!(review.prisoners(), [[0, 0], [0, 0], [0, 0], [1, 0], [1, 0]]);
        let end = &review.game.end;
        let counted = [Color::Black, Color::White].map(|color| end.prisoners(color) as usize);
        assert_eq!(review.prisoners().last(), Some(&counted));
    }
}
