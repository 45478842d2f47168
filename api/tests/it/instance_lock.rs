//! The lock of a data directory. Who lives and what time it is are said by each test.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use framefarm_api::instance_lock::{
    HeldBecause, Holder, Identity, InstanceLock, LockError, Process, ProcessTable, Record, RunningProcesses,
    Status, describe,
};
use serde_json::{Value, json};
use tempfile::TempDir;

const STALE_AFTER: Duration = Duration::from_mins(2);
const STARTED: u64 = 1_700_000_000;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + seconds, 0).expect("a time")
}

fn dir() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

fn who(hostname: &str, pid: u32) -> Identity {
    Identity { pid, process_start_time_unix: STARTED, hostname: hostname.into() }
}

fn everybody_lives(_: u32) -> Process {
    Process::Alive { start_time_unix: Some(STARTED) }
}

fn nobody_lives(_: u32) -> Process {
    Process::Gone
}

fn acquire(
    dir: &TempDir,
    now: DateTime<Utc>,
    me: Identity,
    processes: impl ProcessTable + 'static,
) -> Result<InstanceLock, LockError> {
    InstanceLock::acquire_among(dir.path(), now, me, STALE_AFTER, Arc::new(processes))
}

fn record_file(dir: &TempDir) -> std::path::PathBuf {
    dir.path().join("instance-lock.json")
}

fn record_on_disk(dir: &TempDir) -> Record {
    serde_json::from_slice(&fs::read(record_file(dir)).expect("a record")).expect("JSON")
}

fn write_record(dir: &Path, record: &Value) {
    fs::write(dir.join("instance-lock.json"), record.to_string()).expect("written");
}

/// A record as the holder wrote it when it last beat.
fn record_of(hostname: &str, pid: u32, heartbeat: DateTime<Utc>) -> Value {
    json!({
        "pid": pid, "processStartTimeUnix": STARTED, "hostname": hostname, "startedAt": at(-9_000),
        "heartbeatAt": heartbeat, "version": 4, "token": "old",
    })
}

fn journal(dir: &TempDir) -> Vec<Value> {
    let text = fs::read_to_string(dir.path().join("instance-lock.log")).expect("a log");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn events(dir: &TempDir) -> Vec<String> {
    let name = |line: Value| line["event"].as_str().expect("an event").to_owned();
    journal(dir).into_iter().map(name).collect()
}

#[track_caller]
fn refused(result: Result<InstanceLock, LockError>) -> (Holder, HeldBecause) {
    match result {
        Err(LockError::Held { holder, reason, .. }) => (holder, reason),
        other => panic!("not refused: {other:?}"),
    }
}

#[track_caller]
fn pid_of(holder: &Holder) -> u32 {
    match holder {
        Holder::Known(record) => record.pid,
        Holder::Unknown => panic!("unknown holder"),
    }
}

#[test]
fn k1_there_is_one_holder_at_a_time() {
    let dir = dir();
    let first = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    refused(acquire(&dir, at(0), who("alpha", 2), everybody_lives));
    refused(acquire(&dir, at(0), who("beta", 1), everybody_lives));
    refused(acquire(&dir, at(0), who("alpha", 1), everybody_lives));
    first.release(at(1)).expect("released");
    acquire(&dir, at(1), who("beta", 1), everybody_lives).expect("free again");
}

#[test]
fn k2_one_who_is_refused_does_not_wait() {
    let dir = dir();
    let _held = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    let begun = Instant::now();
    refused(acquire(&dir, at(0), who("beta", 2), everybody_lives));
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[test]
fn k2_a_stopped_process_inside_the_critical_section_does_not_hang_the_others() {
    let dir = dir();
    let guard = File::create(dir.path().join("instance-lock.guard")).expect("a guard");
    rustix::fs::flock(&guard, rustix::fs::FlockOperation::LockExclusive).expect("locked");
    let dir = Arc::new(dir);
    let (tell, told) = mpsc::channel();
    thread::spawn({
        let dir = dir.clone();
        move || {
            let _ = tell.send(acquire(&dir, at(0), who("alpha", 1), everybody_lives));
        }
    });
    let answer = told.recv_timeout(Duration::from_secs(10)).expect("an answer");
    assert!(matches!(answer, Err(LockError::Io { .. })), "{answer:?}");

    write_record(dir.path(), &record_of("beta", 1, at(0)));
    let begun = Instant::now();
    refused(acquire(&dir, at(0), who("alpha", 1), everybody_lives));
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[test]
fn k3_to_k8_the_record_has_exactly_the_agreed_fields() {
    let dir = dir();
    let lock = acquire(&dir, at(5), who("alpha", 7), everybody_lives).expect("free");
    let on_disk: Value =
        serde_json::from_slice(&fs::read(record_file(&dir)).expect("a record")).expect("JSON");
    assert_eq!(
        on_disk,
        json!({
            "pid": 7, "processStartTimeUnix": STARTED, "hostname": "alpha",
            "startedAt": "2027-01-15T08:00:05Z", "heartbeatAt": "2027-01-15T08:00:05Z",
            "version": 4, "token": lock.record().token,
        })
    );
    assert_eq!(lock.record().token.as_ref().map(String::len), Some(32));
}

#[test]
fn k4_a_pid_that_was_given_to_another_process_is_dead() {
    let dir = dir();
    write_record(dir.path(), &record_of("alpha", 1, at(0)));
    let reused = |_| Process::Alive { start_time_unix: Some(STARTED + 2) };
    acquire(&dir, at(0), who("alpha", 2), reused).expect("taken over at once");
    assert_eq!(journal(&dir)[0]["why"], "the PID now belongs to another process");
}

#[test]
fn k5_the_hostname_decides_whether_the_pid_means_anything() {
    let dir = dir();
    write_record(dir.path(), &record_of("alpha", 1, at(0)));
    refused(acquire(&dir, at(0), who("beta", 2), nobody_lives));
    acquire(&dir, at(0), who("alpha", 2), nobody_lives).expect("taken over at once");
}

#[test]
fn k7_a_renewal_moves_the_heartbeat_and_nothing_else() {
    let dir = dir();
    let mut lock = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    let before = record_on_disk(&dir);
    lock.renew(at(30)).expect("renewed");
    let expected = Record { heartbeat_at: Some(at(30)), ..before };
    assert_eq!(record_on_disk(&dir), expected);
    refused(acquire(&dir, at(149), who("beta", 2), everybody_lives));
}

#[test]
fn k8_a_version_3_record_is_as_old_as_its_start() {
    let v3 = json!({
        "pid": 1, "processStartTimeUnix": STARTED, "hostname": "alpha", "startedAt": at(0), "version": 3,
    });
    let dir = dir();
    write_record(dir.path(), &v3);
    refused(acquire(&dir, at(119), who("beta", 2), everybody_lives));
    acquire(&dir, at(120), who("beta", 2), everybody_lives).expect("taken over");
}

#[test]
fn k8_a_version_4_record_without_heartbeat_is_not_judged_by_its_start() {
    let dir = dir();
    let mut record = record_of("alpha", 1, at(0));
    record.as_object_mut().expect("an object").remove("heartbeatAt");
    write_record(dir.path(), &record);
    written_at(&dir, at(0));
    let (holder, reason) = refused(acquire(&dir, at(60), who("beta", 2), everybody_lives));
    assert_eq!((holder, reason), (Holder::Unknown, HeldBecause::Unreadable { seconds_ago: 60 }));
}

#[test]
fn k8_fields_of_a_later_version_are_no_obstacle() {
    let dir = dir();
    let mut record = record_of("alpha", 1, at(0));
    record["version"] = json!(5);
    record["colour"] = json!("green");
    write_record(dir.path(), &record);
    let (holder, _) = refused(acquire(&dir, at(1), who("beta", 2), everybody_lives));
    assert_eq!(pid_of(&holder), 1);
}

#[test]
fn k9_a_dead_pid_is_stale_at_once_whatever_its_heartbeat() {
    for heartbeat in [at(-500), at(0), at(500)] {
        let dir = dir();
        write_record(dir.path(), &record_of("alpha", 1, heartbeat));
        acquire(&dir, at(0), who("alpha", 2), nobody_lives).expect("taken over at once");
    }
}

#[test]
fn k9_a_real_process_that_was_killed_is_taken_over_at_once() {
    let dir = dir();
    let mut child = Sleep(Command::new("sleep").arg("600").spawn().expect("sleep"));
    let child = &mut child.0;
    let Process::Alive { start_time_unix: Some(start) } = RunningProcesses.look_up(child.id()) else {
        panic!("the child is not alive");
    };
    let me = Identity::of_this_process().expect("an identity");
    let holder = Identity { pid: child.id(), process_start_time_unix: start, hostname: me.hostname.clone() };
    let held = InstanceLock::acquire(dir.path(), at(0), holder, STALE_AFTER).expect("free");
    // Silent for an hour, yet alive.
    refused(InstanceLock::acquire(dir.path(), at(3_600), me.clone(), STALE_AFTER));

    child.kill().expect("killed");
    let begun = Instant::now();
    // Not reaped yet: a zombie must not count as alive.
    wait_for_zombie(child.id());
    let taken = InstanceLock::acquire(dir.path(), at(3_600), me.clone(), STALE_AFTER);
    assert!(begun.elapsed() < Duration::from_secs(1));
    let taken = taken.expect("taken over");
    child.wait().expect("reaped");
    assert_eq!(RunningProcesses.look_up(child.id()), Process::Gone);
    assert_eq!(record_on_disk(&dir).pid, me.pid);
    drop((taken, held));
}

/// Does not outlive a test that fails.
struct Sleep(Child);

impl Drop for Sleep {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_for_zombie(pid: u32) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while RunningProcesses.look_up(pid) != Process::Gone {
        assert!(Instant::now() < deadline, "a killed process still counts as alive");
        thread::yield_now();
    }
}

#[test]
fn k10_a_live_process_with_its_own_start_time_is_held_whatever_its_heartbeat() {
    let unknown = |_| Process::Alive { start_time_unix: None };
    let a_second_off = |_| Process::Alive { start_time_unix: Some(STARTED - 1) };
    let dir = dir();
    write_record(dir.path(), &record_of("alpha", 1, at(-86_400)));
    for processes in [everybody_lives, unknown, a_second_off] {
        let (_, reason) = refused(acquire(&dir, at(0), who("alpha", 2), processes));
        assert_eq!(reason, HeldBecause::Running);
    }
}

#[test]
fn k10_a_clock_step_costs_the_holder_nothing_once_it_beat_again() {
    let dir = dir();
    let after_the_step = |_| Process::Alive { start_time_unix: Some(STARTED + 3_600) };
    let mut lock = acquire(&dir, at(0), who("alpha", 1), after_the_step).expect("free");
    lock.renew(at(3_630)).expect("renewed");
    refused(acquire(&dir, at(3_631), who("alpha", 2), after_the_step));
}

#[test]
fn k11_and_l20_a_remote_holder_may_be_replaced_after_120_s_of_silence_and_not_before() {
    let dir = dir();
    write_record(dir.path(), &record_of("alpha", 1, at(0)));
    for (now, seconds_ago) in [(at(119), 119), (at(120) - TimeDelta::milliseconds(1), 119), (at(-300), 0)] {
        let (_, reason) = refused(acquire(&dir, now, who("beta", 2), nobody_lives));
        assert_eq!(reason, HeldBecause::Heartbeat { seconds_ago });
    }
    acquire(&dir, at(120), who("beta", 2), everybody_lives).expect("taken over");
}

#[test]
fn k12_of_eight_racers_exactly_one_wins_a_thousand_times() {
    const RACES: u32 = 1_000;
    const RACERS: u32 = 8;
    let dir = Arc::new(dir());
    let barrier = Arc::new(Barrier::new(RACERS as usize));
    let run = |racer: u32| {
        let (dir, barrier) = (dir.clone(), barrier.clone());
        move || -> Vec<Outcome> {
            let race = |race: u32| {
                let path = dir.path().join(race.to_string());
                if racer == 0 {
                    fs::create_dir(&path).expect("a directory");
                    write_record(&path, &record_of("gone", 1, at(-120)));
                }
                barrier.wait();
                let me = who(&format!("host-{racer}"), racer);
                let processes = Arc::new(everybody_lives);
                let lock = InstanceLock::acquire_among(&path, at(0), me, STALE_AFTER, processes);
                barrier.wait();
                Outcome::of(&lock)
            };
            (0..RACES).map(race).collect()
        }
    };
    let racers: Vec<_> = (0..RACERS).map(|racer| thread::spawn(run(racer))).collect();
    let outcomes: Vec<Vec<Outcome>> =
        racers.into_iter().map(|racer| racer.join().expect("a racer")).collect();
    for race in 0..RACES as usize {
        let of_race: Vec<&Outcome> = outcomes.iter().map(|racer| &racer[race]).collect();
        let count = |outcome: Outcome| of_race.iter().filter(|o| ***o == outcome).count();
        assert_eq!((count(Outcome::Won), count(Outcome::Refused)), (1, 7), "{of_race:?}");
    }
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Won,
    Refused,
    Failed(String),
}

impl Outcome {
    fn of(result: &Result<InstanceLock, LockError>) -> Self {
        match result {
            Ok(_) => Self::Won,
            Err(LockError::Held { .. }) => Self::Refused,
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

/// A process table during whose first look-up something happens, as it does to a slow racer.
fn meanwhile(happens: impl FnOnce() + Send + 'static) -> impl ProcessTable {
    let happens: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(Some(Box::new(happens)));
    move |_| {
        let first = happens.lock().expect("no panic").take();
        match first {
            Some(happens) => {
                happens();
                Process::Gone
            }
            None => everybody_lives(0),
        }
    }
}

#[test]
fn h2_and_k13_a_slow_racer_does_not_replace_the_record_of_the_fast_one() {
    let dir = Arc::new(dir());
    write_record(dir.path(), &record_of("alpha", 1, at(-300)));
    let fast = Arc::new(Mutex::new(None));
    let slow = meanwhile({
        let (dir, fast) = (dir.clone(), fast.clone());
        move || {
            let lock = acquire(&dir, at(0), who("alpha", 2), nobody_lives).expect("the fast one");
            *fast.lock().expect("no panic") = Some(lock);
        }
    });
    let (holder, _) = refused(acquire(&dir, at(0), who("alpha", 3), slow));
    assert_eq!(pid_of(&holder), 2, "decided anew, against the record of the fast one");
    assert_eq!(record_on_disk(&dir).pid, 2);
    assert_eq!(events(&dir), ["takeover", "lost_race", "refused"]);
}

#[test]
fn h2_a_beat_between_judgement_and_takeover_saves_the_holder() {
    let dir = Arc::new(dir());
    let mut holder = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    let token = holder.record().token.clone();
    let holder = Arc::new(Mutex::new({
        holder.renew(at(1)).expect("renewed");
        holder
    }));
    let slow = meanwhile({
        let holder = holder.clone();
        move || {
            holder.lock().expect("no panic").renew(at(2)).expect("renewed");
        }
    });
    refused(acquire(&dir, at(2), who("alpha", 2), slow));
    assert_eq!(record_on_disk(&dir).token, token);
}

#[test]
fn k13_a_loser_that_finds_the_lock_free_again_takes_it() {
    let dir = Arc::new(dir());
    write_record(dir.path(), &record_of("alpha", 1, at(-300)));
    let slow = meanwhile({
        let dir = dir.clone();
        move || {
            let fast = acquire(&dir, at(0), who("alpha", 2), nobody_lives).expect("the fast one");
            fast.release(at(0)).expect("released");
        }
    });
    let _lock = acquire(&dir, at(0), who("alpha", 3), slow).expect("free at the second look");
    assert_eq!(record_on_disk(&dir).pid, 3);
    assert_eq!(events(&dir), ["takeover", "released", "lost_race", "acquired"]);
}

#[test]
fn rc17_two_who_recover_the_same_stale_lock_get_one_lock() {
    let dir = dir();
    write_record(dir.path(), &record_of("gone", 1, at(-120)));
    let _first = acquire(&dir, at(0), who("alpha", 2), everybody_lives).expect("taken over");
    let (holder, _) = refused(acquire(&dir, at(0), who("beta", 3), everybody_lives));
    assert_eq!(pid_of(&holder), 2);
}

#[test]
fn rc18_and_h3_an_old_holder_that_wakes_up_has_lost_and_changes_nothing() {
    let dir = dir();
    let mut old = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    let _new = acquire(&dir, at(120), who("beta", 2), everybody_lives).expect("taken over");
    let taken = fs::read(record_file(&dir)).expect("a record");

    for _ in 0..2 {
        let lost = old.renew(at(121)).expect_err("lost");
        assert!(matches!(&lost, LockError::Lost { holder, .. } if pid_of(holder) == 2), "{lost}");
    }
    old.release(at(122)).expect("nothing to release");
    assert_eq!(fs::read(record_file(&dir)).expect("a record"), taken);
    assert_eq!(events(&dir), ["acquired", "takeover", "lost"]);
}

#[test]
fn rc18_dropping_a_lost_lock_leaves_the_new_holder_alone() {
    let dir = dir();
    let old = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    let _new = acquire(&dir, at(120), who("beta", 2), everybody_lives).expect("taken over");
    drop(old);
    assert_eq!(record_on_disk(&dir).pid, 2);
}

#[test]
fn rc18_a_lock_once_lost_stays_lost_when_the_new_holder_has_gone() {
    let dir = dir();
    let mut old = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    let its_record = fs::read(record_file(&dir)).expect("a record");
    let new = acquire(&dir, at(120), who("beta", 2), everybody_lives).expect("taken over");
    new.release(at(121)).expect("released");
    assert!(matches!(old.renew(at(122)), Err(LockError::Lost { .. })));
    assert!(!record_file(&dir).exists());

    // Not even when somebody puts the old record back.
    fs::write(record_file(&dir), &its_record).expect("written");
    assert!(matches!(old.renew(at(123)), Err(LockError::Lost { .. })));
    old.release(at(124)).expect("nothing to release");
    assert_eq!(fs::read(record_file(&dir)).expect("a record"), its_record);
}

#[test]
fn rc18_a_long_pause_without_a_takeover_loses_nothing() {
    let dir = dir();
    let mut lock = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    lock.renew(at(86_400)).expect("still ours");
}

#[test]
fn h3_of_a_late_beat_and_a_takeover_exactly_one_succeeds() {
    for _ in 0..200 {
        let dir = dir();
        let mut old = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
        let barrier = Barrier::new(2);
        let (beat, takeover) = thread::scope(|scope| {
            let beat = scope.spawn(|| {
                barrier.wait();
                old.renew(at(120))
            });
            barrier.wait();
            let takeover = acquire(&dir, at(120), who("beta", 2), everybody_lives);
            (beat.join().expect("a beat"), takeover)
        });
        assert_ne!(beat.is_ok(), takeover.is_ok(), "{beat:?} {takeover:?}");
        assert_eq!(record_on_disk(&dir).pid, if beat.is_ok() { 1 } else { 2 });
    }
}

fn written_at(dir: &TempDir, time: DateTime<Utc>) {
    let file = File::options().write(true).open(record_file(dir)).expect("a record");
    file.set_modified(time.into()).expect("a time");
}

#[test]
fn h9_a_record_that_cannot_be_read_is_held_until_it_is_old() {
    for broken in ["", "{", "[]", r#"{"pid":1}"#, "\0\0\0\0"] {
        let dir = dir();
        fs::write(record_file(&dir), broken).expect("written");
        written_at(&dir, at(0));
        let (holder, reason) = refused(acquire(&dir, at(119), who("alpha", 1), nobody_lives));
        assert_eq!((holder, reason), (Holder::Unknown, HeldBecause::Unreadable { seconds_ago: 119 }));
        refused(acquire(&dir, at(-60), who("alpha", 1), nobody_lives));
        assert_eq!(fs::read_to_string(record_file(&dir)).expect("a record"), broken);
        acquire(&dir, at(120), who("alpha", 1), nobody_lives).expect("taken over");
        let expected = ["corrupt", "refused", "corrupt", "refused", "corrupt", "takeover", "released"];
        assert_eq!(events(&dir), expected);
    }
}

#[test]
fn h9_a_record_longer_than_any_holder_writes_is_not_read_to_its_end() {
    let dir = dir();
    write_record(dir.path(), &record_of(&"a".repeat(100_000), 1, at(0)));
    written_at(&dir, at(0));
    let (holder, _) = refused(acquire(&dir, at(1), who("beta", 2), everybody_lives));
    assert_eq!(holder, Holder::Unknown);
}

#[test]
fn a_reader_never_sees_half_a_record() {
    let dir = dir();
    let mut lock = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for second in 0..200 {
                lock.renew(at(second)).expect("renewed");
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            let status = describe(dir.path(), at(0)).expect("a status");
            assert!(matches!(status, Status::Held { .. }), "{status}");
        }
    });
}

#[test]
fn h9_a_holder_whose_record_was_damaged_has_lost_and_writes_nothing() {
    let dir = dir();
    let mut lock = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    fs::write(record_file(&dir), "{").expect("written");
    assert!(matches!(lock.renew(at(30)), Err(LockError::Lost { .. })));
    assert_eq!(fs::read_to_string(record_file(&dir)).expect("a record"), "{");
}

#[test]
fn a_beat_that_cannot_be_written_is_not_a_lock_that_is_lost() {
    let dir = dir();
    let mut lock = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    let record = fs::read(record_file(&dir)).expect("a record");
    // A directory in its place cannot be read, by whomever the tests run.
    fs::remove_file(record_file(&dir)).expect("removed");
    fs::create_dir(record_file(&dir)).expect("a directory");
    assert!(matches!(lock.renew(at(30)), Err(LockError::Io { .. })));
    fs::remove_dir(record_file(&dir)).expect("removed");
    fs::write(record_file(&dir), record).expect("written");
    lock.renew(at(60)).expect("renewed");
    assert_eq!(events(&dir), ["acquired", "renew_failed"]);
}

#[test]
fn h8_a_temporary_file_of_a_crashed_writer_is_neither_a_lock_nor_litter() {
    let dir = dir();
    let temp = dir.path().join("instance-lock.json.tmp");
    fs::write(&temp, record_of("alpha", 1, at(0)).to_string()).expect("written");
    let _lock = acquire(&dir, at(0), who("beta", 2), everybody_lives).expect("free");
    assert!(!temp.exists());
}

#[test]
fn k14_an_acquisition_that_fails_is_in_the_log() {
    let dir = dir();
    fs::create_dir_all(dir.path().join("instance-lock.json.tmp/in-the-way")).expect("made");
    let error = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect_err("cannot write");
    assert!(matches!(error, LockError::Io { .. }), "{error}");
    assert_eq!(events(&dir), ["error"]);
    assert!(!record_file(&dir).exists());
}

#[test]
fn k14_a_takeover_says_why_and_from_whom() {
    let dir = dir();
    write_record(dir.path(), &record_of("alpha", 1, at(-120)));
    let _lock = acquire(&dir, at(0), who("beta", 2), everybody_lives).expect("taken over");
    assert_eq!(
        journal(&dir),
        [json!({
            "at": at(0), "event": "takeover", "pid": 2, "hostname": "beta",
            "why": "no heartbeat for 120 s", "holder": record_of("alpha", 1, at(-120)),
        })]
    );
}

#[test]
fn k14_the_log_stays_below_one_megabyte_and_keeps_one_older_file() {
    let dir = dir();
    let log = dir.path().join("instance-lock.log");
    let old = dir.path().join("instance-lock.log.1");
    fs::write(&log, "x".repeat(999_990)).expect("written");
    fs::write(&old, "older").expect("written");
    let _lock = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    assert_eq!(events(&dir), ["acquired"]);
    assert_eq!(fs::metadata(old).expect("rotated").len(), 999_990);
}

#[test]
fn k15_one_who_is_refused_is_told_by_whom() {
    let dir = dir();
    let _held = acquire(&dir, at(0), who("alpha", 7), everybody_lives).expect("free");
    let error = acquire(&dir, at(4), who("beta", 2), everybody_lives).expect_err("held");
    let expected = format!(
        "The data directory {} is in use by alpha (PID 7) since 2027-01-15T08:00:00Z (last heartbeat 4 s \
         ago); stop that process or choose another --data-dir",
        dir.path().display()
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn k15_the_status_names_the_holder() {
    let dir = dir();
    let status = |now| describe(dir.path(), now).expect("a status").to_string();
    assert_eq!(status(at(0)), "free");
    let lock = acquire(&dir, at(0), who("alpha", 7), everybody_lives).expect("free");
    assert_eq!(status(at(4)), "held by alpha (PID 7), last heartbeat 4 s ago");
    assert_eq!(status(at(-4)), "held by alpha (PID 7), last heartbeat 0 s ago");
    drop(lock);
    fs::write(record_file(&dir), "").expect("written");
    written_at(&dir, at(0));
    let broken = "unreadable lock record (EOF while parsing a value at line 1 column 0), written 9 s ago";
    assert_eq!(status(at(9)), broken);
}

#[test]
fn dropping_a_lock_releases_it_even_where_the_directory_is_gone() {
    let dir = dir();
    drop(acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free"));
    assert!(!record_file(&dir).exists());
    let lock = acquire(&dir, at(0), who("alpha", 1), everybody_lives).expect("free");
    drop(dir);
    drop(lock);
}
