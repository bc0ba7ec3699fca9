//! Paths as they are written, in code and in the tokens of macros.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path in a token stream from its first name on: the paths written (several for `a::{b, c}`), and how many tokens.
pub fn token_paths(tokens: &[TokenTree]) -> (Vec<Vec<String>>, usize) {
    let Some(TokenTree::Ident(first)) = tokens.first() else { return (Vec::new(), 0) };
    let mut path = vec![first.to_string()];
    let mut length = 1;
    let is_colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    while is_colon(length) && is_colon(length + 1) {
        match tokens.get(length + 2) {
            Some(TokenTree::Ident(next)) => {
                path.push(next.to_string());
                length += 3;
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut paths = Vec::new();
                let mut at = 0;
                while at < inner.len() {
                    let (found, used) = token_paths(&inner[at..]);
                    paths.extend(found.into_iter().map(|behind| path.iter().cloned().chain(behind).collect()));
                    at += used.max(1);
                }
                return (paths, length + 3);
            }
            _ => break,
        }
    }
    (vec![path], length)
}

/// Every path written in a file, names alone among them, with the lines: imports name by name, the tokens of macros, tests.
pub fn written_paths(text: &str) -> Vec<(Vec<String>, usize)> {
    fn add(tokens: TokenStream, found: &mut Vec<(Vec<String>, usize)>) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            let (paths, length) = token_paths(&tokens[at..]);
            let line = tokens[at].span().start().line;
            found.extend(paths.into_iter().map(|path| (path, line)));
            if let TokenTree::Group(group) = &tokens[at] {
                add(group.stream(), found);
            }
            at += length.max(1);
        }
    }
    let mut found = Vec::new();
    add(text.parse().unwrap(), &mut found);
    found
}
