//! Which file of a crate depends on which, and the circles among them.
//!
//! A file depends on the files that define the items it names: in imports, paths, attributes, and the tokens of macros.
//! Names imported by a glob or through a module count where they are used. A facade is no dependency: a `mod`
//! declaration and a re-export of an item of a submodule make no arrow, and an import through a re-export is an arrow
//! to the defining file. A method call counts if an `impl` calls a method that another file adds to its type
//! (`self.name()`, `Self::name()`, `Type::name()`); calls on other values do not, since their types are not inferred.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use proc_macro2::{Delimiter, Ident, Literal, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Arm, Attribute, Expr, ExprCall, ExprMethodCall, Field, FieldValue, ImplItem, Item, ItemImpl, ItemUse, Local,
};
use syn::{Macro, Meta, PatIdent, Path, TraitItem, Variant};

use super::modules::{Definition, ModuleId, Target, Tree, attributes, is_built};
use super::paths::token_paths;

/// One place where a file names an item of another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Arrow {
    pub from: String,
    pub to: String,
    pub line: usize,
    /// The path as written.
    pub path: String,
    /// The item, by the name in its definition.
    pub item: String,
}

/// Every place where a file names an item of another file, once for each line and item.
pub fn arrows(tree: &Tree) -> Vec<Arrow> {
    let mut arrows = BTreeSet::new();
    for (id, module) in tree.modules.iter().enumerate() {
        let mut locals = Locals::default();
        module.content.iter().for_each(|item| locals.visit_item(item));
        let mut paths = Paths { tree, module: id, locals: locals.0, self_type: None, arrows: &mut arrows };
        module.content.iter().for_each(|item| paths.visit_item(item));
        paths.add_imports();
    }
    arrows.into_iter().collect()
}

/// The circles: maximal sets of files that all depend on each other, directly or through others.
pub fn circles(arrows: &[Arrow]) -> Vec<BTreeSet<&str>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for arrow in arrows {
        next.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    let reached = |from: &str| {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = next.get(from).into_iter().flatten().copied().collect();
        while let Some(file) = open.pop() {
            if reached.insert(file) {
                open.extend(next.get(file).into_iter().flatten());
            }
        }
        reached
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> = next.keys().map(|file| (*file, reached(file))).collect();
    let circles: BTreeSet<BTreeSet<&str>> = reach
        .iter()
        .filter(|(file, reached)| reached.contains(*file))
        .map(|(file, reached)| {
            reached.iter().copied().filter(|other| reach.get(other).is_some_and(|back| back.contains(file))).collect()
        })
        .collect();
    circles.into_iter().collect()
}

/// The arrows inside each circle, one line for each pair of files.
pub fn describe(circles: &[BTreeSet<&str>], arrows: &[Arrow]) -> String {
    let mut text = String::new();
    for circle in circles {
        let files: Vec<&str> = circle.iter().copied().collect();
        writeln!(text, "circle of {} files: {}", files.len(), files.join(", ")).unwrap();
        let is_inside = |arrow: &Arrow| circle.contains(arrow.from.as_str()) && circle.contains(arrow.to.as_str());
        text += &edges(arrows.iter().filter(|arrow| is_inside(arrow)));
    }
    text
}

/// A line for each pair of files: the first place, the number of places, and every item.
pub fn edges<'a>(arrows: impl Iterator<Item = &'a Arrow>) -> String {
    let mut edges: BTreeMap<(&str, &str), Vec<&Arrow>> = BTreeMap::new();
    for arrow in arrows {
        edges.entry((&arrow.from, &arrow.to)).or_default().push(arrow);
    }
    let mut text = String::new();
    for ((from, to), arrows) in edges {
        let first = arrows.iter().min_by_key(|arrow| arrow.line).unwrap();
        let items: BTreeSet<&str> = arrows.iter().map(|arrow| arrow.item.as_str()).collect();
        let items = items.into_iter().collect::<Vec<_>>().join(", ");
        writeln!(text, "  {from}:{} `{}` -> {to} ({} places: {items})", first.line, first.path, arrows.len()).unwrap();
    }
    text
}

/// The names bound by patterns, which hide functions of the same name.
#[derive(Default)]
struct Locals(BTreeSet<String>);

impl<'ast> Visit<'ast> for Locals {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.0.insert(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }
}

struct Paths<'a> {
    tree: &'a Tree,
    module: ModuleId,
    locals: BTreeSet<String>,
    /// The type of the enclosing `impl`.
    self_type: Option<Definition>,
    arrows: &'a mut BTreeSet<Arrow>,
}

impl Paths<'_> {
    fn add_arrow(&mut self, module: ModuleId, item: &str, path: &str, line: usize) {
        let from = &self.tree.modules[self.module].file;
        let to = &self.tree.modules[module].file;
        if from != to {
            let (from, to, path, item) = (from.clone(), to.clone(), path.to_owned(), item.to_owned());
            self.arrows.insert(Arrow { from, to, line, path, item });
        }
    }

    fn add_targets(&mut self, targets: BTreeSet<Target>, path: &[String], line: usize) {
        let written = path.join("::");
        for target in targets {
            let Target::Item(definition) = target else { continue };
            self.add_arrow(definition.module, &definition.name, &written, line);
            if let Some(name) = path.last().filter(|name| **name != definition.name) {
                self.add_extension(&definition, name, &written, line);
            }
        }
    }

    /// Adds an arrow to the `impl` block of another file that adds the named method to a type.
    fn add_extension(&mut self, of: &Definition, name: &str, path: &str, line: usize) {
        if let Some(module) = self.tree.extension(of, name) {
            self.add_arrow(module, &format!("{}::{name}", of.name), path, line);
        }
    }

    fn add_path(&mut self, path: &[String], line: usize, is_called: bool) {
        let [first, rest @ ..] = path else { return };
        if first == "Self" {
            if let (Some(of), [name]) = (self.self_type.clone(), rest) {
                self.add_extension(&of, name, &path.join("::"), line);
            }
            return;
        }
        if rest.is_empty() && !is_called && self.locals.contains(first) {
            return;
        }
        self.add_targets(self.tree.resolve(self.module, path), path, line);
    }

    fn add_macro(&mut self, path: &[String], line: usize) {
        let targets = match path {
            [name] => self.tree.resolve_macro(self.module, name),
            _ => self.tree.resolve(self.module, path),
        };
        self.add_targets(targets, path, line);
    }

    /// The paths in the tokens of a macro or an attribute. A single name in small letters counts only where it is called,
    /// as it may be a variable, a field or a keyword elsewhere.
    fn add_tokens(&mut self, tokens: TokenStream, is_attribute: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            let is_after =
                |mark: char| at > 0 && matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == mark);
            match &tokens[at] {
                TokenTree::Ident(ident) => {
                    let line = ident.span().start().line;
                    let (paths, length) = token_paths(&tokens[at..]);
                    let behind = tokens.get(at + length);
                    let is_call =
                        matches!(behind, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                    let is_macro = matches!(behind, Some(TokenTree::Punct(punct)) if punct.as_char() == '!');
                    // `self.name()`
                    if is_after('.') {
                        if is_call && at >= 2 && matches!(&tokens[at - 2], TokenTree::Ident(ident) if ident == "self") {
                            self.add_self_method(ident);
                        }
                    } else if is_macro && !is_attribute {
                        paths.iter().for_each(|path| self.add_macro(path, line));
                    } else {
                        for path in &paths {
                            let is_capital = path[0].starts_with(|letter: char| letter.is_ascii_uppercase());
                            // in macro definitions `$name` is a parameter, `$crate` is not
                            let is_parameter = is_after('$') && path[0] != "crate";
                            if !is_parameter && (path.len() > 1 || is_capital || is_call) {
                                self.add_path(path, line, is_call);
                            }
                        }
                    }
                    at += length.max(1);
                }
                TokenTree::Group(group) => {
                    self.add_tokens(group.stream(), is_attribute);
                    at += 1;
                }
                TokenTree::Literal(literal) => {
                    if is_attribute {
                        self.add_quoted(literal);
                    }
                    at += 1;
                }
                TokenTree::Punct(_) => at += 1,
            }
        }
    }

    /// A path quoted in an attribute, as in `serde(default = "way::to")`.
    fn add_quoted(&mut self, literal: &Literal) {
        let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) else { return };
        if let Ok(path) = syn::parse_str::<Path>(&text.value()) {
            self.add_path(&names(&path), literal.span().start().line, true);
        }
    }

    fn add_self_method(&mut self, name: &Ident) {
        if let Some(of) = self.self_type.clone() {
            self.add_extension(&of, &name.to_string(), &format!("self.{name}()"), name.span().start().line);
        }
    }

    /// Adds arrows for the imports of the module, except re-exports of items of its submodules.
    fn add_imports(&mut self) {
        let (tree, own) = (self.tree, self.module);
        for import in &tree.modules[own].imports {
            let is_facade = |target: ModuleId| import.is_reexport && tree.is_inside(target, own);
            for target in tree.resolve(own, &import.path) {
                match target {
                    Target::Item(definition) if !is_facade(definition.module) => {
                        self.add_arrow(definition.module, &definition.name, &import.path.join("::"), import.line);
                    }
                    // items that a glob re-exports count where they are used, items that the module defines here
                    Target::Module(module) if import.name.is_none() && !is_facade(module) && tree.has_items(module) => {
                        self.add_arrow(module, "*", &format!("{}::*", import.path.join("::")), import.line);
                    }
                    _ => {}
                }
            }
        }
    }
}

fn names(path: &Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

fn line(path: &Path) -> usize {
    path.segments.first().map_or(0, |segment| segment.ident.span().start().line)
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        self.add_path(&names(path), line(path), false);
        visit::visit_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(function) = &*call.func {
            self.add_path(&names(&function.path), line(&function.path), true);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if matches!(&*call.receiver, Expr::Path(receiver) if receiver.path.is_ident("self")) {
            self.add_self_method(&call.method);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.add_macro(&names(&call.path), line(&call.path));
        self.add_tokens(call.tokens.clone(), false);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let is_of_compiler = ["doc", "cfg", "allow", "expect", "warn", "deny", "inline", "must_use", "target_feature"];
        if is_of_compiler.iter().any(|name| attribute.path().is_ident(name)) {
            return;
        }
        self.add_path(&names(attribute.path()), line(attribute.path()), true);
        match &attribute.meta {
            Meta::Path(_) => {}
            Meta::List(list) => self.add_tokens(list.tokens.clone(), true),
            Meta::NameValue(pair) => self.visit_expr(&pair.value),
        }
    }

    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        let around = self.self_type.take();
        self.self_type = self.tree.self_type(self.module, &block.self_ty);
        visit::visit_item_impl(self, block);
        self.self_type = around;
    }

    /// Imports are read from the module.
    fn visit_item_use(&mut self, _: &'ast ItemUse) {}

    fn visit_item(&mut self, item: &'ast Item) {
        if is_built(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => return,
        };
        if is_built(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attributes = match item {
            TraitItem::Const(item) => &item.attrs,
            TraitItem::Fn(item) => &item.attrs,
            TraitItem::Type(item) => &item.attrs,
            TraitItem::Macro(item) => &item.attrs,
            _ => return,
        };
        if is_built(attributes) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if is_built(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_field_value(&mut self, field: &'ast FieldValue) {
        if is_built(&field.attrs) {
            visit::visit_field_value(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        if is_built(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        if is_built(&arm.attrs) {
            visit::visit_arm(self, arm);
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if is_built(&local.attrs) {
            visit::visit_local(self, local);
        }
    }
}
