//! `completions` and `man`: a shell completion script and the man page, generated from the clap definition.

use clap::Args;
use clap_complete::Shell;

use crate::NAME;

/// Options of `completions`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// The completion script of a shell.
pub(crate) fn script(args: &CompletionsArgs, mut definition: clap::Command) -> String {
    let name = env!("CARGO_PKG_NAME");
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut definition, name, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    if args.shell != Shell::Bash {
        return script;
    }
    // for a name with hyphens `clap_complete` spells the labels of the subcommands otherwise than the states that they
    // stand for, so that nothing would be completed after a subcommand
    let [state, label] = ["__", "__subcmd__"].map(|hyphen| name.replace('-', hyphen) + "__subcmd__");
    script.replace(&label, &state)
}

/// The exit codes, in roff.
const EXIT_STATUS: &str = r#".SH "EXIT STATUS"
.TP
0
Success, also at the end of the input and after \fBquit\fR
.TP
1
\fBreplay\fR: an answer differs from the log
.TP
2
A wrong option or configuration, a file that cannot be read or written, a log that cannot be replayed to its end, or
another error; a line on standard error states it
"#;

/// The files that the program uses without being told, in roff.
const FILES: &str = r#".SH FILES
.TP
engine.toml
The configuration, in the working directory or beside the program; without it, built-in values apply
.TP
kifuwarabe-uec14.log, kifuwarabe-uec14-json.log
The logs of a session, beside the configuration file or in the working directory (Paths.PlainTextLog, Paths.JsonLog)
.TP
~/.local/state/kifuwarabe-uec14
The games of \fBweb\fR and the history of lines typed at a terminal; on macOS and Windows in the folder for local
application data
"#;

/// The man page of the program, with a section for each subcommand, in roff.
///
/// # Errors
/// None in practice: the page is written to memory.
pub(crate) fn man_page(mut definition: clap::Command) -> anyhow::Result<String> {
    definition.build();
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(for_man_page(definition.clone())).manual(NAME);
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    page.extend(b".PP\nEach subcommand has a section below.\n");
    man.render_options_section(&mut page)?;
    for subcommand in definition.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        page.extend(format!(".SH \"SUBCOMMAND {}\"\n", subcommand.get_name().to_uppercase()).into_bytes());
        let mut section = Vec::new();
        let man = clap_mangen::Man::new(for_man_page(subcommand.clone()));
        man.render_description_section(&mut section)?;
        man.render_synopsis_section(&mut section)?;
        if subcommand.get_positionals().next().is_some() {
            let mut arguments = Vec::new();
            clap_mangen::Man::new(only(subcommand, true)).render_options_section(&mut arguments)?;
            section.extend(String::from_utf8_lossy(&arguments).replace(".SH OPTIONS", ".SH ARGUMENTS").into_bytes());
        }
        clap_mangen::Man::new(only(subcommand, false)).render_options_section(&mut section)?;
        page.extend(String::from_utf8_lossy(&section).replace("\n.SH ", "\n.SS ").into_bytes());
    }
    page.extend([EXIT_STATUS, FILES].concat().into_bytes());
    man.render_version_section(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// The definition with the arguments without a name, or with the options, alone; for a list of them.
fn only(definition: &clap::Command, is_positional: bool) -> clap::Command {
    for_man_page(definition.clone()).mut_args(|argument| match argument.is_positional() == is_positional {
        true => argument,
        false => argument.hide(true),
    })
}

/// The definition with what `--help` shows and `clap_mangen` leaves out: the other names of options in their help, and in
/// the synopsis the values of options that are required.
fn for_man_page(mut definition: clap::Command) -> clap::Command {
    let usage = definition.render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).to_owned();
    definition.override_usage(usage).mut_args(|argument| {
        // of `--help`, which names `-h` there
        if argument.get_id() == "help" && argument.get_long_help().is_some() {
            return argument.long_help("Print help; -h prints a summary");
        }
        let aliases = argument.get_visible_aliases().unwrap_or_default();
        let names: Vec<String> = aliases.iter().map(|alias| format!("--{alias}")).collect();
        match argument.get_help().filter(|_| !names.is_empty()).map(ToString::to_string) {
            Some(help) => argument.help(format!("{help} [alias: {}]", names.join(", "))),
            None => argument,
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cli::options::Cli;

    #[test]
    fn synopses_have_the_values_of_required_options() {
        let page = man_page(Cli::definition()).unwrap();
        for synopsis in [
            r"\fBkifuwarabe\-uec14\fR [OPTIONS] [COMMAND]",
            r"\fBkifuwarabe\-uec14 report\fR [OPTIONS] <RECORD>...",
            r"\fBkifuwarabe\-uec14 report\fR [OPTIONS] \-\-serve",
            r"\fBkifuwarabe\-uec14 selfplay\fR [OPTIONS] \-\-games <N> \-\-out <FILE>",
        ] {
            assert!(page.contains(synopsis), "{synopsis} {page}");
        }
    }

    #[test]
    fn arguments_have_a_section_of_their_own() {
        let page = man_page(Cli::definition()).unwrap();
        for (name, argument, help) in [
            ("COMPLETIONS", r"<\fISHELL\fR>", "The shell\n"),
            ("REPORT", r"[\fIRECORD\fR]", "The game records, in SGF\n"),
            ("REPLAY", r"<\fIFILE\fR>", "The JSON log; "),
            ("LOG2SGF", r"<\fIFILE\fR>", "The JSON log; "),
        ] {
            let section = page.split_once(&format!("SUBCOMMAND {name}\"")).unwrap().1.split("\n.SH ").next().unwrap();
            let (_, arguments) = section.split_once("\n.SS ARGUMENTS\n").unwrap();
            let (arguments, options) = arguments.split_once("\n.SS OPTIONS\n").unwrap();
            assert!(arguments.contains(&format!(".TP\n{argument}\n{help}")), "{name}: {arguments}");
            assert!(!arguments.contains("help") && !options.contains(argument), "{name}: {section}");
        }
        assert_eq!(page.matches(".SS ARGUMENTS").count(), 4, "{page}");
        assert!(page.contains(r"Print help; \-h prints a summary") && !page.contains("see a summary"), "{page}");
    }
}
