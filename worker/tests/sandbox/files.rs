//! Ways out through the file system.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, chown, symlink};
use std::path::Path;

use framefarm_worker::sandbox::Layer;
use rustix::thread::CapabilitySet;

use crate::attempt::{WayOut, Work};
use crate::yard::Yard;

pub(crate) fn ways_out() -> Vec<WayOut> {
    let by_landlock: [(&str, Work); 11] = [
        ("it_cannot_read_the_list_of_users", |_| read("/etc/passwd")),
        ("it_cannot_read_a_file_beside_the_source", |yard| read(yard.beside())),
        ("it_cannot_read_through_the_root_of_proc", |_| read("/proc/self/root/etc/passwd")),
        ("it_cannot_write_the_source", |yard| OpenOptions::new().append(true).open(yard.source()).map(drop)),
        ("it_cannot_write_outside_the_scratch", |yard| fs::write(yard.outside().join("new"), "out")),
        ("it_cannot_write_outside_by_dots", |yard| fs::write(yard.scratch().join("../outside/new"), "out")),
        ("it_cannot_write_outside_through_a_link", |yard| fs::write(yard.scratch().join("link/new"), "out")),
        ("it_cannot_move_a_file_out_of_the_scratch", |yard| {
            fs::rename(yard.scratch().join("made"), yard.outside().join("made"))
        }),
        ("it_cannot_link_a_file_out_of_the_scratch", |yard| {
            fs::hard_link(yard.scratch().join("made"), yard.outside().join("made"))
        }),
        ("it_cannot_link_a_file_into_the_scratch", |yard| {
            fs::hard_link(yard.outside().join("theirs"), yard.scratch().join("mine"))
        }),
        ("it_cannot_leave_a_symbolic_link_in_the_scratch", |yard| {
            symlink("/etc", yard.scratch().join("trap"))
        }),
    ];
    let by_seccomp: [(&str, Work); 3] = [
        ("it_cannot_change_the_mode_of_the_source", |yard| {
            fs::set_permissions(yard.source(), Permissions::from_mode(0o777))
        }),
        ("it_cannot_change_the_times_of_the_source", |yard| {
            File::open(yard.source())?.set_modified(fs::metadata(yard.beside())?.modified()?)
        }),
        ("it_cannot_leave_a_program_that_runs_as_its_owner", leave_a_set_id_file),
    ];
    let files = by_landlock.map(|(name, run)| WayOut::new(name, &[Layer::Files], run));
    let calls = by_seccomp.map(|(name, run)| WayOut::new(name, &[Layer::Syscalls], run));
    let own = WayOut {
        needs: CapabilitySet::CHOWN,
        ..WayOut::new("it_cannot_give_a_file_away", &[Layer::Capabilities, Layer::Syscalls], give_away)
    };
    // The kernel asks for the rights that tracing needs.
    let parent = WayOut {
        perhaps_by: &[Layer::Capabilities],
        ..WayOut::new("it_cannot_read_the_environment_of_its_parent", &[Layer::Files], read_the_parent)
    };
    files.into_iter().chain(calls).chain([own, parent]).collect()
}

fn read(path: impl AsRef<Path>) -> io::Result<()> {
    fs::read(path).map(drop)
}

fn read_the_parent(_: &Yard) -> io::Result<()> {
    read(format!("/proc/{}/environ", std::os::unix::process::parent_id()))
}

fn leave_a_set_id_file(yard: &Yard) -> io::Result<()> {
    OpenOptions::new().create_new(true).write(true).mode(0o4755).open(yard.scratch().join("shell")).map(drop)
}

fn give_away(yard: &Yard) -> io::Result<()> {
    chown(yard.scratch().join("made"), Some(1), None)
}
