//! The generated pages are those that the code would generate.

use framefarm_api::{config, http};
use framefarm_shared::state_machine;

#[track_caller]
fn assert_current(name: &str, generated: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/").to_owned() + name;
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed.trim_end() == generated.trim_end(), "docs/{name} is out of date: run `make docs`");
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
