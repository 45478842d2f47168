//! Stored files are put under a second directory. They never change once they have their name, so on one file system a
//! second name of the same file is a copy.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use framefarm_shared::object_key::Root;
use indicatif::ProgressBar;

use super::manifest::MediaFiles;

/// What belongs to videos; unfinished uploads lie elsewhere.
const ROOTS: [Root; 2] = [Root::Sources, Root::Videos];

pub(super) struct Tree {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
    /// Copies of files that did not change since.
    pub(super) previous: Option<PathBuf>,
    /// Never a second name, always a copy.
    pub(super) copy: bool,
    /// Moves by each file's bytes.
    pub(super) bar: ProgressBar,
}

impl Tree {
    /// Takes over every file, and sees to it that all of it is on the disk.
    pub(super) fn take_over(&self) -> io::Result<MediaFiles> {
        let mut done = MediaFiles::default();
        fs::create_dir_all(&self.to)?;
        let mut open: Vec<PathBuf> = ROOTS.iter().map(|root| root.name().into()).collect();
        while let Some(directory) = open.pop() {
            let entries = match fs::read_dir(self.from.join(&directory)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            fs::create_dir_all(self.to.join(&directory))?;
            for entry in entries {
                let entry = entry?;
                let path = directory.join(entry.file_name());
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    open.push(path);
                } else if kind.is_file() && !is_unfinished(&path) {
                    self.take_over_file(&path, &mut done)?;
                }
            }
        }
        rustix::fs::syncfs(fs::File::open(&self.to)?)?;
        Ok(done)
    }

    /// A file that is removed meanwhile was garbage before the walk began.
    fn take_over_file(&self, path: &Path, done: &mut MediaFiles) -> io::Result<()> {
        let from = self.from.join(path);
        let Some(meta) = unless_missing(fs::metadata(&from))? else { return Ok(()) };
        let to = self.to.join(path);
        if self.link(&from, &to, path, &meta) {
            done.linked += 1;
        } else if unless_missing(copy(&from, &to, &meta))?.is_none() {
            return Ok(());
        }
        done.files += 1;
        done.bytes += meta.len();
        self.bar.inc(meta.len());
        Ok(())
    }

    /// A second name of the file itself, or of its copy in an earlier backup. What cannot be linked is copied.
    fn link(&self, from: &Path, to: &Path, path: &Path, meta: &fs::Metadata) -> bool {
        if self.copy {
            return false;
        }
        if fs::hard_link(from, to).is_ok() {
            return true;
        }
        let Some(earlier) = self.previous.as_ref().map(|previous| previous.join(path)) else { return false };
        let same = |other: fs::Metadata| other.len() == meta.len() && other.mtime() == meta.mtime();
        fs::metadata(&earlier).is_ok_and(same) && fs::hard_link(earlier, to).is_ok()
    }
}

/// A storage writes under such a name first.
fn is_unfinished(path: &Path) -> bool {
    let marked = path.file_name().is_some_and(|name| name.to_string_lossy().contains('#'));
    marked || path.extension().is_some_and(|ending| ending == "copy")
}

fn copy(from: &Path, to: &Path, meta: &fs::Metadata) -> io::Result<()> {
    fs::copy(from, to)?;
    let written = fs::File::options().write(true).open(to)?;
    written.set_modified(meta.modified()?)
}

fn unless_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}
