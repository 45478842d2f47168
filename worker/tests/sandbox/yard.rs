//! What a child has around it: a source with a neighbour, a scratch directory, and a place that is none of its
//! business.

use std::path::{Path, PathBuf};
use std::{env, fs};

use framefarm_worker::sandbox::{Limits, Rules};
use tempfile::TempDir;

const ROOT: &str = "SANDBOX_YARD";

pub(crate) struct Yard {
    pub(crate) root: PathBuf,
    _owner: Option<TempDir>,
}

impl Yard {
    pub(crate) fn new() -> Self {
        let owner = tempfile::tempdir().unwrap();
        let yard = Self { root: owner.path().canonicalize().unwrap(), _owner: Some(owner) };
        for directory in ["source", "scratch", "outside"] {
            fs::create_dir(yard.root.join(directory)).unwrap();
        }
        for file in [yard.source(), yard.beside(), yard.scratch().join("made"), yard.outside().join("theirs")]
        {
            fs::write(file, "bytes").unwrap();
        }
        std::os::unix::fs::symlink(yard.outside(), yard.scratch().join("link")).unwrap();
        yard
    }

    /// The one that the test made for this child.
    pub(crate) fn inherited() -> Self {
        Self { root: env::var_os(ROOT).unwrap().into(), _owner: None }
    }

    pub(crate) fn variable(&self) -> (&'static str, &Path) {
        (ROOT, &self.root)
    }

    pub(crate) fn source(&self) -> PathBuf {
        self.root.join("source/source")
    }

    pub(crate) fn beside(&self) -> PathBuf {
        self.root.join("source/beside")
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.join("scratch")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.root.join("outside")
    }

    pub(crate) fn rules(&self, limits: Limits) -> Rules {
        Rules::new(&self.source(), Some(&self.scratch()), limits)
    }
}
