//! Lets the included files know that their atomics are loom's.

fn main() {
    println!("cargo::rustc-cfg=loom");
}
