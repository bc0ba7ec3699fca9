//! Targets of the report's outputs: which files, which of them may be replaced, and standard output.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::io::files;
use crate::report::annotate;
use crate::report::options::ReportArgs;

/// The text by which a page of this program is recognized, at the start of the file.
pub(super) const GENERATOR: &str = "kifuwarabe-uec14 report";

/// The number of bytes at the start of a file in which its mark is looked for.
const HEAD: usize = 4096;

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
pub(super) struct Plan {
    /// For each record.
    pub(super) records: Vec<Outputs>,
    /// The file of numbers, a line for each game.
    pub(super) json: Option<Target>,
    /// The page that lists the games.
    pub(super) index: Option<PathBuf>,
}

impl Plan {
    /// The outputs that the options name. Without any, a record has a page beside it; several records have an index.
    ///
    /// # Errors
    /// If several outputs go to standard output, or a folder cannot be made.
    pub(super) fn new(args: &ReportArgs) -> anyhow::Result<Plan> {
        let has_page = args.output.is_some() || (args.sgf.is_none() && args.json.is_none());
        let json = args.json.as_deref().map(Target::of);
        if let [record] = args.records.as_slice() {
            let page = args.output.clone().unwrap_or_else(|| record.with_extension("html"));
            let page = has_page.then(|| Target::of(&page));
            let sgf = args.sgf.as_deref().map(Target::of);
            let to_stdout = [&page, &sgf, &json].into_iter().filter(|target| **target == Some(Target::Stdout)).count();
            if to_stdout > 1 {
                bail!("--output, --sgf, --json: only one of them can be `{STDOUT}`, standard output");
            }
            return Ok(Plan { records: vec![Outputs { page, sgf }], json, index: None });
        }
        let pages = folder("--output", args.output.as_deref())?;
        let sgfs = folder("--sgf", args.sgf.as_deref())?;
        let index = has_page.then(|| pages.unwrap_or(Path::new("")).join("index.html"));
        let mut taken: Vec<PathBuf> = index.iter().cloned().collect();
        let records = args.records.iter().map(|record| {
            let page_folder = pages.unwrap_or_else(|| record.parent().unwrap_or(Path::new("")));
            let files = |name: &str| {
                let page = has_page.then(|| page_folder.join(format!("{name}.html")));
                [page, sgfs.map(|folder| folder.join(format!("{name}.sgf")))]
            };
            let [page, sgf] =
                files(&free_name(record, |name| files(name).iter().flatten().all(|file| !taken.contains(file))));
            taken.extend([&page, &sgf].into_iter().flatten().cloned());
            Outputs { page: page.map(Target::File), sgf: sgf.map(Target::File) }
        });
        Ok(Plan { records: records.collect(), json, index })
    }

    /// Checks that every file can be written, is no record and no other output, and, unless `overwrites`, replaces
    /// nothing but a file of the same kind that this program wrote.
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
        for (place, (option, path)) in planned.iter().enumerate() {
            if records.iter().any(|record| files::is_same(record, path)) {
                bail!("{option} {}: that is the record", path.display());
            }
            if let Some((other, _)) = planned.iter().take(place).find(|(_, before)| files::is_same(before, path)) {
                bail!("{}: two outputs would be written to this file, of {other} and of {option}", path.display());
            }
            files::check_writable(path).context(*option)?;
            if !overwrites && !is_replaceable(option, path) {
                bail!(
                    "{option} {}: this file exists and is not one that report wrote; --overwrite replaces it",
                    path.display()
                );
            }
        }
        Ok(())
    }
}

/// The folder that an option names for several records; made if it is absent.
fn folder<'a>(option: &str, path: Option<&'a Path>) -> anyhow::Result<Option<&'a Path>> {
    let Some(path) = path else { return Ok(None) };
    if path == Path::new(STDOUT) {
        bail!("{option} {STDOUT}: several records need a folder");
    }
    if path.is_file() {
        bail!("{option} {}: this is a file, and several records need a folder", path.display());
    }
    fs::create_dir_all(path).with_context(|| format!("{option} {}: several records need a folder", path.display()))?;
    Ok(Some(path))
}

/// The name of a record without its ending, with a number unless it is free.
fn free_name(record: &Path, is_free: impl Fn(&str) -> bool) -> String {
    let stem = record.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    std::iter::once(stem.clone()).chain(numbered).find(|name| is_free(name)).unwrap_or(stem)
}

/// Whether a file is absent, empty, or of this program and this option.
fn is_replaceable(option: &str, path: &Path) -> bool {
    let Ok(bytes) = files::read(path) else {
        // too large to be read is too large to be ours
        return !path.exists();
    };
    let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(&bytes)).into_owned();
    bytes.is_empty()
        || match option {
            "--sgf" => head.contains(&format!("{}[", annotate::MARK)),
            "--json" => head.starts_with(&format!("{{\"program\":\"{}\"", crate::NAME)),
            _ => head.contains(&format!("content=\"{GENERATOR}")),
        }
}
