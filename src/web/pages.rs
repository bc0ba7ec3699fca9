//! The files of the page, which are part of the program.

/// A file: its name below the base address, its type and its text.
type File = (&'static str, &'static str, &'static str);

/// All files. The board is drawn as in the report, with the colours of `print_board`.
pub(super) const FILES: &[File] = &[
    ("", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("style.css", CSS, include_str!("page/style.css")),
    ("board.css", CSS, include_str!("../picture/style.css")),
    ("board.js", SCRIPT, include_str!("../picture/board.js")),
    ("app.js", SCRIPT, include_str!("page/app.js")),
    ("boardview.js", SCRIPT, include_str!("page/boardview.js")),
    ("connection.js", SCRIPT, include_str!("page/connection.js")),
    ("dialogs.js", SCRIPT, include_str!("page/dialogs.js")),
    ("export.js", SCRIPT, include_str!("page/export.js")),
    ("format.js", SCRIPT, include_str!("page/format.js")),
    ("graph.js", SCRIPT, include_str!("page/graph.js")),
    ("link.js", SCRIPT, include_str!("page/link.js")),
    ("model.js", SCRIPT, include_str!("page/model.js")),
    ("panels.js", SCRIPT, include_str!("page/panels.js")),
    ("texts.js", SCRIPT, include_str!("page/texts.js")),
    ("tree.js", SCRIPT, include_str!("page/tree.js")),
];

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::GameRule;

    #[test]
    fn every_rule_set_can_be_chosen_in_both_languages() {
        let texts = include_str!("page/texts.js");
        let choices: Vec<&str> = texts.split("ruleSets: {").skip(1).filter_map(|text| text.split('}').next()).collect();
        assert_eq!(choices.len(), 2);
        for set in GameRule::names().filter_map(|name| GameRule::with_komi(0.0).with_rule_set(name)?.name()) {
            let has =
                |choice: &&str| [format!(" {set}: "), format!("\"{set}\": ")].iter().any(|key| choice.contains(key));
            assert!(choices.iter().all(has), "{set}");
        }
    }

    #[test]
    fn the_page_is_complete() {
        let index = FILES[0].2;
        let named = |attribute: &str| -> Vec<&str> {
            let parts = index.split(attribute).skip(1);
            parts.filter_map(|part| part.strip_prefix("=\"")?.split('"').next()).collect()
        };
        for name in named("src").into_iter().chain(named("href")) {
            let is_there = FILES.iter().any(|(file, _, _)| *file == name);
            assert!(is_there || name.starts_with('#') || name.starts_with("data:"), "{name}");
        }
        // every module that a script imports
        for (file, kind, text) in FILES.iter().filter(|(_, kind, _)| *kind == SCRIPT) {
            for import in text.lines().filter_map(|line| line.strip_prefix("import ")?.split("\"./").nth(1)) {
                let name = import.trim_end_matches(['"', ';']);
                assert!(FILES.iter().any(|(other, _, _)| *other == name), "{file} imports {name}, {kind}");
            }
        }
    }
}
