//! The commands, as a person runs them.

use std::process::Output;

use framefarm_api::testing::{TestDatabase, settings};

use crate::cli::{Server, framefarm};

fn run(arguments: &[&str]) -> Output {
    framefarm(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_farm_that_runs_is_backed_up_and_never_restored_or_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (data, backup, other) = (path("data"), path("backup"), path("other"));
    let server = Server::start(&dir.path().join("data"), &[]);
    let output = run(&["backup", &backup, "--data-dir", &data]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("database"));
    let output = run(&["backup", &backup, "--data-dir", &data]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("is not empty"), "{}", said(&output));
    for command in [&["restore", backup.as_str(), "--force"][..], &["vacuum"]] {
        let mut arguments = command.to_vec();
        arguments.extend(["--data-dir", &data]);
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        assert!(said(&output).contains("in use") || said(&output).contains("pid"), "{}", said(&output));
    }
    assert_eq!(server.stop(), Some(0));
    let output = run(&["restore", &backup, "--data-dir", &data]);
    assert!(said(&output).contains("a farm already exists here"), "{}", said(&output));
    let output = run(&["restore", &backup, "--data-dir", &other]);
    assert!(output.status.success(), "{}", said(&output));
    let output = run(&["vacuum", "--data-dir", &other]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(Server::start(&dir.path().join("other"), &[]).stop(), Some(0));
    let output = run(&["backup", &path("none"), "--data-dir", &path("nowhere")]);
    assert!(said(&output).contains("there is no farm in"), "{}", said(&output));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_farm_on_postgres_is_told_how_and_finished_after_a_dump() {
    let database = TestDatabase::postgres().await;
    let (url, data) = (settings(&database).database_url, database.data_dir().to_str().unwrap().to_owned());
    let with = |command: &[&str]| {
        let mut arguments = command.to_vec();
        arguments.extend(["--database-url", &url, "--data-dir", &data]);
        run(&arguments)
    };
    let output = with(&["backup", "/nowhere"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("pg_dump -Fc") && said(&output).contains("framefarm restore --after-dump")
    );
    assert!(said(&with(&["vacuum"])).contains("VACUUM FULL"));
    let output = with(&["restore", "--after-dump"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Claimed jobs put back in the queue: 0"));
    let output = run(&["restore", "--after-dump", "--data-dir", &data]);
    assert!(said(&output).contains("--database-url"), "{}", said(&output));
    assert_eq!(run(&["restore"]).status.code(), Some(2));
}
