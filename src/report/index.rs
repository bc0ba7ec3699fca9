//! The page that lists several games, one row a game, with links to their pages.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::kernel::Color;
use crate::player::review::MoveClass;
use crate::report::page::{facts, footer_program, head, title, wide};
use crate::report::review::Review;
use crate::report::summary::Phase;
use crate::text::markup::escape;

/// The title of the page, as HTML.
const TITLE: &str = "Game reviews";

/// A game of the list.
pub(super) struct Row {
    page: PathBuf,
    /// The cells after the link, as HTML.
    cells: String,
    /// The link's text, as HTML.
    title: String,
}

impl Row {
    /// The row of a game. `name` is that of the record's file, `page` that of the game's page.
    pub(super) fn new(name: &str, page: &Path, review: &Review) -> Row {
        let mut cells = format!("<td>{}</td><td>{}</td>", escape(name), facts(review));
        for color in [Color::Black, Color::White] {
            let summary = review.summary(color, Phase::Whole).unwrap_or_default();
            let accuracy = if summary.moves > 0 { format!("{:.0}%", summary.accuracy) } else { "–".to_owned() };
            let classes = [MoveClass::Mistake, MoveClass::Blunder].map(|class| summary.classes[class.index()]);
            // writing to a String cannot fail
            let _ =
                write!(cells, "<td class=\"n\">{accuracy}</td><td class=\"n\">{} / {}</td>", classes[0], classes[1]);
        }
        Row { page: page.to_owned(), cells, title: title(review) }
    }
}

/// The page, for a file in `folder`.
pub(super) fn html(rows: &[Row], folder: &Path) -> String {
    let mut body = String::new();
    for row in rows {
        let link = link(&row.page, folder);
        let _ = writeln!(body, "<tr><td><a href=\"{link}\">{}</a></td>{}</tr>", row.title, row.cells);
    }
    let table = format!(
        r#"<table class="games">
<thead><tr><th rowspan="2">game</th><th rowspan="2">record</th><th rowspan="2">facts</th>
<th colspan="2">Black</th><th colspan="2">White</th></tr>
<tr><th class="n">accuracy</th><th class="n">mistakes / blunders</th>
<th class="n">accuracy</th><th class="n">mistakes / blunders</th></tr></thead>
<tbody>
{body}</tbody>
</table>"#
    );
    format!(
        r#"{head}<body>
<header>
<h1>{TITLE}</h1>
</header>
{table}<footer>{program}.</footer>
</body>
</html>
"#,
        head = head(TITLE),
        table = wide("Games", &table),
        program = footer_program(),
    )
}

/// The address of a page from a page in `folder`: its name if it is in the same folder, else its path, made absolute if
/// the list is not in the present folder.
fn link(page: &Path, folder: &Path) -> String {
    let inside = page.strip_prefix(folder).ok().filter(|_| !folder.as_os_str().is_empty() || page.is_relative());
    let path = match inside {
        Some(inside) => inside.to_owned(),
        None => std::path::absolute(page).unwrap_or_else(|_| page.to_owned()),
    };
    let start = if path.is_absolute() { "file://" } else { "" };
    let mut link = start.to_owned();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => link.push(char::from(byte)),
            _ => {
                let _ = write!(link, "%{byte:02X}");
            }
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_to_the_folder_and_escaped() {
        let of = |page: &str, folder: &str| link(Path::new(page), Path::new(folder));
        assert_eq!(of("out/a b.html", "out"), "a%20b.html");
        assert_eq!(of("games/x\"#.html", ""), "games/x%22%23.html");
        assert_eq!(of("/tmp/対局.html", ""), "file:///tmp/%E5%AF%BE%E5%B1%80.html");
        assert_eq!(of("/tmp/out/a.html", "/tmp/out"), "a.html");
    }
}
