//! Sources that are no file of their own.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use nix::sys::stat::Mode;

use crate::trial::{Outcome, judge, try_source};
use crate::yard::Yard;

fn tried(name: &str, class: &str, prepare: impl FnOnce(&Yard)) -> Outcome {
    let yard = Yard::new();
    prepare(&yard);
    let outcome = try_source(name, &yard);
    let right = outcome.class() == class;
    outcome.expect(right, "not what was expected")
}

#[test]
fn what_is_no_file_is_told_from_what_is_gone_or_closed() {
    judge(vec![
        tried("pipe", "input_invalid", |yard| nix::unistd::mkfifo(&yard.source(), Mode::S_IRWXU).unwrap()),
        tried("directory", "input_invalid", |yard| fs::create_dir(yard.source()).unwrap()),
        tried("device", "input_invalid", |yard| symlink("/dev/zero", yard.source()).unwrap()),
        tried("missing", "input_missing", |_| {}),
        tried("dangling link", "input_missing", |yard| symlink("/nowhere", yard.source()).unwrap()),
        tried("link to a video", "made", |yard| symlink(yard.beside(), yard.source()).unwrap()),
        tried("closed", "input_denied", |yard| {
            fs::copy(yard.beside(), yard.source()).unwrap();
            fs::set_permissions(yard.source(), fs::Permissions::from_mode(0o000)).unwrap();
        }),
    ]);
}
