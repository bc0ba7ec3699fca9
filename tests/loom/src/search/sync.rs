//! Loom's atomics and locks under the names of `search::sync`, with one addition: [`weaken`] makes every store that
//! publishes something a relaxed one, to show that the models notice.

use std::sync::atomic::AtomicBool as Flag;

pub(crate) use loom::sync::Mutex;
pub(crate) use loom::sync::atomic::Ordering;

static WEAKENED: Flag = Flag::new(false);

/// Makes all stores relaxed, or stops doing so.
pub(crate) fn weaken(is_weakened: bool) {
    WEAKENED.store(is_weakened, Ordering::SeqCst);
}

/// The order of a store or of an update.
fn order(asked: Ordering) -> Ordering {
    if WEAKENED.load(Ordering::SeqCst) { Ordering::Relaxed } else { asked }
}

macro_rules! atomics {
    ($($name:ident $value:ty;)*) => {$(
        #[derive(Default, Debug)]
        pub(crate) struct $name(loom::sync::atomic::$name);

        #[allow(dead_code)]
        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                Self(loom::sync::atomic::$name::new(value))
            }

            pub(crate) fn load(&self, asked: Ordering) -> $value {
                self.0.load(asked)
            }

            pub(crate) fn store(&self, value: $value, asked: Ordering) {
                self.0.store(value, order(asked));
            }
        }
    )*};
}

macro_rules! updates {
    ($value:ty: $($update:ident)*) => {$(
        pub(crate) fn $update(&self, value: $value, asked: Ordering) -> $value {
            self.0.$update(value, order(asked))
        }
    )*};
}

macro_rules! integers {
    ($($name:ident $value:ty;)*) => {
        atomics! { $($name $value;)* }
        $(
            #[allow(dead_code)]
            impl $name {
                updates! { $value: fetch_add fetch_sub fetch_and fetch_or fetch_min fetch_max }

                pub(crate) fn fetch_update(
                    &self,
                    set: Ordering,
                    get: Ordering,
                    update: impl FnMut($value) -> Option<$value>,
                ) -> Result<$value, $value> {
                    self.0.fetch_update(order(set), get, update)
                }

                pub(crate) fn compare_exchange(
                    &self,
                    old: $value,
                    new: $value,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$value, $value> {
                    self.0.compare_exchange(old, new, order(success), failure)
                }
            }
        )*
    };
}

atomics! {
    AtomicBool bool;
}

integers! {
    AtomicU16 u16;
    AtomicU32 u32;
    AtomicU64 u64;
    AtomicUsize usize;
}
