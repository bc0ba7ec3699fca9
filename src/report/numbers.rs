//! The numbers of a game as JSON: one object on one line.

use serde::Serialize;

use crate::kernel::{Color, Coordinate, Move};
use crate::player::review::{CandidateSummary, PositionAnalysis};
use crate::report::data::rounded;
use crate::report::review::Review;
use crate::report::summary::{Phase, accuracy};
use crate::sgf::ReplayError;
use crate::{NAME, VERSION};

/// A game. Win rates are from 0 to 1; win rate and lead are Black's, and a loss is that of the move's player.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Numbers<'a> {
    program: &'static str,
    version: &'static str,
    record: &'a str,
    width: u8,
    height: u8,
    rules: &'static str,
    komi: f64,
    handicap: usize,
    black: Option<&'a str>,
    white: Option<&'a str>,
    result: Option<&'a str>,
    /// Visits for each position.
    visits: u64,
    /// The first illegal move of the record, before which the positions end.
    #[serde(skip_serializing_if = "Option::is_none")]
    illegal_move: Option<String>,
    /// The score of a counted game, the value of its last position.
    #[serde(skip_serializing_if = "Option::is_none")]
    final_score: Option<FinalNumbers<'a>>,
    summary: Vec<PhaseNumbers>,
    positions: Vec<PositionNumbers>,
}

/// The score of a counted game.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FinalNumbers<'a> {
    score: &'a str,
    /// If not, it is a count of the board as it stood after two passes.
    is_finished: bool,
}

/// Quality of a player's moves in a phase.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhaseNumbers {
    color: String,
    phase: &'static str,
    moves: usize,
    /// From 0 to 100, the mean over the moves.
    accuracy: f64,
    /// Points lost by a move, the mean over the moves.
    points_lost: f64,
    expected: usize,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
}

/// A position, and the move that led to it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PositionNumbers {
    /// The number of moves before the position.
    number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Played>,
    to_move: String,
    win_rate: f64,
    lead: f64,
    prisoners: [usize; 2],
    variation: Vec<String>,
    candidates: Vec<CandidateNumbers>,
}

/// A move of the game, and what it lost for its player.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Played {
    color: String,
    #[serde(rename = "move")]
    vertex: String,
    win_rate_lost: f64,
    /// Points lost by this move.
    points_lost: f64,
    /// From 0 to 100.
    accuracy: f64,
    phase: &'static str,
    class: Option<&'static str>,
}

/// A move that the search preferred.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CandidateNumbers {
    win_rate: f64,
    lead: f64,
    visits: u32,
    variation: Vec<String>,
}

/// The numbers of a game as a line, with its line end. `name` is that of the record's file.
///
/// # Errors
/// If they cannot be written as JSON.
pub(super) fn json(review: &Review, name: &str) -> serde_json::Result<String> {
    Ok(serde_json::to_string(&Numbers::of(review, name))? + "\n")
}

impl<'a> Numbers<'a> {
    /// The numbers of a game. `name` is that of the record's file.
    pub(super) fn of(review: &'a Review, name: &'a str) -> Numbers<'a> {
        let end = &review.game.end;
        let coordinate = end.board().coordinate();
        let area = coordinate.board_area();
        let record = &review.game.record;
        let colors = [Color::Black, Color::White];
        let summary = Phase::ALL.into_iter().flat_map(|phase| colors.map(|color| (phase, color)));
        let summary = summary.filter_map(|(phase, color)| {
            let summary = review.summary(color, phase)?;
            let [inaccuracies, mistakes, blunders] = summary.classes;
            Some(PhaseNumbers {
                color: color.to_string(),
                phase: phase.name(),
                moves: summary.moves,
                accuracy: rounded(summary.accuracy),
                points_lost: (summary.points_lost * 100.0).round() / 100.0,
                expected: summary.expected,
                inaccuracies,
                mistakes,
                blunders,
            })
        });
        let played: Vec<Played> = (1..)
            .zip(review.moves().zip(&review.losses))
            .map(|(number, ((color, play), loss))| Played {
                color: color.to_string(),
                vertex: play.vertex(coordinate),
                win_rate_lost: thousandths(loss.win_probability),
                points_lost: rounded(loss.points),
                accuracy: rounded(accuracy(*loss)),
                phase: Phase::of(number, area).name(),
                class: review.mistake(number).map(|mistake| mistake.class.name()),
            })
            .collect();
        let played = std::iter::once(None).chain(played.into_iter().map(Some));
        let positions = review.analyses.iter().zip(review.prisoners()).zip(played).enumerate();
        let positions = positions
            .map(|(number, ((analysis, prisoners), played))| position(coordinate, number, analysis, prisoners, played));
        Numbers {
            program: NAME,
            version: VERSION,
            record: name,
            width: coordinate.width(),
            height: coordinate.height(),
            rules: end.rule().name_or_other(),
            komi: end.rule().komi,
            handicap: end.handicap(),
            black: record.black.as_deref(),
            white: record.white.as_deref(),
            result: record.result.as_deref(),
            visits: review.visits,
            illegal_move: review.game.illegal.as_ref().map(ReplayError::brief),
            final_score: review
                .counted
                .as_ref()
                .map(|counted| FinalNumbers { score: &counted.score, is_finished: counted.is_finished }),
            summary: summary.collect(),
            positions: positions.collect(),
        }
    }
}

fn position(
    coordinate: Coordinate,
    number: usize,
    analysis: &PositionAnalysis,
    prisoners: [usize; 2],
    played: Option<Played>,
) -> PositionNumbers {
    let vertices = |moves: &[Move]| moves.iter().map(|play| play.vertex(coordinate)).collect();
    let candidate = |candidate: &CandidateSummary| CandidateNumbers {
        win_rate: thousandths(candidate.win_probability),
        lead: rounded(candidate.lead),
        visits: candidate.visits,
        variation: vertices(&candidate.variation),
    };
    PositionNumbers {
        number,
        played,
        to_move: analysis.to_move.to_string(),
        win_rate: thousandths(analysis.win_probability),
        lead: rounded(analysis.lead),
        prisoners,
        variation: vertices(&analysis.variation),
        candidates: analysis.candidates.iter().map(candidate).collect(),
    }
}

/// Rounded to three decimals.
fn thousandths(number: f32) -> f64 {
    (f64::from(number) * 1000.0).round() / 1000.0
}
