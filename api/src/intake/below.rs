//! Files below a folder, opened step by step without following a link: what is checked is what is read.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use framefarm_shared::failure::without_os_numbers;
use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;

/// What tells one version of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub size: u64,
    pub changed_ns: i64,
    pub inode: u64,
}

impl Facts {
    pub fn of(metadata: &std::fs::Metadata) -> Self {
        let changed_ns = metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec());
        Self { size: metadata.len(), changed_ns, inode: metadata.ino() }
    }

    pub fn version(&self) -> String {
        format!("{}:{}:{}", self.size, self.changed_ns, self.inode)
    }
}

/// Why a file is not imported.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("`{0}` does not exist.")]
    Missing(PathBuf),
    #[error("`{0}` is a symbolic link or inside a linked directory; use the real path of the file.")]
    Link(PathBuf),
    #[error("`{0}` is not a regular file.")]
    NotAFile(PathBuf),
    #[error("`{0}` is outside its folder.")]
    Outside(PathBuf),
    #[error("The server has no permission to read `{0}`.")]
    Denied(PathBuf),
    #[error("Cannot read `{0}`: {text}.", text = without_os_numbers(&.1.to_string()))]
    Unreadable(PathBuf, io::Error),
}

impl Refusal {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing(_) => "file_missing",
            Self::Link(_) | Self::Outside(_) => "path_not_allowed",
            Self::NotAFile(_) => "not_a_file",
            Self::Denied(_) => "file_denied",
            Self::Unreadable(..) => "file_unreadable",
        }
    }

    fn of(errno: Errno, path: &Path) -> Self {
        let path = path.to_owned();
        match errno {
            Errno::NOENT => Self::Missing(path),
            Errno::LOOP => Self::Link(path),
            // A step of the way that is no folder may also be a link to one.
            Errno::NOTDIR => Self::NotAFile(path),
            Errno::ACCESS | Errno::PERM => Self::Denied(path),
            other => Self::Unreadable(path, other.into()),
        }
    }
}

pub type Result<T> = std::result::Result<T, Refusal>;

/// A folder that stays the same one, whatever is renamed meanwhile.
pub struct Folder {
    dir: OwnedFd,
}

const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Folder {
    /// The folder itself may be reached through links: whoever configures it chose so.
    pub fn open(path: &Path) -> Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = open(path, flags, Mode::empty()).map_err(|errno| Refusal::of(errno, path))?;
        Ok(Self { dir })
    }

    /// The folder that holds `path`, and the last name of it.
    pub fn parent<'p>(&self, path: &'p Path) -> Result<(OwnedFd, &'p OsStr)> {
        let Some(name) = path.file_name() else { return Err(Refusal::Outside(path.to_owned())) };
        let mut dir = self.dir.try_clone().map_err(|error| Refusal::Unreadable(path.to_owned(), error))?;
        for step in path.parent().into_iter().flat_map(Path::components) {
            let Component::Normal(step) = step else { return Err(Refusal::Outside(path.to_owned())) };
            dir = openat(&dir, step, STEP, Mode::empty()).map_err(|errno| Refusal::of(errno, path))?;
        }
        Ok((dir, name))
    }

    /// What lies there, without opening it: to open a device may already do something.
    pub fn look(&self, path: &Path) -> Result<Facts> {
        let (dir, name) = self.parent(path)?;
        look(&dir, name, path)
    }

    /// An ordinary file to read.
    pub fn file(&self, path: &Path) -> Result<(File, Facts)> {
        let (dir, name) = self.parent(path)?;
        let seen = look(&dir, name, path)?;
        // Whatever has taken its place since does not make us wait.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&dir, name, flags, Mode::empty()).map_err(|errno| Refusal::of(errno, path))?;
        let file = File::from(file);
        let metadata = file.metadata().map_err(|error| Refusal::Unreadable(path.to_owned(), error))?;
        let facts = Facts::of(&metadata);
        if !metadata.is_file() || facts.inode != seen.inode {
            return Err(Refusal::NotAFile(path.to_owned()));
        }
        Ok((file, facts))
    }
}

fn look(dir: &OwnedFd, name: &OsStr, path: &Path) -> Result<Facts> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = openat(dir, name, flags, Mode::empty()).map_err(|errno| Refusal::of(errno, path))?;
    let metadata =
        File::from(found).metadata().map_err(|error| Refusal::Unreadable(path.to_owned(), error))?;
    if metadata.is_symlink() {
        return Err(Refusal::Link(path.to_owned()));
    }
    if !metadata.is_file() {
        return Err(Refusal::NotAFile(path.to_owned()));
    }
    Ok(Facts::of(&metadata))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn codes(folder: &Folder, path: &str) -> Option<&'static str> {
        folder.file(Path::new(path)).err().map(|refusal| refusal.code())
    }

    #[test]
    fn only_ordinary_files_that_are_really_below_are_opened() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.mp4"), b"secret").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::write(at("a/b/video.mp4"), b"video").unwrap();
        symlink(outside.path().join("secret.mp4"), at("link.mp4")).unwrap();
        symlink(outside.path(), at("way")).unwrap();
        symlink(at("a"), at("inner")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe.mp4"), rustix::fs::FileType::Fifo, Mode::RUSR, 0)
            .unwrap();
        let socket = std::os::unix::net::UnixListener::bind(at("socket.mp4")).unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        assert_eq!(codes(&folder, "a/b/video.mp4"), None);
        for (path, code) in [
            ("link.mp4", "path_not_allowed"),
            ("way/secret.mp4", "not_a_file"),
            ("inner/b/video.mp4", "not_a_file"),
            ("../secret.mp4", "path_not_allowed"),
            ("a/../a/b/video.mp4", "path_not_allowed"),
            ("/etc/passwd", "path_not_allowed"),
            ("..", "path_not_allowed"),
            ("", "path_not_allowed"),
            ("pipe.mp4", "not_a_file"),
            ("socket.mp4", "not_a_file"),
            ("a/b", "not_a_file"),
            ("a/b/video.mp4/x", "not_a_file"),
            ("a/none.mp4", "file_missing"),
        ] {
            assert_eq!(codes(&folder, path), Some(code), "{path}");
        }
        drop(socket);
    }

    #[test]
    fn a_device_is_not_opened() {
        let folder = Folder::open(Path::new("/dev")).unwrap();
        for device in ["null", "zero", "tty"] {
            assert_eq!(codes(&folder, device), Some("not_a_file"), "{device}");
        }
    }

    #[test]
    fn a_folder_that_is_replaced_by_a_link_stays_the_one_that_was_opened() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(dir.path().join("in")).unwrap();
        std::fs::write(dir.path().join("in/video.mp4"), b"video").unwrap();
        std::fs::write(outside.path().join("video.mp4"), b"a secret").unwrap();
        let folder = Folder::open(&dir.path().join("in")).unwrap();
        std::fs::rename(dir.path().join("in"), dir.path().join("old")).unwrap();
        symlink(outside.path(), dir.path().join("in")).unwrap();
        assert_eq!(folder.file(Path::new("video.mp4")).unwrap().1.size, 5);
    }
}
