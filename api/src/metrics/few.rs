//! Label values that come from outside, kept to a few.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What stands for every value beyond the first few.
pub(super) const OTHER: &str = "other";

/// The first so many different words are used as they are: a series never goes away, so nobody may make many.
#[derive(Debug)]
pub(super) struct Few {
    most: usize,
    known: Mutex<BTreeSet<String>>,
}

impl Few {
    pub(super) fn new(most: usize) -> Self {
        Self { most, known: Mutex::default() }
    }

    pub(super) fn label<'a>(&self, word: &'a str) -> &'a str {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(word) {
            return word;
        }
        if known.len() >= self.most || word.len() > 40 {
            return OTHER;
        }
        known.insert(word.to_owned());
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_are_kept_and_the_rest_are_one() {
        let few = Few::new(2);
        let labels: Vec<_> = ["720p", "360p", "240p", "720p", "1p"].map(|word| few.label(word)).into();
        assert_eq!(labels, ["720p", "360p", OTHER, "720p", OTHER]);
        assert_eq!(Few::new(9).label(&"x".repeat(41)), OTHER);
    }
}
