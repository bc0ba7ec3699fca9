//! The course of a game as a graph: how Black's chances went, and the lead in points.

use std::fmt::Write;

use crate::report::analysis::{Found, Mistake};

/// All lengths are in the units of the drawing.
const WIDTH: f32 = 640.0;
const LEFT: f32 = 50.0;
const RIGHT: f32 = 10.0;
/// Where the chances are drawn, from top to bottom.
const CHANCES: (f32, f32) = (10.0, 160.0);
/// Where the lead is drawn.
const LEADS: (f32, f32) = (186.0, 286.0);
const HEIGHT: f32 = 310.0;

/// The scale of the lead has at least so many points on each side.
const LEAST_SCALE: f32 = 10.0;

/// About how many numbers of moves stand below.
const NUMBERS: usize = 6;

/// Draws the course of a game. A script finds the place of a move by the attributes of the drawing, and moves the line
/// of the class `cursor`.
pub(super) fn draw(found: &[Found], mistakes: &[Mistake]) -> String {
    let graph = Graph { found, last: found.len().saturating_sub(1) };
    // writing to a String cannot fail, here and below
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" data-left=\"{LEFT}\" \
         data-right=\"{}\" data-last=\"{}\">\n<title>Black's chances and lead, move by move</title>",
        WIDTH - RIGHT,
        graph.last
    );
    graph.chances(&mut svg, mistakes);
    graph.leads(&mut svg);
    graph.numbers(&mut svg);
    let _ = writeln!(
        svg,
        r#"<line class="cursor" x1="{x}" x2="{x}" y1="{}" y2="{}"/>"#,
        CHANCES.0,
        LEADS.1,
        x = graph.x(graph.last)
    );
    svg + "</svg>\n"
}

struct Graph<'a> {
    found: &'a [Found],
    /// The number of the last position.
    last: usize,
}

impl Graph<'_> {
    fn x(&self, number: usize) -> f32 {
        LEFT + (WIDTH - LEFT - RIGHT) * number as f32 / self.last.max(1) as f32
    }

    /// Black's chances as what is dark, from below.
    fn chances(&self, svg: &mut String, mistakes: &[Mistake]) {
        let (top, bottom) = CHANCES;
        let y = |value: f32| bottom - (bottom - top) * value.clamp(0.0, 1.0);
        let width = WIDTH - RIGHT - LEFT;
        let _ =
            writeln!(svg, r#"<rect class="whites" x="{LEFT}" y="{top}" width="{width}" height="{}"/>"#, bottom - top);
        let course = self.course(|found| y(found.value));
        let end = self.x(self.last);
        let _ = writeln!(svg, r#"<path class="blacks" d="M{LEFT} {bottom}L{course}L{end:.1} {bottom}Z"/>"#);
        for (value, class) in [(0.25, "rule"), (0.5, "rule middle"), (0.75, "rule")] {
            let (y, per_cent) = (y(value), value * 100.0);
            let _ = writeln!(svg, r#"<line class="{class}" x1="{LEFT}" x2="{}" y1="{y}" y2="{y}"/>"#, WIDTH - RIGHT);
            let _ = writeln!(svg, r#"<text class="scale" x="{}" y="{}">{per_cent}%</text>"#, LEFT - 6.0, y + 4.0);
        }
        let _ = writeln!(svg, r#"<path class="course" d="M{course}"/>"#);
        for mistake in mistakes {
            if let Some(found) = self.found.get(mistake.number) {
                let (x, y) = (self.x(mistake.number), y(found.value));
                let _ = writeln!(svg, r#"<circle class="mistake" cx="{x:.1}" cy="{y:.1}" r="4"/>"#);
            }
        }
    }

    /// Black's lead, above the middle where there is one.
    fn leads(&self, svg: &mut String) {
        let (top, bottom) = LEADS;
        let most = self.found.iter().map(|found| found.lead.abs()).fold(LEAST_SCALE, f32::max);
        // a round number of points
        let most = (most / 10.0).ceil() * 10.0;
        let y = |lead: f32| (top + bottom) / 2.0 - (bottom - top) / 2.0 * (lead / most).clamp(-1.0, 1.0);
        for (lead, name, class) in [
            (most, format!("B+{most}"), "rule"),
            (0.0, "even".to_owned(), "rule middle"),
            (-most, format!("W+{most}"), "rule"),
        ] {
            let y = y(lead);
            let _ = writeln!(svg, r#"<line class="{class}" x1="{LEFT}" x2="{}" y1="{y}" y2="{y}"/>"#, WIDTH - RIGHT);
            let _ = writeln!(svg, r#"<text class="scale" x="{}" y="{}">{name}</text>"#, LEFT - 6.0, y + 4.0);
        }
        let _ = writeln!(svg, r#"<path class="lead" d="M{}"/>"#, self.course(|found| y(found.lead)));
    }

    /// The points of a curve.
    fn course(&self, y: impl Fn(&Found) -> f32) -> String {
        let points =
            self.found.iter().enumerate().map(|(number, found)| format!("{:.1} {:.1}", self.x(number), y(found)));
        points.collect::<Vec<_>>().join("L")
    }

    fn numbers(&self, svg: &mut String) {
        let step = [1, 2, 5, 10, 20, 50, 100, 200, 500].into_iter().find(|step| self.last / step <= NUMBERS);
        for number in (0..=self.last).step_by(step.unwrap_or(self.last.max(1))) {
            let x = self.x(number);
            let _ = writeln!(svg, r#"<text class="number" x="{x:.1}" y="{}">{number}</text>"#, HEIGHT - 6.0);
        }
    }
}
