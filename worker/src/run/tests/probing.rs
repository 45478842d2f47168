//! Sources that take long to probe.

use std::time::Duration;

use serde_json::json;

use super::bench::{Bench, calls, the_call};
use crate::scripted::Heard;

/// Says how much was read, ten times a second, while that holds; `$i` counts up.
fn talking(while_: &str, read: &str) -> String {
    let said = r#"{\"report\":\"probing\",\"read\":READ,\"size\":3000}"#.replace("READ", read);
    format!("i=1; while {while_}; do echo \"{said}\"; sleep 0.1; i=$((i+1)); done; echo \"$probed\"")
}

#[tokio::test]
async fn a_probe_that_reads_on_is_not_ended_and_shows_how_far_it_is() {
    let mut bench = Bench::probing(&talking("[ $i -lt 30 ]", "${i}00")).await;
    // Less than the probe takes, and far more than a busy machine keeps it waiting.
    bench.options.stall = Duration::from_secs(2);
    let heard = bench.run_until("/complete").await;
    let told: Vec<_> = calls(&heard, "/progress").into_iter().map(Heard::json).collect();
    let percents: Vec<_> = told
        .iter()
        .filter(|request| request["step"] == json!("probe"))
        .map(|request| request["percent"].as_f64().unwrap())
        .collect();
    assert!(percents.is_sorted() && percents.iter().any(|percent| *percent > 1.0), "{percents:?}");
    assert!(percents.iter().all(|percent| *percent < 100.0), "{percents:?}");
}

#[tokio::test]
async fn a_probe_that_reads_nothing_more_is_ended_however_much_it_talks() {
    let mut bench = Bench::probing(&talking(":", "700")).await;
    bench.options.stall = Duration::from_secs(1);
    let fail = the_call(&bench.run_until("/fail").await, "/fail");
    assert_eq!(fail["class"], json!("timeout"), "{fail}");
}
