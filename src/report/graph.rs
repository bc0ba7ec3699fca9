//! The graphs of a game in SVG: Black's win rate, and below it Black's lead in points.
//!
//! The script of the page maps a click to a move by the attributes `data-left` and `data-right`, and moves the
//! line of class `cursor`.

use std::fmt::Write;

use crate::player::review::Mistake;
use crate::player::review::PositionAnalysis;

/// Width of the drawing, in units of its `viewBox`, as are all lengths here.
const WIDTH: f32 = 640.0;
const LEFT: f32 = 50.0;
const RIGHT: f32 = 10.0;
/// Top and bottom of the win-rate graph.
const WIN_RATE: (f32, f32) = (10.0, 160.0);
/// Top and bottom of the lead graph.
const LEAD: (f32, f32) = (186.0, 286.0);
const HEIGHT: f32 = 310.0;

/// The smallest range of the lead's scale, in points to each side.
const MIN_LEAD_SCALE: f32 = 10.0;

/// Approximate number of move numbers on the axis.
const AXIS_LABELS: usize = 6;

/// The graphs of a game's positions, with dots at the mistakes.
pub(super) fn draw(analyses: &[PositionAnalysis], mistakes: &[Mistake]) -> String {
    let graph = Graph { analyses, last: analyses.len().saturating_sub(1) };
    // writing to a String cannot fail, here and below
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" data-left=\"{LEFT}\" \
         data-right=\"{}\">\n<title>Black's win rate and lead, move by move</title>",
        WIDTH - RIGHT
    );
    graph.win_probability(&mut svg, mistakes);
    graph.lead(&mut svg);
    graph.move_numbers(&mut svg);
    let _ = writeln!(
        svg,
        r#"<line class="cursor" x1="{x}" x2="{x}" y1="{}" y2="{}"/>"#,
        WIN_RATE.0,
        LEAD.1,
        x = graph.x(graph.last)
    );
    svg + "</svg>\n"
}

struct Graph<'a> {
    analyses: &'a [PositionAnalysis],
    /// The number of the last position, from 0.
    last: usize,
}

impl Graph<'_> {
    fn x(&self, number: usize) -> f32 {
        LEFT + (WIDTH - LEFT - RIGHT) * number as f32 / self.last.max(1) as f32
    }

    /// Black's win rate as a dark area from the bottom.
    fn win_probability(&self, svg: &mut String, mistakes: &[Mistake]) {
        let (top, bottom) = WIN_RATE;
        let y = |win_probability: f32| bottom - (bottom - top) * win_probability.clamp(0.0, 1.0);
        let width = WIDTH - RIGHT - LEFT;
        let _ = writeln!(
            svg,
            r#"<rect class="white-area" x="{LEFT}" y="{top}" width="{width}" height="{}"/>"#,
            bottom - top
        );
        let curve = self.curve(|analysis| y(analysis.win_probability));
        let end = self.x(self.last);
        let _ = writeln!(svg, r#"<path class="black-area" d="M{LEFT} {bottom}L{curve}L{end:.1} {bottom}Z"/>"#);
        for (win_probability, class) in [(0.25, "rule"), (0.5, "rule middle"), (0.75, "rule")] {
            scale_line(svg, y(win_probability), &format!("{}%", win_probability * 100.0), class);
        }
        let _ = writeln!(svg, r#"<path class="win-rate" d="M{curve}"/>"#);
        for mistake in mistakes {
            if let Some(analysis) = self.analyses.get(mistake.number) {
                let (x, y) = (self.x(mistake.number), y(analysis.win_probability));
                let _ = writeln!(
                    svg,
                    r#"<circle class="{}" cx="{x:.1}" cy="{y:.1}" r="{}"/>"#,
                    mistake.class.name(),
                    mistake.class.index() + 2
                );
            }
        }
    }

    /// Black's lead as a curve, positive leads above the middle.
    fn lead(&self, svg: &mut String) {
        let (top, bottom) = LEAD;
        let max = self.analyses.iter().map(|analysis| analysis.lead.abs()).fold(MIN_LEAD_SCALE, f32::max);
        // rounded up to tens
        let max = (max / 10.0).ceil() * 10.0;
        let y = |lead: f32| (top + bottom) / 2.0 - (bottom - top) / 2.0 * (lead / max).clamp(-1.0, 1.0);
        for (lead, label, class) in [
            (max, format!("B+{max}"), "rule"),
            (0.0, "even".to_owned(), "rule middle"),
            (-max, format!("W+{max}"), "rule"),
        ] {
            scale_line(svg, y(lead), &label, class);
        }
        let _ = writeln!(svg, r#"<path class="lead" d="M{}"/>"#, self.curve(|analysis| y(analysis.lead)));
    }

    /// The points of a curve as path data, without the first command.
    fn curve(&self, y: impl Fn(&PositionAnalysis) -> f32) -> String {
        let points = self.analyses.iter().enumerate();
        let points = points.map(|(number, analysis)| format!("{:.1} {:.1}", self.x(number), y(analysis)));
        points.collect::<Vec<_>>().join("L")
    }

    fn move_numbers(&self, svg: &mut String) {
        let step = [1, 2, 5, 10, 20, 50, 100, 200, 500].into_iter().find(|step| self.last / step <= AXIS_LABELS);
        for number in (0..=self.last).step_by(step.unwrap_or(self.last.max(1))) {
            let x = self.x(number);
            let _ = writeln!(svg, r#"<text class="number" x="{x:.1}" y="{}">{number}</text>"#, HEIGHT - 6.0);
        }
    }
}

/// A horizontal line across the graph, with its label at the left.
fn scale_line(svg: &mut String, y: f32, label: &str, class: &str) {
    let _ = writeln!(svg, r#"<line class="{class}" x1="{LEFT}" x2="{}" y1="{y}" y2="{y}"/>"#, WIDTH - RIGHT);
    let _ = writeln!(svg, r#"<text class="scale" x="{}" y="{}">{label}</text>"#, LEFT - 6.0, y + 4.0);
}
