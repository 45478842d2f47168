//! A file that cannot be read to its end: the disk is at fault, and the video must not end there.

use std::path::{Path, PathBuf};
use std::process::Command;

use framefarm_shared::failure::ErrorClass;
use framefarm_worker::encoder::protocol::{ProbeTask, Report};

use crate::clip::{Clip, Source, X264};
use crate::driver::{self, Running};
use crate::made::{qualities, task};

/// Takes the place of `read`: from a byte on, a file of this size gives an error as a failing disk does.
const FAILING_READ: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
ssize_t read(int fd, void *buffer, size_t count) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "read");
    const char *size = getenv("FAILING_SIZE"), *from = getenv("FAILING_FROM");
    struct stat file;
    if (size && from && fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == atoll(size)
        && lseek(fd, 0, SEEK_CUR) >= atoll(from)) { errno = EIO; return -1; }
    return real(fd, buffer, count);
}
"#;

fn shim(directory: &Path) -> PathBuf {
    let (code, library) = (directory.join("failing_read.c"), directory.join("failing_read.so"));
    std::fs::write(&code, FAILING_READ).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&code).arg("-ldl");
    assert!(compiler.status().unwrap().success());
    library
}

/// The encoder on a disk that fails behind so many percent of the source.
fn failing(source: &Source, percent: u64) -> Command {
    let size = std::fs::metadata(&source.path).unwrap().len();
    let mut command = Command::new(driver::worker_program());
    command.env("LD_PRELOAD", shim(source.scratch.path()));
    command.env("FAILING_SIZE", size.to_string()).env("FAILING_FROM", (size * percent / 100).to_string());
    command
}

fn source(name: &str) -> Source {
    let clip = Clip::empty().picture("320x180", "25", 20.0).sound(20.0);
    clip.with(X264).with("-b:v 2M -c:a aac").save(name)
}

fn class_of(running: Running) -> ErrorClass {
    let ended = running.finish();
    match ended.said.last() {
        Some(Report::Failed { class, message }) => {
            assert!(!message.contains("os error"), "{message}");
            *class
        }
        other => panic!("{other:?} {}", ended.stderr),
    }
}

#[test]
fn a_read_error_while_probing_is_not_the_end_of_the_file() {
    for name in ["clip.mkv", "clip.ts", "clip.mp4", "clip.flv"] {
        let source = source(name);
        let asked = ProbeTask { source: source.path.clone(), copy: true };
        // The index of an MP4 lies at its end.
        let percent = if name == "clip.mp4" { 40 } else { 70 };
        assert_eq!(
            class_of(Running::start_in(failing(&source, percent), "probe", &asked)),
            ErrorClass::Storage
        );
    }
}

#[test]
fn a_file_of_which_nothing_can_be_read_is_not_refused() {
    for name in ["clip.mkv", "clip.ts", "clip.mp4", "clip.avi"] {
        let source = source(name);
        let asked = ProbeTask { source: source.path.clone(), copy: true };
        assert_eq!(
            class_of(Running::start_in(failing(&source, 0), "probe", &asked)),
            ErrorClass::Storage,
            "{name}"
        );
    }
}

#[test]
fn a_read_error_while_encoding_or_copying_is_not_the_end_of_the_video() {
    for name in ["clip.mkv", "clip.ts", "clip.mp4"] {
        for copy in [false, true] {
            let source = source(name);
            let plan = source.plan(copy);
            let task = task(&source, &plan, &qualities(&plan, "180p:9000,90p:300"));
            let ended = class_of(Running::start_in(failing(&source, 70), "encode", &task));
            assert_eq!(ended, ErrorClass::Storage, "{name} {copy}");
        }
    }
}
