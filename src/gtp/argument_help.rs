//! Explanations of arguments. Each is defined beside the handler that reads the argument, and is shown by `help NAME`.

/// An argument, key or value of a command and its meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ArgumentHelp {
    /// The text to type, with its own arguments, such as `interval N`.
    pub(crate) name: String,
    /// Its meaning, bounds and unit.
    pub(crate) meaning: String,
}

/// Explanations of a fixed list.
pub(crate) fn argument_help<const N: usize>(list: [(&str, &str); N]) -> Vec<ArgumentHelp> {
    list.map(|(name, meaning)| ArgumentHelp { name: name.to_owned(), meaning: meaning.to_owned() }).into()
}
