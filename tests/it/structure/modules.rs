//! The module tree of a crate, read from its sources, and the resolution of paths to the items that they name.
//!
//! Resolution follows imports, renames, globs and re-exports (also chains of them) to the module that defines the item.
//! There are two namespaces, modules and everything else: a name that is both a module and a function resolves to both,
//! and a path continues through modules and types, never through functions. Items under `#[cfg(test)]` are left out.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, File, ImplItem, Item, Meta, Token, Type, UseTree, Visibility};

/// The text of each file of `src`, by its path from there, with `/`.
pub type Sources = BTreeMap<String, String>;

/// A module, by its index in [`Tree::modules`].
pub type ModuleId = usize;

/// The meaning of a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    Module(ModuleId),
    Item(Definition),
}

/// An item that is not a module, and where it is defined.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Definition {
    pub module: ModuleId,
    pub name: String,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A struct, enum, union, trait or alias: a path may continue after it.
    Type,
    /// A function, constant or static.
    Value,
    /// A macro by example.
    Macro,
}

/// One name of a `use` declaration.
pub struct Import {
    /// The name it has here; `None` for a glob.
    pub name: Option<String>,
    pub path: Vec<String>,
    pub is_reexport: bool,
    pub line: usize,
}

pub struct Module {
    pub file: String,
    pub parent: Option<ModuleId>,
    /// Its items, except modules and items that are left out of the build.
    pub content: Vec<Item>,
    pub imports: Vec<Import>,
    children: BTreeMap<String, ModuleId>,
    items: BTreeMap<String, BTreeSet<Kind>>,
}

/// The modules of a library and of the program beside it.
pub struct Tree {
    pub modules: Vec<Module>,
    /// Files that are compiled for tests only.
    pub test_files: BTreeSet<String>,
    /// The library's name, as the program imports it, and its root module.
    library: (String, Option<ModuleId>),
    /// Inherent methods and associated functions that are defined in another file than their type: the type, the name,
    /// the module of the `impl`.
    extensions: BTreeMap<(ModuleId, String, String), ModuleId>,
}

impl Tree {
    /// The modules below `lib.rs` and below `main.rs`, if these files exist.
    ///
    /// # Errors
    /// A file that cannot be parsed or found, with its name.
    pub fn new(name: &str, sources: &Sources) -> Result<Tree, String> {
        let mut tree = Tree {
            modules: Vec::new(),
            test_files: BTreeSet::new(),
            library: (name.replace('-', "_"), None),
            extensions: BTreeMap::new(),
        };
        for root in ["lib.rs", "main.rs"].into_iter().filter(|root| sources.contains_key(*root)) {
            let content = parse(sources, root)?;
            let id = tree.add(sources, None, root, "", content)?;
            if root == "lib.rs" {
                tree.library.1 = Some(id);
            }
        }
        tree.extensions = tree.extensions();
        Ok(tree)
    }

    /// Adds a module and those inside it, whose files are in `folder`.
    fn add(
        &mut self,
        sources: &Sources,
        parent: Option<ModuleId>,
        file: &str,
        folder: &str,
        content: Vec<Item>,
    ) -> Result<ModuleId, String> {
        let id = self.modules.len();
        self.modules.push(Module {
            file: file.to_owned(),
            parent,
            content: Vec::new(),
            imports: Vec::new(),
            children: BTreeMap::new(),
            items: BTreeMap::new(),
        });
        let mut rest = Vec::new();
        for item in content {
            let Item::Mod(module) = item else {
                if is_built(attributes(&item)) {
                    rest.push(item);
                }
                continue;
            };
            let name = module.ident.to_string();
            let inside = format!("{folder}{name}/");
            if !is_built(&module.attrs) {
                let own = [format!("{folder}{name}.rs"), format!("{inside}mod.rs")];
                let files = sources.keys().filter(|file| own.contains(file) || file.starts_with(&inside));
                self.test_files.extend(files.cloned());
                continue;
            }
            let child = if let Some((_, content)) = module.content {
                self.add(sources, Some(id), file, &inside, content)?
            } else {
                let places = [format!("{folder}{name}.rs"), format!("{inside}mod.rs")];
                let place = places.into_iter().find(|place| sources.contains_key(place));
                let place = place.ok_or_else(|| format!("{file}: no file of the module {name}"))?;
                self.add(sources, Some(id), &place, &inside, parse(sources, &place)?)?
            };
            self.modules[id].children.insert(name, child);
        }
        let mut names = Names::default();
        for item in &rest {
            names.visit_item(item);
        }
        let module = &mut self.modules[id];
        (module.items, module.imports, module.content) = (names.items, names.imports, rest);
        Ok(id)
    }

    /// The files of `src` that belong to no module.
    pub fn unreached<'a>(&self, sources: &'a Sources) -> Vec<&'a String> {
        let reached =
            |file: &String| self.test_files.contains(file) || self.modules.iter().any(|module| module.file == *file);
        sources.keys().filter(|file| !reached(file)).collect()
    }

    /// The targets of a path in a module; empty for items of other crates, locals and generic parameters.
    pub fn resolve(&self, from: ModuleId, path: &[String]) -> BTreeSet<Target> {
        self.resolve_path(from, path, &mut Vec::new())
    }

    /// The macros by example that a single name may mean here, by textual scope.
    pub fn resolve_macro(&self, from: ModuleId, name: &str) -> BTreeSet<Target> {
        let mut module = Some(from);
        while let Some(id) = module {
            if self.modules[id].items.get(name).is_some_and(|kinds| kinds.contains(&Kind::Macro)) {
                let definition = Definition { module: id, name: name.to_owned(), kind: Kind::Macro };
                return [Target::Item(definition)].into();
            }
            module = self.modules[id].parent;
        }
        self.resolve(from, &[name.to_owned()])
    }

    /// The module of the `impl` that adds a method to a type, where it is in another file than the type.
    pub fn extension(&self, of: &Definition, method: &str) -> Option<ModuleId> {
        self.extensions.get(&(of.module, of.name.clone(), method.to_owned())).copied()
    }

    /// The type of this crate that an `impl` is for.
    pub fn self_type(&self, from: ModuleId, of: &Type) -> Option<Definition> {
        let Type::Path(of) = of else { return None };
        let path: Vec<String> = of.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.resolve(from, &path).into_iter().find_map(|target| match target {
            Target::Item(definition) if definition.kind == Kind::Type => Some(definition),
            _ => None,
        })
    }

    pub fn is_inside(&self, module: ModuleId, ancestor: ModuleId) -> bool {
        let parent = |id: &ModuleId| self.modules[*id].parent;
        std::iter::successors(Some(module), parent).any(|id| id == ancestor)
    }

    /// Whether the module defines an item of its own.
    pub fn has_items(&self, module: ModuleId) -> bool {
        !self.modules[module].items.is_empty()
    }

    fn extensions(&self) -> BTreeMap<(ModuleId, String, String), ModuleId> {
        let mut extensions = BTreeMap::new();
        for (id, module) in self.modules.iter().enumerate() {
            for item in &module.content {
                let Item::Impl(block) = item else { continue };
                if block.trait_.is_some() {
                    continue;
                }
                let Some(of) = self.self_type(id, &block.self_ty) else { continue };
                if self.modules[of.module].file == module.file {
                    continue;
                }
                for item in &block.items {
                    let name = match item {
                        ImplItem::Fn(method) if is_built(&method.attrs) => &method.sig.ident,
                        ImplItem::Const(constant) if is_built(&constant.attrs) => &constant.ident,
                        _ => continue,
                    };
                    extensions.insert((of.module, of.name.clone(), name.to_string()), id);
                }
            }
        }
        extensions
    }

    fn resolve_path(
        &self,
        from: ModuleId,
        path: &[String],
        under_way: &mut Vec<(ModuleId, String)>,
    ) -> BTreeSet<Target> {
        let Some((first, rest)) = path.split_first() else { return BTreeSet::new() };
        let root = || {
            let parent = |id: &ModuleId| self.modules[*id].parent;
            std::iter::successors(Some(from), parent).last()
        };
        let mut targets = match first.as_str() {
            "crate" => root().map(Target::Module).into_iter().collect(),
            "self" => [Target::Module(from)].into(),
            "super" => self.modules[from].parent.map(Target::Module).into_iter().collect(),
            name => {
                let found = self.lookup(from, name, under_way);
                if found.is_empty() && self.library.0 == name {
                    self.library.1.map(Target::Module).into_iter().collect()
                } else {
                    found
                }
            }
        };
        for name in rest {
            let mut next = BTreeSet::new();
            for target in targets {
                match target {
                    Target::Module(module) if name == "super" => {
                        next.extend(self.modules[module].parent.map(Target::Module));
                    }
                    Target::Module(module) if name == "self" => {
                        next.insert(Target::Module(module));
                    }
                    Target::Module(module) => next.extend(self.lookup(module, name, under_way)),
                    // a variant, an associated item
                    Target::Item(definition) if definition.kind == Kind::Type => {
                        next.insert(Target::Item(definition));
                    }
                    Target::Item(_) => {}
                }
            }
            targets = next;
        }
        targets
    }

    /// The targets of a name in a module: its declarations and imports, or else the items of its glob imports.
    fn lookup(&self, from: ModuleId, name: &str, under_way: &mut Vec<(ModuleId, String)>) -> BTreeSet<Target> {
        let module = &self.modules[from];
        let mut targets: BTreeSet<Target> =
            module.children.get(name).copied().map(Target::Module).into_iter().collect();
        for kind in module.items.get(name).into_iter().flatten() {
            targets.insert(Target::Item(Definition { module: from, name: name.to_owned(), kind: *kind }));
        }
        let key = (from, name.to_owned());
        // `pub use score::score`: the path's first `score` is the module
        if under_way.contains(&key) {
            return targets;
        }
        under_way.push(key);
        let mut is_known = !targets.is_empty();
        for import in module.imports.iter().filter(|import| import.name.as_deref() == Some(name)) {
            is_known = true;
            targets.extend(self.resolve_path(from, &import.path, under_way));
        }
        if !is_known {
            for import in module.imports.iter().filter(|import| import.name.is_none()) {
                for target in self.resolve_path(from, &import.path, under_way) {
                    if let Target::Module(module) = target {
                        targets.extend(self.lookup(module, name, under_way));
                    }
                }
            }
        }
        under_way.pop();
        targets
    }
}

fn parse(sources: &Sources, file: &str) -> Result<Vec<Item>, String> {
    let parsed: File = syn::parse_file(&sources[file]).map_err(|error| {
        let start = error.span().start();
        format!("{file}:{}: {error}", start.line)
    })?;
    Ok(if is_built(&parsed.attrs) { parsed.items } else { Vec::new() })
}

/// The names that the items of a module define and import, also those inside its functions and macros.
#[derive(Default)]
struct Names {
    items: BTreeMap<String, BTreeSet<Kind>>,
    imports: Vec<Import>,
}

impl Names {
    fn add(&mut self, name: &proc_macro2::Ident, kind: Kind) {
        self.items.entry(name.to_string()).or_default().insert(kind);
    }

    /// Adds each token sequence of a macro that looks like a definition.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut before = None;
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) => {
                    match before.as_deref() {
                        Some("struct" | "enum" | "union" | "trait" | "type") => self.add(ident, Kind::Type),
                        Some("fn" | "static" | "const") if ident != "fn" && ident != "mut" => {
                            self.add(ident, Kind::Value);
                        }
                        _ => {}
                    }
                    before = Some(ident.to_string());
                }
                TokenTree::Group(group) => {
                    self.add_tokens(group.stream());
                    before = None;
                }
                _ => before = None,
            }
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_built(attributes(item)) {
            return;
        }
        match item {
            Item::Struct(item) => self.add(&item.ident, Kind::Type),
            Item::Enum(item) => self.add(&item.ident, Kind::Type),
            Item::Union(item) => self.add(&item.ident, Kind::Type),
            Item::Trait(item) => self.add(&item.ident, Kind::Type),
            Item::TraitAlias(item) => self.add(&item.ident, Kind::Type),
            Item::Type(item) => self.add(&item.ident, Kind::Type),
            Item::Fn(item) => self.add(&item.sig.ident, Kind::Value),
            Item::Const(item) => self.add(&item.ident, Kind::Value),
            Item::Static(item) => self.add(&item.ident, Kind::Value),
            Item::Macro(item) => {
                if let Some(name) = &item.ident {
                    self.add(name, Kind::Macro);
                }
                self.add_tokens(item.mac.tokens.clone());
            }
            Item::Use(item) => {
                let is_reexport = !matches!(item.vis, Visibility::Inherited);
                flatten(&item.tree, &mut Vec::new(), is_reexport, &mut self.imports);
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }
}

/// Adds every name of a `use` tree.
fn flatten(tree: &UseTree, path: &mut Vec<String>, is_reexport: bool, imports: &mut Vec<Import>) {
    let mut add = |path: Vec<String>, name: Option<String>, line| {
        imports.push(Import { name, path, is_reexport, line });
    };
    let line = |ident: &proc_macro2::Ident| ident.span().start().line;
    // `{self}` is the path before the braces
    let full = |path: &[String], ident: &proc_macro2::Ident| {
        let own = (ident != "self" || path.is_empty()).then(|| ident.to_string());
        path.iter().cloned().chain(own).collect::<Vec<_>>()
    };
    match tree {
        UseTree::Path(tree) => {
            path.push(tree.ident.to_string());
            flatten(&tree.tree, path, is_reexport, imports);
            path.pop();
        }
        UseTree::Name(tree) => {
            let full = full(path, &tree.ident);
            add(full.clone(), full.last().cloned(), line(&tree.ident));
        }
        UseTree::Rename(tree) => {
            add(full(path, &tree.ident), Some(tree.rename.to_string()), line(&tree.ident));
        }
        UseTree::Glob(tree) => {
            let line = tree.star_token.spans[0].start().line;
            add(path.clone(), None, line);
        }
        UseTree::Group(tree) => {
            for tree in &tree.items {
                flatten(tree, path, is_reexport, imports);
            }
        }
    }
}

/// Whether attributes leave their item in a build that is not for tests.
pub fn is_built(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).all(|attribute| {
        let Meta::List(list) = &attribute.meta else { return true };
        list.parse_args::<Meta>().map_or(true, |condition| may_hold(&condition, true))
    })
}

/// Whether a condition can be true (or false) while `test` is false.
fn may_hold(condition: &Meta, value: bool) -> bool {
    let inner = |list: &syn::MetaList| {
        list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap_or_default()
    };
    match condition {
        Meta::Path(path) if path.is_ident("test") => !value,
        Meta::List(list) if list.path.is_ident("not") => inner(list).iter().all(|inner| may_hold(inner, !value)),
        Meta::List(list) if list.path.is_ident("all") == value => {
            inner(list).iter().all(|inner| may_hold(inner, value))
        }
        Meta::List(list) => inner(list).iter().any(|inner| may_hold(inner, value)),
        _ => true,
    }
}

pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
