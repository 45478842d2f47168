//! `docs/requirements.md` names every rule once, and the tests it names exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The areas and how many rules each has, numbered from 1.
const AREAS: [(&str, u32); 22] = [
    ("Q", 39),
    ("S", 59),
    ("E", 19),
    ("D", 30),
    ("L", 21),
    ("K", 16),
    ("R", 28),
    ("F", 20),
    ("X", 24),
    ("W", 23),
    ("V", 16),
    ("Z", 12),
    ("T", 11),
    ("A", 23),
    ("O", 22),
    ("B", 12),
    ("P", 9),
    ("RC", 21),
    ("CF", 31),
    ("M", 10),
    ("G", 6),
    ("N", 19),
];
/// What other farms learned the hard way; only some of it is ours to hold.
const LESSONS: [u32; 32] = [
    2, 3, 4, 5, 6, 7, 12, 15, 23, 28, 30, 31, 32, 33, 35, 36, 37, 41, 43, 44, 45, 46, 47, 48, 49, 53, 54, 55,
    56, 57, 58, 60,
];

struct Row {
    id: String,
    rule: String,
    held_by: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rows() -> Vec<Row> {
    let page = std::fs::read_to_string(root().join("docs/requirements.md")).unwrap();
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = cells.map(|line| line.split(" | ").map(str::trim).collect::<Vec<_>>());
    let rules = rows.filter(|cells| cells[0] != "id" && cells[0].ends_with(|c: char| c.is_ascii_digit()));
    rules
        .map(|cells| {
            let [id, rule, held_by] = cells[..] else { panic!("not three cells: {cells:?}") };
            Row { id: id.to_owned(), rule: rule.to_owned(), held_by: held_by.to_owned() }
        })
        .collect()
}

/// The names between backticks.
fn named(held_by: &str) -> impl Iterator<Item = &str> {
    held_by.split('`').skip(1).step_by(2)
}

/// The text of every file below a folder that has one of these endings.
fn texts(dir: &Path, endings: &[&str]) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["node_modules", "target", "dist"].contains(&name.as_str()) {
            all += &texts(&path, endings);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            all += &std::fs::read_to_string(&path).unwrap();
        }
    }
    all
}

#[test]
fn every_test_that_is_named_exists() {
    let rust: String =
        ["shared", "api", "worker"].iter().map(|part| texts(&root().join(part), &[".rs"])).collect();
    let page = texts(&root().join("api/web/src"), &[".test.ts", ".test.tsx"]);
    let clients = texts(&root().join("tests/clients"), &[".mjs", ".py"]);
    let rows = rows();
    let mut missing = BTreeMap::<&str, Vec<&str>>::new();
    for row in &rows {
        for name in named(&row.held_by) {
            let known = rust.contains(&format!("fn {name}("))
                || page.contains(&format!("it(\"{name}\""))
                || clients.contains(&format!("test('{name}'"))
                || clients.contains(&format!("def {name}("));
            if !known {
                missing.entry(name).or_default().push(&row.id);
            }
        }
    }
    assert!(missing.is_empty(), "docs/requirements.md names tests that do not exist: {missing:#?}");
}

#[test]
fn every_rule_stands_there_once() {
    let mut expected: BTreeSet<String> = LESSONS.iter().map(|number| format!("H{number}")).collect();
    for (area, count) in AREAS {
        expected.extend((1..=count).map(|number| format!("{area}{number}")));
    }
    let mut found = BTreeSet::new();
    for row in rows() {
        assert!(found.insert(row.id.clone()), "{} stands there twice", row.id);
    }
    let missing: Vec<_> = expected.difference(&found).collect();
    let unknown: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing: {missing:?}, unknown: {unknown:?}");
}

#[test]
fn every_rule_has_a_test_or_a_reason() {
    for Row { id, rule, held_by } in rows() {
        assert!(!rule.is_empty(), "{id} says nothing");
        let reason = ["not yet: ", "by design: "].iter().find_map(|word| held_by.strip_prefix(word));
        let fine = reason.map_or_else(|| named(&held_by).next().is_some(), |reason| reason.len() > 10);
        assert!(fine, "{id} is held by nothing: {held_by}");
    }
}
