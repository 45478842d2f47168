//! What this program writes is for its user and group alone.

use rustix::fs::Mode;
use rustix::process::umask;

/// New directories and files, the database, originals and backups among them, are closed to other users. The group keeps what
/// the system gives it: a worker as a user of its own may share the media that way.
pub fn close_to_others() {
    let given = umask(Mode::RWXU | Mode::RWXG | Mode::RWXO);
    umask(given | Mode::RWXO);
}
