//! How commands behave: their exit codes, their help, and where their words go.

use std::process::Stdio;

use framefarm_api::auth::Scope;

use super::{Site, framefarm, has, run};

/// Every command, the inner ones with the outer ones before them.
async fn commands() -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(outer) = open.pop() {
        let help = run(framefarm(&format!("{outer} --help"))).await.ok();
        let Some((_, list)) = help.split_once("\nCommands:\n") else { continue };
        let inner = list.lines().take_while(|line| !line.is_empty());
        for line in inner.filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
            let name = line.split_whitespace().next().unwrap();
            if name != "help" {
                let whole = format!("{outer} {name}").trim().to_owned();
                found.push(whole.clone());
                open.push(whole);
            }
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_has_an_example_and_a_place_in_the_page() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cli.md");
    let page = std::fs::read_to_string(page).unwrap();
    let commands = commands().await;
    assert!(commands.len() > 35, "{commands:?}");
    for command in commands {
        let help = run(framefarm(&format!("{command} --help"))).await.ok();
        assert!(help.contains("Example"), "{command}: {help}");
        assert!(page.contains(&format!("framefarm {command}")), "docs/cli.md does not have `{command}`");
    }
    let help = run(framefarm("--help")).await.ok();
    let codes = help.split_once("Exit codes:").unwrap().1.lines().filter(|line| line.starts_with("  "));
    for code in codes {
        let (number, words) = code.trim().split_once("  ").unwrap();
        assert!(
            page.contains(&format!("| {number} | {words} |")),
            "docs/cli.md does not have the code {code}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_farm_that_is_not_there_is_named_with_where_its_address_came_from() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let ask = |line: &str| {
        let mut command = framefarm(line);
        command.env("FRAMEFARM_TOKEN", "t");
        command
    };
    let said = run(ask(&format!("status --api {nobody}"))).await.ended_with(5);
    has(&said, &["cannot reach", &nobody, "The address comes from --api."]);
    let mut command = ask("worker show north");
    command.env("FRAMEFARM_API", &nobody);
    has(&run(command).await.ended_with(5), &[&nobody, "FRAMEFARM_API"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_is_told_how_to_get_a_token() {
    let site = Site::open().await;
    let mut command = site.command("queue");
    command.env_remove("FRAMEFARM_TOKEN");
    has(
        &run(command).await.ended_with(6),
        &["FRAMEFARM_TOKEN", "framefarm token create --name me --scope read"],
    );
    let mut command = site.command("pause");
    command.env("FRAMEFARM_TOKEN", "wrong");
    let said = run(command).await.ended_with(6);
    has(
        &said,
        &["The token is invalid, expired or revoked.", "framefarm token create --name me --scope admin"],
    );

    let reader = site.token(Scope::Read).await;
    let file = site.served.path().join("token");
    std::fs::write(&file, format!("{reader}\n")).unwrap();
    for (line, code) in [
        ("status", 0),
        ("videos", 0),
        ("stuck", 0),
        ("alerts list", 0),
        ("audit", 6),
        ("retry --all", 6),
        ("resume", 6),
        ("export", 6),
        ("worker invite", 6),
    ] {
        let mut command = site.command(line);
        command.env_remove("FRAMEFARM_TOKEN").arg("--token-file").arg(&file);
        let ran = run(command).await;
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.err);
        assert_eq!(code == 6, ran.err.contains("`admin`"), "{line}: {}", ran.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_goes_away_ends_a_command_quietly() {
    let site = Site::open().await;
    for number in 0..3 {
        site.video(&format!("Video {number}")).await;
    }
    for line in ["videos", "queue --json", "openapi", "completions bash", "config --reference"] {
        let mut child = site.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().await.unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn something_that_is_no_farm_is_recognised() {
    let router = axum::Router::new().route("/api/queue", axum::routing::get(async || "hello"));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, router).into_future());
    let ask = |line: &str| {
        let mut command = framefarm(line);
        command.env("FRAMEFARM_TOKEN", "t").env("FRAMEFARM_API", format!("http://{at}"));
        command
    };
    has(&run(ask("pause")).await.ended_with(5), &["is this the URL of a Framefarm server?"]);
    has(&run(ask("queue --status failed")).await.ended_with(5), &["is this the URL of a Framefarm server?"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        has(&run(framefarm(&format!("completions {shell}"))).await.ok(), &["stuck", "token-file"]);
    }
    run(framefarm("completions tcsh")).await.ended_with(2);
}
