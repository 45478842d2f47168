//! Rules of the source that no compiler holds: where SQL lives, who takes locks, and that this suite is whole.

use std::path::{Path, PathBuf};

fn source(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

/// Every Rust file below a folder, with its text.
fn rust_files(dir: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

fn module(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

fn leading_name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Names of the public functions of a file, those that `move_video!` writes included.
fn public_functions(text: &str) -> Vec<&str> {
    let declared = text.split("pub async fn ").skip(1).map(leading_name);
    let written = text.split("\nmove_video!(").skip(1).map(|call| {
        let line = call.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("///"));
        leading_name(line.unwrap_or_default())
    });
    declared.chain(written).filter(|name| !name.is_empty()).collect()
}

#[test]
fn every_database_function_is_run_by_the_conformance_suite() {
    let suite: String = rust_files(&source("tests/it/conformance"))
        .into_iter()
        .filter(|(path, _)| module(path) != "rules")
        .map(|(_, text)| text)
        .collect();
    let (mut known, mut missing) = (0, Vec::new());
    for (path, text) in rust_files(&source("src/db")) {
        let module = module(&path);
        for name in public_functions(&text) {
            known += 1;
            let run = if module == "mod" {
                suite.contains(&format!(".{name}(")) || suite.contains(&format!("::{name}("))
            } else {
                suite.contains(&format!("{module}::{name}("))
            };
            if !run {
                missing.push(format!("{module}::{name}"));
            }
        }
    }
    assert!(known > 100, "found only {known} functions");
    assert!(missing.is_empty(), "no conformance test runs {missing:#?}");
}

/// The items of a file: each begins at the left edge and goes to the next one that does.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let begins = line.starts_with(|c: char| c.is_alphabetic());
        match items.last_mut() {
            Some(item) if !begins => item.push_str(line),
            _ => items.push(line.to_owned()),
        }
        if let Some(item) = items.last_mut() {
            item.push('\n');
        }
    }
    items
}

fn takes_a_transaction(item: &str) -> bool {
    let Some((_, parameters)) = item.split_once('(') else { return false };
    item.contains("async fn ") && parameters.trim_start().starts_with("tx: &mut Tx")
}

/// A lock outside of a transaction is gone before the next statement runs.
#[test]
fn row_locks_are_taken_only_inside_transactions() {
    let mut locks = 0;
    for (path, text) in rust_files(&source("src/db")) {
        let items = items(&text);
        for item in items.iter().filter(|item| item.contains("FOR UPDATE") || item.contains("FOR SHARE")) {
            locks += 1;
            let constant = item.split_once("const ").map(|(before, name)| (before, leading_name(name)));
            let fine = match constant {
                // A text of its own: whoever runs it.
                Some(("pub " | "", name)) => {
                    let mut users = items.iter().filter(|user| user.contains("fn ") && user.contains(name));
                    users.all(|user| takes_a_transaction(user))
                }
                _ => takes_a_transaction(item),
            };
            assert!(fine, "{} locks rows outside of a transaction:\n{item}", path.display());
        }
    }
    assert!(locks >= 4, "found only {locks} locks");
}

#[test]
fn sql_lives_only_in_db() {
    for (path, text) in rust_files(&source("src")) {
        let inside = path.strip_prefix(source("src")).unwrap();
        if inside.starts_with("db") || inside.starts_with("testing") {
            continue;
        }
        for word in ["sqlx::query", "sqlx::raw_sql", "QueryBuilder", "FromRow"] {
            assert!(!text.contains(word), "{} has {word}; statements live in src/db", inside.display());
        }
    }
}

#[test]
fn http_does_not_touch_the_database() {
    for (path, text) in rust_files(&source("src/http")) {
        assert!(!text.contains("crate::db"), "{} uses db; call lifecycle instead", path.display());
    }
}
