//! The generated pages are those that the code would generate.

use std::collections::BTreeMap;
use std::path::Path;

use framefarm_api::{config, http};
use framefarm_shared::state_machine;

use crate::maps::sources;

/// With `FRAMEFARM_WRITE_DOCS` the page is written instead, as `make docs` does.
#[track_caller]
pub(crate) fn assert_current(name: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    let generated = generated.trim_end().to_owned() + "\n";
    if std::env::var_os("FRAMEFARM_WRITE_DOCS").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == generated, "docs/{name} is out of date: run `make docs`");
}

#[test]
fn every_script_answers_help_and_does_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts");
    // Sourced by the others.
    let scripts = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let scripts = scripts.filter(|path| !path.ends_with("env") && !path.ends_with("help"));
    let nowhere = tempfile::tempdir().unwrap();
    let mut known = 0;
    for script in scripts {
        for flag in ["--help", "-h"] {
            let mut command = std::process::Command::new(&script);
            // Without cargo and npm, a script that began its work would fail.
            command.arg(flag).env_clear().env("PATH", "/usr/bin:/bin").current_dir(&nowhere);
            let output = command.output().unwrap();
            let (text, name) = (String::from_utf8(output.stdout).unwrap(), script.display());
            assert!(output.status.success() && output.stderr.is_empty(), "{name} {flag}");
            assert!(text.len() > 40 && text.starts_with(char::is_uppercase), "{name} {flag}: {text}");
        }
        known += 1;
    }
    assert!(known > 15, "found only {known} scripts");
}

#[test]
fn the_openapi_document_is_up_to_date() {
    assert_current("openapi.json", &http::router::document().to_pretty_json().unwrap());
}

#[test]
fn the_page_of_settings_is_up_to_date() {
    assert_current("configuration.md", &config::reference());
}

#[test]
fn the_page_of_states_is_up_to_date() {
    assert_current("state-machine.md", &state_machine::document());
}

#[test]
fn every_operation_says_what_may_go_wrong() {
    let document = serde_json::to_value(http::router::document()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with('2')), "{method} {path}");
            assert!(responses.contains_key("500"), "{method} {path}");
            if operation.get("requestBody").is_some() {
                for status in ["400", "413", "415", "422"] {
                    assert!(responses.contains_key(status), "{method} {path} {status}");
                }
            }
            for response in responses.values() {
                let described =
                    response.get("$ref").is_some() || response["description"].as_str() != Some("");
                assert!(described, "{method} {path}");
            }
        }
    }
}

/// The types of a source file that have a schema. In `wire`, macros give one to every struct.
fn types_with_schema(path: &Path) -> Vec<String> {
    let name_in = |line: &str| {
        let after = ["struct ", "enum "].iter().find_map(|word| line.split_once(word))?.1;
        let name = after.split(|letter: char| !letter.is_alphanumeric()).next()?;
        // Empty for the `$name` of a macro.
        (!name.is_empty()).then(|| name.to_owned())
    };
    let text = std::fs::read_to_string(path).unwrap();
    let in_wire = path.components().any(|part| part.as_os_str() == "wire");
    let mut lines = text.lines().map(str::trim);
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if in_wire && line.starts_with("pub struct ") {
            found.extend(name_in(line));
        } else if line.starts_with("#[") && line.contains("ToSchema") {
            let declares = |line: &str| !line.starts_with("//") && name_in(line).is_some();
            found.extend(lines.find(|line| declares(line)).and_then(name_in));
        }
    }
    found
}

/// Of two types with one name, the document would describe both as the one that it meets last.
#[test]
fn no_two_types_share_a_schema() {
    let folders = ["src", "../shared/src"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let files = folders.iter().flat_map(|folder| sources(folder));
    let mut seen = BTreeMap::new();
    for file in files {
        for name in types_with_schema(&file) {
            let before = seen.insert(name.clone(), file.clone());
            assert!(before.as_ref().is_none_or(|before| *before == file), "{name}: {before:?} and {file:?}");
        }
    }
    let document = serde_json::to_value(http::router::document()).unwrap();
    let known = document["components"]["schemas"].as_object().unwrap().len();
    assert!(seen.len() * 2 > known, "{} of {known} schemas found in the sources", seen.len());
}

#[test]
fn every_reference_of_the_document_leads_somewhere() {
    fn references<'a>(value: &'a serde_json::Value, found: &mut Vec<&'a str>) {
        match value {
            serde_json::Value::Object(map) => {
                found.extend(map.get("$ref").and_then(|target| target.as_str()));
                map.values().for_each(|inner| references(inner, found));
            }
            serde_json::Value::Array(list) => list.iter().for_each(|inner| references(inner, found)),
            _ => {}
        }
    }
    let document = serde_json::to_value(http::router::document()).unwrap();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 100);
    for target in found {
        let pointer = target.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{target}");
    }
}
