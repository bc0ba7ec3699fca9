//! A score in detail, for people and programs that want to check it.

use serde::Serialize;

use crate::kernel::{Board, Color, Coordinate, Point, PointCount, PointSet, Position, Stone};
use crate::player::score::FinalScore;
use crate::player::status::mean_ownership;

/// A score in detail: the form of `kifuwarabe-score_details` and of `--score FILE --json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScoreDetails {
    /// The score as in GTP: `B+3.5`.
    score: String,
    /// Black's points minus White's, komi included.
    margin: f64,
    /// Whether the game is finished but for dame and reinforcements: [`FinalScore::is_finished`].
    is_finished: bool,
    rules: &'static str,
    komi: f64,
    /// The handicap bonus: White's points for handicap stones.
    #[serde(rename = "handicapPoints")]
    handicap_bonus: f64,
    /// Colour that has the half point of the button: `black` or `white`; `null` without a button.
    button: Option<String>,
    black: Points,
    white: Points,
    /// Points of neither player in `owners`.
    neutral: usize,
    /// The moves played before counting, as `b D4`; passes are left out.
    filled: Vec<String>,
    /// The owner of each point at the end, from the highest rank down: `x` Black, `o` White, `.` neither. See
    /// [`FinalScore::owner`].
    owners: Vec<String>,
    dead: Vec<RenDetails>,
    seki: Vec<RenDetails>,
    /// The ren outside of seki whose ownership supports its status least, alive or dead; `null` without such a ren.
    least_sure: Option<LeastSure>,
}

/// The points of a player.
#[derive(Serialize)]
struct Points {
    stones: usize,
    territory: usize,
    prisoners: usize,
    tax: usize,
}

/// A ren, and how sure its status is.
#[derive(Serialize)]
struct RenDetails {
    stones: Vec<String>,
    /// The mean ownership of its points by its own colour: 1 is always its own, -1 always the opponent's.
    ownership: f32,
}

/// The ren with the least sure status.
#[derive(Serialize)]
struct LeastSure {
    status: &'static str,
    #[serde(flatten)]
    ren: RenDetails,
}

impl ScoreDetails {
    /// The details of a position's score.
    pub fn new(position: &Position, final_score: &FinalScore) -> ScoreDetails {
        let board = position.board();
        let coordinate = board.coordinate();
        let FinalScore { score, status, .. } = final_score;
        let rens = |stones: &PointSet| -> Vec<RenDetails> {
            board.rens_among(stones).iter().map(|points| ren(board, &status.ownership, points)).collect()
        };
        let least_sure = [("alive", &status.alive), ("dead", &status.dead)]
            .into_iter()
            .flat_map(|(status, stones)| rens(stones).into_iter().map(move |ren| LeastSure { status, ren }))
            .min_by(|a, b| a.certainty().total_cmp(&b.certainty()));
        let owners = owners(coordinate, final_score);
        ScoreDetails {
            score: score.to_string(),
            margin: score.margin(),
            is_finished: final_score.is_finished,
            rules: position.rule().name_or_other(),
            komi: score.komi,
            handicap_bonus: score.handicap_bonus,
            button: score.button.map(|owner| owner.to_string()),
            black: score.black.into(),
            white: score.white.into(),
            neutral: owners.iter().flat_map(|row| row.chars()).filter(|&owner| owner == '.').count(),
            filled: final_score.filled.iter().map(|&(color, point)| move_text(coordinate, color, point)).collect(),
            owners,
            dead: rens(&status.dead),
            seki: rens(&status.seki),
            least_sure,
        }
    }
}

impl LeastSure {
    /// Support of the status by the ownership, from -1 to 1.
    fn certainty(&self) -> f32 {
        if self.status == "dead" { -self.ren.ownership } else { self.ren.ownership }
    }
}

impl From<PointCount> for Points {
    fn from(count: PointCount) -> Points {
        let PointCount { stones, territory, prisoners, tax } = count;
        Points { stones, territory, prisoners, tax }
    }
}

/// A move as `b D4`.
fn move_text(coordinate: Coordinate, color: Color, point: Point) -> String {
    format!("{} {}", color.letter().to_ascii_lowercase(), coordinate.vertex(point))
}

fn ren(board: &Board, ownership: &[f32], points: &[Point]) -> RenDetails {
    let mean = mean_ownership(board, ownership, points).unwrap_or_default();
    RenDetails {
        stones: points.iter().map(|&p| board.coordinate().vertex(p).to_string()).collect(),
        ownership: (mean * 100.0).round() / 100.0,
    }
}

fn owners(coordinate: Coordinate, final_score: &FinalScore) -> Vec<String> {
    let points: Vec<Point> = coordinate.points_from_highest_rank().collect();
    let symbol = |&p: &Point| final_score.owner(p).map_or(Stone::Space, Color::stone).symbol();
    points.chunks(usize::from(coordinate.width())).map(|row| row.iter().map(symbol).collect()).collect()
}
