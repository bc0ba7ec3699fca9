//! `modules` and `arrows` on small crates.

use std::collections::BTreeSet;

use super::arrows::{Arrow, arrows, circles};
use super::modules::{Sources, Tree};

fn sources(files: &[(&str, &str)]) -> Sources {
    files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
}

fn read(files: &[(&str, &str)]) -> Vec<Arrow> {
    let sources = sources(files);
    let tree = Tree::new("small-crate", &sources).unwrap();
    assert!(tree.unreached(&sources).is_empty());
    arrows(&tree)
}

/// The arrows as `from -> to item`.
fn arrow_texts(files: &[(&str, &str)]) -> BTreeSet<String> {
    read(files).iter().map(|arrow| format!("{} -> {} {}", arrow.from, arrow.to, arrow.item)).collect()
}

#[track_caller]
fn assert_arrows(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(arrow_texts(files), expected.iter().map(|arrow| (*arrow).to_owned()).collect());
}

#[test]
fn a_circle_through_a_facade_is_found() {
    let facade = "mod a;\nmod b;\npub use a::A;\npub use b::B;";
    let files = [
        ("lib.rs", "mod x;"),
        ("x/mod.rs", facade),
        ("x/a.rs", "use super::B;\npub struct A(B);"),
        ("x/b.rs", "use crate::x::A;\npub struct B(Box<A>);"),
    ];
    assert_arrows(&files, &["x/a.rs -> x/b.rs B", "x/b.rs -> x/a.rs A"]);
    assert_eq!(circles(&read(&files)), [["x/a.rs", "x/b.rs"].into()]);
}

#[test]
fn a_facade_is_no_circle() {
    let files = [
        ("lib.rs", "pub mod x;\npub mod y;"),
        ("x/mod.rs", "mod a;\nmod b;\npub use a::*;\npub(crate) use b::B as C;"),
        ("x/a.rs", "pub struct A;"),
        ("x/b.rs", "use super::a::A;\npub struct B(A);"),
        ("y.rs", "use crate::x::{A, C};"),
    ];
    assert_arrows(&files, &["x/b.rs -> x/a.rs A", "y.rs -> x/a.rs A", "y.rs -> x/b.rs B"]);
    assert!(circles(&read(&files)).is_empty());
}

#[test]
fn a_module_with_items_of_its_own_is_no_facade() {
    let files = [
        ("lib.rs", "mod x;"),
        ("x/mod.rs", "mod a;\npub use a::A;\npub struct X;\nfn f() -> A { a::make() }"),
        ("x/a.rs", "use super::X;\npub struct A(X);\npub fn make() -> A { A(X) }"),
    ];
    let expected = ["x/a.rs -> x/mod.rs X", "x/mod.rs -> x/a.rs A", "x/mod.rs -> x/a.rs make"];
    assert_arrows(&files, &expected);
    assert_eq!(circles(&read(&files)), [["x/a.rs", "x/mod.rs"].into()]);
}

#[test]
fn separate_circles_are_found_completely() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod f;"),
        ("a.rs", "pub fn a() { crate::b::b() }"),
        ("b.rs", "pub fn b() { crate::c::c() }"),
        ("c.rs", "pub fn c() { crate::a::a(); crate::d::d() }"),
        ("d.rs", "pub fn d() { crate::e::e() }"),
        ("e.rs", "pub fn e() { crate::d::d(); crate::f::f() }"),
        ("f.rs", "pub fn f() {}"),
    ];
    assert_eq!(circles(&read(&files)), [["a.rs", "b.rs", "c.rs"].into(), ["d.rs", "e.rs"].into()]);
}

#[test]
fn every_form_of_import_is_read() {
    let b = ("b.rs", "pub struct B;\npub enum E { One }\npub fn f() {}\npub mod inner { pub struct I; }");
    for (text, items) in [
        ("use crate::b::B;", &["B"] as &[&str]),
        ("use crate::{b::{B, E}};", &["B", "E"]),
        ("use crate::b::{self, B as Renamed};", &["B"]),
        ("use crate::b as c;\nfn g(_: c::B) {}", &["B"]),
        ("use super::b;\nfn g() { b::f() }", &["f"]),
        ("use self::super::b::E::One;", &["E"]),
        ("use crate::b::E::*;", &["E"]),
        ("use crate::b::*;\nfn g(_: B) {}", &["*", "B"]),
        ("use crate::b::inner::I as _;", &["I"]),
        ("pub use crate::b::B;", &["B"]),
        ("pub(crate) use crate::b::*;", &["*"]),
        ("fn g() { use crate::b::f; f() }", &["f"]),
        ("mod m { use super::super::b::B; }", &["B"]),
        ("use std::{fmt, io::{self, Write}};\nuse crate::b;", &[]),
    ] {
        let expected: Vec<String> = items.iter().map(|item| format!("a.rs -> b.rs {item}")).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        assert_arrows(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", text), b], &expected);
    }
}

#[test]
fn imports_of_other_crates_are_no_arrows_to_local_modules() {
    let files = [
        ("lib.rs", "mod a;\nmod fmt;"),
        ("a.rs", "use std::{fmt, io};\nuse {crate::fmt::F, std::mem};\nfn f(_: fmt::Result, _: io::Error) {}"),
        ("fmt.rs", "use std::{fmt::{self, Display}};\npub struct F;\nimpl Display for F {}"),
    ];
    assert_arrows(&files, &["a.rs -> fmt.rs F"]);
}

#[test]
fn every_place_of_a_path_is_read() {
    let b = ("b.rs", "pub struct B { x: u8 }\npub trait T {}\npub const C: u8 = 0;\npub fn f() {}");
    for (text, item) in [
        ("fn g() { crate::b::f() }", "f"),
        ("fn g() -> Vec<Option<crate::b::B>> { todo!() }", "B"),
        ("impl crate::b::T for u8 {}", "T"),
        ("fn g<X: super::b::T>(_: X) {}", "T"),
        ("fn g(n: u8) { match n { crate::b::C => {} _ => {} } }", "C"),
        ("fn g() { let _ = crate::b::B { x: 0 }; }", "B"),
        ("static G: [u8; crate::b::C as usize] = [];", "C"),
        ("#[serde(default = \"crate::b::f\")]\nstruct S;", "f"),
        ("struct S { #[arg(value_parser = crate::b::f)] x: u8 }", "f"),
        ("#[derive(super::b::T)]\nstruct S;", "T"),
    ] {
        let expected = format!("a.rs -> b.rs {item}");
        assert_arrows(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", text), b], &[&expected]);
    }
}

#[test]
fn macros_are_read() {
    let b = ("b.rs", "pub struct B;\npub fn f() {}\nmacro_rules! made { () => { pub struct Made; } }\nmade!();");
    for (text, items) in [
        ("fn g() { assert!(crate::b::f() == x.f()); }", &["f"] as &[&str]),
        ("use crate::b;\nfn g() { println!(\"{}\", vec![b::f()]); }", &["f"]),
        ("macro_rules! m { ($x:expr) => { use crate::b::{B, f}; $x } }", &["B", "f"]),
        ("macro_rules! m { () => { $crate::b::f() } }", &["f"]),
        ("use crate::b::Made;", &["Made"]),
        ("use crate::b;\ntable! { \"b\" b::f, 1; }", &["f"]),
        ("fn f() {}\nfn g() { assert!(f(), b, B, x.f()); }", &[]),
    ] {
        let expected: Vec<String> = items.iter().map(|item| format!("a.rs -> b.rs {item}")).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        assert_arrows(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", text), b], &expected);
    }
    let files = [
        ("lib.rs", "#[macro_use]\nmod b;\nmod a;\nmod c;"),
        ("a.rs", "m!();\ncrate::c::n!();"),
        ("b.rs", "macro_rules! m { () => {} }"),
        ("c.rs", "macro_rules! n { () => {} }\npub(crate) use n;"),
    ];
    assert_arrows(&files, &["a.rs -> c.rs n"]);
}

#[test]
fn test_only_code_is_left_out() {
    let files = [
        ("lib.rs", "mod a;\nmod b;"),
        (
            "a.rs",
            "#[cfg(test)]\nuse crate::b::B;
#[cfg(all(test, unix))]\nfn g() { crate::b::f() }
#[cfg(test)]\nmod tests { use crate::b::*; }
#[cfg(test)]\nmod more;
struct S { #[cfg(test)] b: crate::b::B }
impl S { #[cfg(test)] fn b(_: crate::b::B) {} }",
        ),
        ("a/more.rs", "mod inside;\nuse crate::b::B;"),
        ("a/more/inside.rs", ""),
        ("b.rs", "pub struct B;\npub fn f() {}"),
    ];
    assert_arrows(&files, &[]);
    let files = [
        ("lib.rs", "mod a;\nmod b;"),
        ("a.rs", "#[cfg(not(test))]\nuse crate::b::B;\n#[cfg(any(test, unix))]\nuse crate::b::f;"),
        ("b.rs", "pub struct B;\npub fn f() {}"),
    ];
    assert_arrows(&files, &["a.rs -> b.rs B", "a.rs -> b.rs f"]);
}

#[test]
fn variables_are_not_functions() {
    let files = [
        ("lib.rs", "mod x;"),
        ("x/mod.rs", "mod score;\npub use score::score;\npub fn f(score: u8) -> u8 { score + score.max(1) }"),
        ("x/score.rs", "pub fn score() {}"),
    ];
    assert_arrows(&files, &[]);
}

#[test]
fn a_module_and_a_function_of_one_name_are_distinguished() {
    let files = [
        ("lib.rs", "pub mod score;\npub use score::score;\nmod a;\nmod b;"),
        ("a.rs", "use crate::score::Score;\nuse crate::b;\npub fn a() -> Score { b::b() }"),
        ("b.rs", "use crate::score;\npub fn b() { score() }"),
        ("score.rs", "pub fn score() {}\npub struct Score;"),
    ];
    assert_arrows(&files, &["a.rs -> b.rs b", "a.rs -> score.rs Score", "b.rs -> score.rs score"]);
}

#[test]
fn methods_that_another_file_adds_to_a_type_are_seen() {
    let files = [
        ("lib.rs", "mod board;\nmod game;"),
        (
            "board/mod.rs",
            "mod more;\npub struct Board;\nimpl Board { fn f(&self) { self.g(); self.here() } fn here(&self) {} }",
        ),
        (
            "board/more.rs",
            "use super::Board;\nimpl Board { pub fn g(&self) { assert!(self.here()) } pub fn new() -> Self {} }",
        ),
        ("game.rs", "use crate::board::Board;\nfn f() { Board::new(); }"),
    ];
    let expected = [
        "board/mod.rs -> board/more.rs Board::g",
        "board/more.rs -> board/mod.rs Board",
        "game.rs -> board/mod.rs Board",
        "game.rs -> board/more.rs Board::new",
    ];
    assert_arrows(&files, &expected);
}

#[test]
fn the_program_imports_the_library_by_its_name() {
    let files = [
        ("lib.rs", "pub mod a;"),
        ("main.rs", "mod start;\nuse small_crate::a::{self, A};\nfn main() { start::run(A) }"),
        ("start.rs", "pub fn run(_: small_crate::a::A) {}"),
        ("a.rs", "pub struct A;"),
    ];
    assert_arrows(&files, &["main.rs -> a.rs A", "main.rs -> start.rs run", "start.rs -> a.rs A"]);
}

#[test]
fn a_file_without_a_module_is_an_error_or_listed() {
    let lost = sources(&[("lib.rs", "mod a;"), ("b.rs", "")]);
    assert_eq!(Tree::new("c", &lost).err().as_deref(), Some("lib.rs: no file of the module a"));
    let unread = sources(&[("lib.rs", ""), ("b.rs", "")]);
    assert_eq!(Tree::new("c", &unread).unwrap().unreached(&unread), ["b.rs"]);
    let broken = sources(&[("lib.rs", "\nfn 1() {}")]);
    assert!(Tree::new("c", &broken).err().unwrap().starts_with("lib.rs:2: "));
}
