//! Models of what the threads of a search share, run by loom in every order of their steps.
//!
//! The tree, its nodes, the cache of evaluations and the stop signal are the search's own files, compiled with loom's
//! atomics. Each model has to hold in every order. As a test of the models, those that depend on the order of stores are
//! run again with all stores relaxed, where they have to fail.

use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

mod kernel;
mod search;

use search::playout_search::models::{MODELS, Model};
use search::sync::weaken;

/// Runs a model; returns the number of orders that were run, and whether it held in all of them.
fn run(model: &Model) -> (usize, bool) {
    static ORDERS: AtomicUsize = AtomicUsize::new(0);
    ORDERS.store(0, Ordering::SeqCst);
    let body = model.run;
    let outcome = catch_unwind(move || {
        loom::model(move || {
            ORDERS.fetch_add(1, Ordering::SeqCst);
            body();
        });
    });
    (ORDERS.load(Ordering::SeqCst), outcome.is_ok())
}

fn main() -> ExitCode {
    let mut is_sound = true;
    for model in MODELS {
        let (orders, holds) = run(model);
        println!("{}: {orders} orders, {}", model.name, if holds { "holds" } else { "FAILS" });
        is_sound &= holds;
        if model.needs_order {
            weaken(true);
            // the failure is expected
            let hook = std::panic::take_hook();
            std::panic::set_hook(Box::new(|_| {}));
            let (orders, holds) = run(model);
            std::panic::set_hook(hook);
            weaken(false);
            let verdict = if holds { "NOT NOTICED" } else { "noticed" };
            println!("  with relaxed stores: {verdict} after {orders} orders");
            is_sound &= !holds;
        }
    }
    if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
