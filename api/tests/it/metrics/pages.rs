//! The page of metrics, the dashboard, and Prometheus' files tell of metrics that exist.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::promtool::promtool;

fn file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(file(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The table of `docs/metrics.md`. The test that moves every metric compares it with a scrape.
pub(super) fn committed_table() -> String {
    let page = read("docs/metrics.md");
    let lines = page.lines().skip_while(|line| !line.starts_with("| metric |"));
    lines.take_while(|line| line.starts_with('|')).flat_map(|line| [line, "\n"]).collect()
}

pub(super) fn write_table(table: &str) {
    let page = read("docs/metrics.md").replace(&committed_table(), table);
    std::fs::write(file("docs/metrics.md"), page).unwrap();
}

fn known() -> BTreeSet<String> {
    let table = committed_table();
    let names = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    names.map(str::to_owned).collect()
}

/// Every word that begins like a metric of ours.
fn mentioned(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':');
    words.filter(|word| word.starts_with("framefarm_")).collect()
}

/// Names that nothing counts under. A histogram is asked for by its three parts.
fn unknown(text: &str) -> Vec<&str> {
    let known = known();
    let is_known = |name: &str| {
        let parts = ["_bucket", "_sum", "_count"].iter().filter_map(|end| name.strip_suffix(end));
        known.contains(name) || parts.into_iter().any(|family| known.contains(family))
    };
    mentioned(text).into_iter().filter(|name| !is_known(name)).collect()
}

fn expressions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("expr").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|inner| expressions(inner, found));
        }
        Value::Array(list) => list.iter().for_each(|inner| expressions(inner, found)),
        _ => {}
    }
}

#[test]
fn the_dashboard_shows_only_metrics_that_exist() {
    let text = read("docker/grafana/dashboards/framefarm.json");
    assert_eq!(unknown(&text), [""; 0]);
    let mut found = Vec::new();
    expressions(&serde_json::from_str(&text).unwrap(), &mut found);
    assert!(found.len() > 20, "{found:?}");
    // Prometheus itself reads each question, with a span in the place of Grafana's word for one.
    let rules: Vec<Value> = (0..)
        .zip(&found)
        .map(|(number, text)| {
            let text = text.replace("$__rate_interval", "5m").replace("$instance", ".*");
            serde_json::json!({ "record": format!("q{number}"), "expr": text })
        })
        .collect();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("questions.json");
    let groups = serde_json::json!({ "groups": [{ "name": "dashboard", "rules": rules }] });
    std::fs::write(&path, groups.to_string()).unwrap();
    promtool(&["check", "rules", path.to_str().unwrap()], "");
}

#[test]
fn the_rules_and_the_guide_speak_of_metrics_that_exist() {
    for path in ["docker/prometheus/rules.yaml", "docker/prometheus/rules_test.yaml", "docs/operations.md"] {
        assert_eq!(unknown(&read(path)), [""; 0], "{path}");
        assert!(!mentioned(&read(path)).is_empty(), "{path}");
    }
}

#[test]
fn prometheus_reads_its_files_and_the_rules_fire_when_they_should() {
    for (check, path) in [
        (&["check", "config"][..], "docker/prometheus/prometheus.yaml"),
        (&["check", "rules"], "docker/prometheus/rules.yaml"),
        (&["test", "rules"], "docker/prometheus/rules_test.yaml"),
    ] {
        promtool(&[check, &[file(path).to_str().unwrap()]].concat(), "");
    }
}
