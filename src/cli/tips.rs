//! Tips in usage errors: the place of a game record, and the subcommand to which an option belongs.

use std::ffi::OsString;
use std::path::Path;

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::text::quote::shortened;

/// The error with a tip, if `arguments` (the name of the program first) name a game record in place of a subcommand, or
/// an option of subcommands before or without one.
pub(super) fn with_tip(mut error: clap::Error, definition: &Command, arguments: &[OsString]) -> clap::Error {
    let tip = match (error.kind(), error.get(ContextKind::InvalidSubcommand), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(name)), _) => record_tip(name),
        (ErrorKind::UnknownArgument, _, Some(ContextValue::String(option))) => {
            option_tip(option, definition, arguments)
        }
        _ => None,
    };
    if let Some(tip) = tip {
        // a name that is similar by chance
        error.remove(ContextKind::SuggestedSubcommand);
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
    error
}

/// The tip about a game record where a subcommand is expected.
fn record_tip(name: &str) -> Option<String> {
    let is_record = Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"));
    let name = shortened(name);
    is_record.then(|| format!("'report {name}' reviews a game record, '--score {name}' scores it"))
}

/// The tip about an option that subcommands have, if none is before it.
fn option_tip(option: &str, definition: &Command, arguments: &[OsString]) -> Option<String> {
    let long = option.strip_prefix("--")?;
    let is_option = |argument: &&OsString| {
        argument
            .to_str()
            .and_then(|text| text.strip_prefix(option))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let before = arguments.iter().skip(1).take_while(|argument| !is_option(argument));
    if before.filter_map(|argument| argument.to_str()).any(|name| definition.find_subcommand(name).is_some()) {
        return None;
    }
    let has_option = |subcommand: &&Command| {
        subcommand.get_arguments().any(|argument| {
            argument.get_long() == Some(long) || argument.get_all_aliases().is_some_and(|names| names.contains(&long))
        })
    };
    let names: Vec<String> = definition
        .get_subcommands()
        .filter(has_option)
        .map(|subcommand| format!("'{}'", subcommand.get_name()))
        .collect();
    let (last, others) = names.split_last()?;
    Some(match others.is_empty() {
        true => format!("'{option}' is an option of {last}, and comes after it"),
        false => format!("'{option}' is an option of {} and {last}, and comes after one of them", others.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cli::options::Cli;

    fn complaint(arguments: &str) -> String {
        let arguments = format!("kifuwarabe-uec14 {arguments}");
        Cli::read(arguments.split(' ').map(OsString::from)).unwrap_err().to_string()
    }

    #[test]
    fn a_record_and_an_option_without_its_subcommand_get_a_tip() {
        for (arguments, tip) in [
            ("foo.sgf", "tip: 'report foo.sgf' reviews a game record, '--score foo.sgf' scores it\n"),
            ("games/A.SGF", "tip: 'report games/A.SGF' reviews"),
            ("--level 3", "tip: '--level' is an option of 'play', and comes after it\n"),
            ("--level=3 play", "tip: '--level' is an option of 'play', and comes after it\n"),
            ("--resume", "tip: '--resume' is an option of 'selfplay', and comes after it\n"),
        ] {
            let complaint = complaint(arguments);
            assert!(complaint.contains(tip), "{arguments}: {complaint}");
            assert!(!complaint.contains("similar"), "{arguments}: {complaint}");
        }
        let size = complaint("--size 9");
        assert!(size.contains("tip: '--size' is an option of 'bench', "), "{size}");
        assert!(size.contains(" and 'selfplay', and comes after one of them\n"), "{size}");
    }

    #[test]
    fn other_errors_get_no_such_tip() {
        for arguments in ["foo.txt", "--nonsense", "bench --level 3", "play foo.sgf", "-level 3"] {
            let complaint = complaint(arguments);
            assert!(
                !complaint.contains("is an option of") && !complaint.contains("reviews"),
                "{arguments}: {complaint}"
            );
        }
    }
}
