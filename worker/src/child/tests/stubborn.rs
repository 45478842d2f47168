//! Families that will not go: SIGTERM ignored, sessions of their own, orphans, pipes held open.

use super::*;

/// Everything that could be done to outlive a job. Their numbers are in files called after them.
const STUBBORN: &str = r#"
trap '' TERM
cd "$0"
setsid sh -c 'echo $$ > holder; exec sleep 1000' &
setsid sh -c 'setsid sh -c "echo \$\$ > orphan; exec sleep 1000" & exit' &
sh -c 'echo $$ > member; while :; do sleep 1000; done' &
setsid sh -c 'echo $$ > breeder; while :; do sleep 0.01; done' > /dev/null 2>&1 < /dev/null &
echo $$ > leader
while :; do sleep 1000; done
"#;
const NAMES: [&str; 5] = ["holder", "orphan", "member", "breeder", "leader"];

struct Stubborn {
    child: Child,
    numbers: Vec<i32>,
    _directory: tempfile::TempDir,
}

async fn stubborn() -> Stubborn {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", STUBBORN]).arg(directory.path());
    let child = Child::spawn(command).unwrap();
    let mut numbers = Vec::new();
    for name in NAMES {
        numbers.push(number_in(&directory.path().join(name)).await);
    }
    Stubborn { child, numbers, _directory: directory }
}

fn running(numbers: &[i32]) -> usize {
    numbers.iter().filter(|number| is_running(**number)).count()
}

#[tokio::test]
async fn a_hundred_process_trees_that_will_not_go_are_gone_within_a_second_each() {
    let bystander = stubborn().await;
    let mut slowest = Duration::ZERO;
    for round in 0..100 {
        let doomed = stubborn().await;
        assert_eq!(running(&doomed.numbers), NAMES.len());
        let lost = CancellationToken::new();
        lost.cancel();
        let started = Instant::now();
        let outcome = doomed.child.run(&lost, LockLostBehavior::Sigkill).await.unwrap();
        slowest = slowest.max(started.elapsed());
        assert!(started.elapsed() < Duration::from_secs(1), "round {round} took {:?}", started.elapsed());
        assert!(matches!(outcome, Outcome::LockLost(Ended { all_are_gone: true, .. })));
        assert_eq!(running(&doomed.numbers), 0, "round {round}: {:?}", doomed.numbers);
        assert!(!doomed.numbers.iter().any(|number| is_zombie_of_ours(*number)), "round {round}");
        assert_eq!(running(&bystander.numbers), NAMES.len(), "round {round} touched another job");
    }
    println!("100 of 100 gone, the slowest in {slowest:?}");
}

#[tokio::test]
async fn one_that_ends_by_itself_leaves_nobody_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("left");
    let script = format!("setsid sh -c 'echo $$ > {0}; exec sleep 1000' > /dev/null 2>&1 & ", path.display());
    let mut child = shell(&format!("{script} while [ ! -s {} ]; do sleep 0.01; done", path.display()));
    let ended = child.finish().await.unwrap();
    assert!(ended.status.success() && ended.all_are_gone);
    assert!(!is_running(number_in(&path).await));
}

#[tokio::test]
async fn dropping_it_kills_those_who_left_the_group() {
    let Stubborn { child, numbers, .. } = stubborn().await;
    let exits: Vec<_> = numbers.iter().map(|n| group::watch(Pid::from_raw(*n).unwrap()).unwrap()).collect();
    drop(child);
    for exit in exits {
        let gone = timeout(Duration::from_secs(1), exit.readable()).await;
        assert!(gone.expect("it is gone").is_ok());
    }
}

fn is_zombie_of_ours(number: i32) -> bool {
    let process = Pid::from_raw(number).and_then(process::Process::look);
    process.is_some_and(|process| process.parent == std::process::id().cast_signed())
}
