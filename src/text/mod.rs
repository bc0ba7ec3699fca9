//! Texts for people: quotations of foreign text, suggestions for mistyped names, plurals, widths, and escapes of
//! markup; and the decoding of input.

pub(crate) mod columns;
pub(crate) mod input;
pub(crate) mod markup;
pub(crate) mod plural;
pub(crate) mod quote;
pub(crate) mod suggestion;
