//! Targets of the report's outputs: which files, which of them may be replaced, and standard output.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::io::file_map::FileMap;
use crate::io::files;
use crate::report::annotate;
use crate::report::options::ReportArgs;

/// The text by which a page of this program is recognized, at the start of the file.
pub(super) const GENERATOR: &str = "kifuwarabe-uec14 report";

/// The number of bytes at the start of a file in which its mark is looked for.
const HEAD_BYTES: u64 = 4096;

/// The word for standard output.
const STDOUT: &str = "-";

/// An output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Stdout,
    File(PathBuf),
}

impl Target {
    fn of(path: &Path) -> Target {
        if path == Path::new(STDOUT) { Target::Stdout } else { Target::File(path.to_owned()) }
    }

    /// The file.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Target::File(path) => Some(path),
            Target::Stdout => None,
        }
    }
}

/// The outputs of one record.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    pub(super) page: Option<Target>,
    pub(super) sgf: Option<Target>,
}

/// The outputs of all records.
#[derive(Debug)]
pub(super) struct OutputPlan {
    /// For each record.
    pub(super) records: Vec<Outputs>,
    /// The file of numbers, a line for each game.
    pub(super) json: Option<Target>,
    /// The page that lists the games.
    pub(super) index: Option<PathBuf>,
    /// The folders that the options name, each with its option; they may be absent.
    folders: Vec<(&'static str, PathBuf)>,
}

impl OutputPlan {
    /// The outputs that the options name. Without any, a record has a page beside it; several records have an index.
    ///
    /// # Errors
    /// If several outputs go to standard output, or several records to a file or to standard output.
    pub(super) fn new(args: &ReportArgs) -> anyhow::Result<OutputPlan> {
        let has_page = args.output.is_some() || (args.sgf.is_none() && args.json.is_none());
        let json = args.json.as_deref().map(Target::of);
        let is_folder = |path: &Path| args.records.len() != 1 || path.is_dir() || files::names_folder(path);
        let named = [("--output", &args.output), ("--sgf", &args.sgf)].into_iter();
        let named = named.filter_map(|(option, path)| Some((option, path.as_deref()?)));
        let folders = named.filter(|(_, path)| is_folder(path)).map(|(option, path)| (option, without_dots(path)));
        let folders = folders.collect();
        if let [record] = args.records.as_slice() {
            // in a folder, the file has the record's name
            let target = |path: &Path, extension: &str| match record.with_extension(extension).file_name() {
                Some(name) if is_folder(path) => Target::File(without_dots(path).join(name)),
                _ => Target::of(path),
            };
            let page = args.output.clone().unwrap_or_else(|| record.with_extension("html"));
            let page = has_page.then(|| target(&page, "html"));
            let sgf = args.sgf.as_deref().map(|path| target(path, "sgf"));
            let to_stdout = [&page, &sgf, &json].into_iter().filter(|target| **target == Some(Target::Stdout)).count();
            if to_stdout > 1 {
                bail!("--output, --sgf, --json: only one of them can be `{STDOUT}`, standard output");
            }
            return Ok(OutputPlan { records: vec![Outputs { page, sgf }], json, index: None, folders });
        }
        let pages = folder("--output", args.output.as_deref())?;
        let sgfs = folder("--sgf", args.sgf.as_deref())?;
        let index = has_page.then(|| pages.as_deref().unwrap_or(Path::new("")).join("index.html"));
        let mut names = Names::default();
        names.take(index.iter());
        let records = args.records.iter().map(|record| {
            let page_folder = pages.as_deref().unwrap_or_else(|| record.parent().unwrap_or(Path::new("")));
            let [page, sgf] = names.free_files(record, |name| {
                let page = has_page.then(|| page_folder.join(format!("{name}.html")));
                [page, sgfs.as_ref().map(|folder| folder.join(format!("{name}.sgf")))]
            });
            Outputs { page: page.map(Target::File), sgf: sgf.map(Target::File) }
        });
        Ok(OutputPlan { records: records.collect(), json, index, folders })
    }

    /// Checks that every file can be written, is no record and no other output, and, unless `overwrites`, replaces
    /// nothing but a file of the same kind that this program wrote. Then makes the folders that are absent.
    ///
    /// # Errors
    /// A line with the option and the file.
    pub(super) fn check(&self, records: &[PathBuf], overwrites: bool) -> anyhow::Result<()> {
        let file = |target: &Option<Target>| target.as_ref().and_then(Target::file).map(Path::to_owned);
        let mut planned: Vec<(&str, PathBuf)> = Vec::new();
        for outputs in &self.records {
            planned.extend(file(&outputs.page).map(|path| ("--output", path)));
            planned.extend(file(&outputs.sgf).map(|path| ("--sgf", path)));
        }
        planned.extend(file(&self.json).map(|path| ("--json", path)));
        planned.extend(self.index.clone().map(|path| ("--output", path)));
        // the option of each file; a record has none
        let mut used: FileMap<Option<&str>> = FileMap::default();
        for record in records {
            used.get_or_insert(record, None);
        }
        for (option, path) in &planned {
            match used.get_or_insert(path, Some(option)) {
                None => {}
                Some(None) => bail!("{option} {}: that is the record", path.display()),
                Some(Some(other)) => {
                    bail!("{}: two outputs would be written to this file, of {other} and of {option}", path.display())
                }
            }
        }
        // before a folder is made, all is checked but writing into new folders
        let new_folders = self.folders.iter().map(|(_, path)| files::destination(path)).filter(|path| !path.is_dir());
        let new_folders: Vec<PathBuf> = new_folders.collect();
        let is_new = |folder: &Path| !folder.is_dir() && new_folders.iter().any(|made| made.starts_with(folder));
        let mut in_new_folders = Vec::new();
        for (option, path) in &planned {
            let destination = files::destination(path);
            if files::names_folder(path) || !destination.parent().is_some_and(is_new) {
                files::check_writable(path).context(*option)?;
            } else {
                in_new_folders.push((option, path));
            }
            if is_new(&destination) {
                bail!("{option} {}: this is also the folder of an output", path.display());
            }
            if !overwrites && !is_replaceable(option, path) {
                bail!(
                    "{option} {}: this file exists and is not one that report wrote; --overwrite replaces it",
                    path.display()
                );
            }
        }
        for (option, path) in &self.folders {
            fs::create_dir_all(path)
                .with_context(|| format!("{option} {}: cannot make this folder", path.display()))?;
        }
        for (option, path) in in_new_folders {
            files::check_writable(path).context(*option)?;
        }
        Ok(())
    }
}

/// The folder that an option names for several records; it may be absent.
fn folder(option: &str, path: Option<&Path>) -> anyhow::Result<Option<PathBuf>> {
    let Some(path) = path else { return Ok(None) };
    if path == Path::new(STDOUT) {
        bail!("{option} {STDOUT}: several records need a folder");
    }
    if path.is_file() {
        bail!("{option} {}: this is a file, and several records need a folder", path.display());
    }
    Ok(Some(without_dots(path)))
}

/// A folder without the `.` within and at the end of its path: the latter has no name to be made.
fn without_dots(folder: &Path) -> PathBuf {
    folder.components().collect()
}

/// The files of several records, which have names of their own also where the file system ignores case.
#[derive(Default)]
struct Names {
    /// In lower case.
    taken: HashSet<String>,
    /// The next number to try, by the files without a number.
    next: HashMap<String, u64>,
}

impl Names {
    /// The files that `files` gives for the name of a record without its ending, with a number unless they are free.
    fn free_files(&mut self, record: &Path, files: impl Fn(&str) -> [Option<PathBuf>; 2]) -> [Option<PathBuf>; 2] {
        let stem = record.file_stem().unwrap_or_default().to_string_lossy();
        let plain: String = files(&stem).iter().flatten().map(|file| lower_case(file)).collect();
        let mut number = self.next.get(&plain).copied().unwrap_or(1);
        loop {
            let found = if number == 1 { files(&stem) } else { files(&format!("{stem}-{number}")) };
            number += 1;
            if found.iter().flatten().all(|file| !self.taken.contains(&lower_case(file))) {
                self.next.insert(plain, number);
                self.take(found.iter().flatten());
                return found;
            }
        }
    }

    fn take<'a>(&mut self, files: impl Iterator<Item = &'a PathBuf>) {
        self.taken.extend(files.map(|file| lower_case(file)));
    }
}

fn lower_case(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

/// Whether a file is absent, empty, or of this program and this option.
fn is_replaceable(option: &str, path: &Path) -> bool {
    let read_head = || -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        files::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
        Ok(head)
    };
    let Ok(head) = read_head() else { return !path.exists() };
    let head = String::from_utf8_lossy(&head);
    head.is_empty()
        || match option {
            "--sgf" => head.contains(&format!("{}[", annotate::MARK)),
            "--json" => head.starts_with(&format!("{{\"program\":\"{}\"", crate::NAME)),
            _ => head.contains(&format!("content=\"{GENERATOR}")),
        }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The names of the pages of these records.
    fn pages(records: &[&str], output: Option<&Path>) -> Vec<String> {
        let records = records.iter().map(PathBuf::from).collect();
        let args = ReportArgs { records, output: output.map(Path::to_owned), ..ReportArgs::default() };
        let plan = OutputPlan::new(&args).unwrap();
        let pages = plan.records.iter().map(|outputs| outputs.page.as_ref().and_then(Target::file).unwrap());
        pages.map(|page| page.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn names_of_pages_differ_without_case_too() {
        let folder = tempfile::tempdir().unwrap();
        let records = ["a/Game.sgf", "b/game.sgf", "c/game-2.sgf", "d/GAME.sgf", "e/index.sgf", "f/x.sgf"];
        let expected = ["Game.html", "game-2.html", "game-2-2.html", "GAME-3.html", "index-2.html", "x.html"];
        assert_eq!(pages(&records, Some(folder.path())), expected);
        // in folders of their own
        assert_eq!(pages(&["a/game.sgf", "b/Game.sgf"], None), ["game.html", "Game.html"]);
    }

    #[test]
    fn a_large_page_is_known_by_its_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.html");
        for (start, expected) in [(GENERATOR, true), ("another program", false)] {
            fs::write(&path, format!("<meta name=\"generator\" content=\"{start}\">")).unwrap();
            fs::File::options().write(true).open(&path).unwrap().set_len(65 << 20).unwrap();
            assert_eq!(is_replaceable("--output", &path), expected, "{start}");
        }
    }
}
