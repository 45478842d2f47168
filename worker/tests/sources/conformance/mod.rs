//! The conformance suite: a table of sources, each a line that makes it and what must hold of what players get.
//!
//! Times are measured by decoding: each flash of the picture and each beep of the sound is found, and their distance is
//! the error. Plain ffmpeg decodes the source for comparison. Then the same is asked of a resumed run, of a copied one
//! and of one on a stand-in for a GPU. `make media-test` runs all of it and prints the table; modules called `short`
//! are also part of `make test`.

mod bursts;
mod case;
mod check;
mod colors;
mod recipe;
mod reference;
mod report;
mod sines;
mod variants;

/// A test for each source: `name: case;`.
macro_rules! sources {
    ($($name:ident: $case:expr;)+) => {$(
        #[test]
        fn $name() {
            $case.check(concat!(module_path!(), "::", stringify!($name)));
        }
    )+};
}

mod changes;
mod channels;
mod codecs;
mod containers;
mod damaged;
mod holes;
mod joins;
mod pictures;
mod rates;
mod times;
mod tracks;
