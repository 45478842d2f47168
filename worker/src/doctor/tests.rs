use framefarm_shared::wire::worker_api::MAX_WORKER_JSON;

use super::*;
use crate::sandbox::{Cause, Layer, MissingLayer, State};

fn no_gpus() -> GpuPool {
    GpuPool::none("no NVIDIA driver on this machine")
}

#[test]
fn a_machine_without_a_gpu_says_why() {
    let findings = graphics::findings(&no_gpus());
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].what.as_str(), findings[0].health), ("gpu", Health::Absent));
    assert_eq!(findings[0].says, "no NVIDIA driver on this machine");
}

#[test]
fn the_farm_has_room_for_what_a_machine_without_anything_says() {
    let missing = State::Missing(MissingLayer { cause: Cause::Failed, detail: "a long reason ".repeat(20) });
    let sandbox = Raised(Layer::ALL.into_iter().map(|layer| (layer, missing.clone())).collect());
    let value = serde_json::to_value(gather(&[], Ok(sandbox), &no_gpus())).unwrap();
    assert!(value.to_string().len() < MAX_WORKER_JSON);
    assert_eq!(value["gpus"], serde_json::json!([]), "the farm sees no GPU");
}

#[test]
fn the_table_says_what_to_do_only_where_something_is_wrong() {
    let findings = vec![
        Finding::new("aac", Health::Good, "test encode passed").essential().advise("install it"),
        Finding::new("libx264", Health::Bad, "not found").essential().advise("install it"),
    ];
    let report =
        Report { fit: false, findings, capabilities: gather(&[], Err(io::Error::other("no")), &no_gpus()) };
    let mut text = Vec::new();
    print(&report, &mut text).unwrap();
    let expected = "✓ aac      test encode passed\n✗ libx264  not found\n           → install it\n\n";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}
