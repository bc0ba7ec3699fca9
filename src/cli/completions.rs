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
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut definition, env!("CARGO_PKG_NAME"), &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The man page of the program, with a section for each subcommand, in roff.
///
/// # Errors
/// None in practice: the page is written to memory.
pub(crate) fn man_page(mut definition: clap::Command) -> anyhow::Result<String> {
    definition.build();
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(definition.clone()).manual(NAME);
    man.render(&mut page)?;
    for subcommand in definition.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        let heading = format!(".SH \"SUBCOMMAND {}\"\n", subcommand.get_name().to_uppercase());
        page.extend(heading.into_bytes());
        let man = clap_mangen::Man::new(subcommand.clone());
        man.render_description_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    Ok(String::from_utf8_lossy(&page).into_owned())
}
