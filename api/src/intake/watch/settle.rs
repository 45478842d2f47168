//! Puts files away whose end is known: into `.done` or `.failed`, or off the disk.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use framefarm_shared::intake::WatchedState;
use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, mkdirat, openat, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use super::super::below::{Folder, Refusal};
use crate::app::App;
use crate::config::WatchAfter;
use crate::db::watched_files::{self, WatchedRow};
use crate::error::Result;

pub(super) const DONE: &str = ".done";
pub(super) const FAILED: &str = ".failed";
const BATCH: i64 = 1000;
/// Of the same name, that is.
const MOST_NAMES: u32 = 10_000;

/// How many were put away.
pub(super) async fn settle(app: &App, folder: &Path) -> Result<u64> {
    let after = app.settings.watch.watch_after;
    if after == WatchAfter::Keep {
        return Ok(0);
    }
    let mut count = 0;
    for row in watched_files::settled(&app.db, BATCH).await? {
        let (folder, intake, path) = (folder.to_owned(), row.intake_id, row.path.clone());
        match tokio::task::spawn_blocking(move || put_away(&folder, &row, after)).await? {
            Ok(moved) => {
                let mut tx = app.db.begin().await?;
                watched_files::forget(&mut tx, intake).await?;
                tx.commit().await?;
                count += u64::from(moved);
            }
            Err(error) => {
                tracing::warn!(file = path, %error, "cannot move or delete an imported file in the watch folder");
            }
        }
    }
    Ok(count)
}

/// False if it is not there any more, or is another one by now.
fn put_away(folder: &Path, row: &WatchedRow, after: WatchAfter) -> io::Result<bool> {
    let (root, path) = (Folder::open(folder).map_err(io::Error::other)?, Path::new(&row.path));
    let facts = match root.look(path) {
        Ok(facts) => facts,
        Err(Refusal::Unreadable(_, error)) => return Err(error),
        Err(Refusal::Denied(path)) => return Err(io::Error::other(Refusal::Denied(path))),
        Err(_) => return Ok(false),
    };
    if facts.size != row.size.unsigned_abs() || facts.changed_ns != row.changed_ns {
        return Ok(false);
    }
    let (dir, name) = root.parent(path).map_err(io::Error::other)?;
    if row.state == WatchedState::Done && after == WatchAfter::Delete {
        unlinkat(&dir, name, AtFlags::empty())?;
        return Ok(true);
    }
    let drawer = if row.state == WatchedState::Done { DONE } else { FAILED };
    let target = PathBuf::from(drawer).join(path.parent().unwrap_or(Path::new("")));
    let target = make_folders(folder, &target)?;
    for number in 1..=MOST_NAMES {
        let free = numbered(name, number);
        if exists(&target, &free)? {
            continue;
        }
        if let Some(why) = &row.error {
            explain(&target, &free, why)?;
        }
        match rename(&dir, name, &target, &free) {
            Err(Errno::EXIST) => {}
            Err(Errno::NOENT) => return Ok(false),
            done => return done.map(|()| true).map_err(io::Error::from),
        }
    }
    Err(io::Error::other("too many files with this name"))
}

/// Each step is a real folder: a link that somebody put there would lead the file astray.
fn make_folders(root: &Path, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut dir = rustix::fs::open(root, flags, Mode::empty())?;
    for step in path.components() {
        match mkdirat(&dir, step.as_os_str(), Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        dir = openat(&dir, step.as_os_str(), flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(dir)
}

/// `clip.mp4`, `clip (2).mp4`, and so on.
fn numbered(name: &OsStr, number: u32) -> OsString {
    if number == 1 {
        return name.to_owned();
    }
    let path = Path::new(name);
    let mut text = path.file_stem().unwrap_or(name).to_owned();
    text.push(format!(" ({number})"));
    if let Some(ending) = path.extension() {
        text.push(".");
        text.push(ending);
    }
    text
}

fn exists(dir: &OwnedFd, name: &OsStr) -> io::Result<bool> {
    match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// `clip.mp4.txt` beside `clip.mp4` says why it failed.
fn explain(dir: &OwnedFd, name: &OsStr, why: &str) -> io::Result<()> {
    let mut text_name = name.to_owned();
    text_name.push(".txt");
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(dir, &text_name, flags, Mode::from_raw_mode(0o666))?;
    File::from(file).write_all(format!("{why}\n").as_bytes())
}

fn rename(from: &OwnedFd, name: &OsStr, to: &OwnedFd, new: &OsStr) -> rustix::io::Result<()> {
    match renameat_with(from, name, to, new, RenameFlags::NOREPLACE) {
        // Not every file system can promise that; we have just looked.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => renameat(from, name, to, new),
        done => done,
    }
}
