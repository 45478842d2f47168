//! What works inside the sandbox as it does outside.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::thread;
use std::time::{Duration, Instant};

use framefarm_worker::sandbox::{Layer, Limits};
use libtest_mimic::{Failed, Trial};

use crate::attempt::Work;
use crate::inside::{roomy, start};
use crate::yard::Yard;
use crate::{older, transcode};

/// What is done, and inside which layers.
type Inside = (&'static str, &'static [Layer], Work);

const WORK: [Inside; 5] = [
    ("ordinary_work_goes_on", &Layer::ALL, ordinary),
    ("no_program_could_get_new_rights", &Layer::ALL, has_no_new_privs),
    (transcode::NAME, &Layer::ALL, transcode::inside),
    ("a_kernel_without_landlock_is_told", &[], older::without_landlock),
    ("a_kernel_with_landlock_switched_off_is_told", &[], older::with_landlock_switched_off),
];

pub(crate) fn find(name: &str) -> Option<(Limits, Work)> {
    WORK.iter().find(|(known, ..)| *known == name).map(|(.., work)| (roomy(), *work))
}

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    WORK.into_iter().map(|(name, layers, _)| Trial::test(name, move || goes_on(name, layers)))
}

fn goes_on(name: &str, layers: &[Layer]) -> Result<(), Failed> {
    let yard = Yard::new();
    if name == transcode::NAME {
        transcode::prepare(&yard);
    }
    let told = start(name, &yard, layers, &[]);
    if told.did == Some(true) { Ok(()) } else { Err(format!("{} {}", told.status, told.text).into()) }
}

fn ordinary(yard: &Yard) -> io::Result<()> {
    assert_eq!(fs::read(yard.source())?, b"bytes");
    let workers: Vec<_> =
        (0..8_u64).map(|number| thread::spawn(move || vec![number; 1 << 20].len())).collect();
    assert!(workers.into_iter().all(|worker| worker.join().is_ok_and(|length| length == 1 << 20)));
    write_the_output(yard)?;
    let mut random = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    assert_ne!(random, [0; 16]);
    let began = Instant::now();
    thread::sleep(Duration::from_millis(10));
    assert!(began.elapsed() >= Duration::from_millis(10));
    fs::read_to_string("/proc/self/status").and(fs::read_to_string("/proc/cpuinfo"))?;
    fs::write("/dev/null", "gone")
}

/// As segments are written: under another name, synced, then moved to where they belong.
fn write_the_output(yard: &Yard) -> io::Result<()> {
    let (made, quality) = (yard.scratch().join("segment.tmp"), yard.scratch().join("720p"));
    fs::create_dir(&quality)?;
    fs::write(&made, vec![7; 1 << 20])?;
    File::open(&made)?.sync_all()?;
    File::options().write(true).open(&made)?.set_len(1 << 19)?;
    fs::rename(&made, quality.join("segment"))?;
    assert_eq!(fs::metadata(quality.join("segment"))?.len(), 1 << 19);
    fs::remove_dir_all(quality)
}

fn has_no_new_privs(_: &Yard) -> io::Result<()> {
    let status = fs::read_to_string("/proc/self/status")?;
    assert!(status.contains("NoNewPrivs:\t1\n"), "{status}");
    assert!(status.contains("CapEff:\t0000000000000000\n"), "{status}");
    Ok(())
}
