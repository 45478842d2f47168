//! One server is tried by the other tests; here are a cluster, and a master that sentinels know.

use framefarm_api::testing::{RedisVersion, TestRedis};

use super::outages::until;
use super::{Several, gets, through_redis, waits};

async fn a_hint_passes_through(redis: &TestRedis, url: &str) {
    let change = through_redis(redis);
    let several = Several::with(|settings| {
        change(settings);
        url.clone_into(&mut settings.redis_url);
    })
    .await;
    let (farm, other) = (&several.farm, &several.other);
    for round in 0..3 {
        let waiting = waits(&farm.worker(&format!("w{round}")).await, other).await;
        farm.upload(&format!("clip {round}")).await;
        gets(waiting, url).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hints_pass_through_a_cluster() {
    let arguments = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"];
    let redis = TestRedis::with(RedisVersion::V7, &arguments).await;
    redis.run::<redis::Value>(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]).await;
    until("the cluster is one", async || {
        redis.run::<String>(&["CLUSTER", "INFO"]).await.contains("cluster_state:ok")
    })
    .await;
    let url = format!("redis+cluster://127.0.0.1:{}", redis.port());
    Box::pin(a_hint_passes_through(&redis, &url)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hints_pass_through_a_master_that_sentinels_know() {
    let redis = TestRedis::with(RedisVersion::V7, &["--requirepass", "sesame"]).await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("sentinel.conf");
    let text = format!(
        "sentinel monitor clips 127.0.0.1 {} 1\nsentinel auth-pass clips sesame\nprotected-mode no\n",
        redis.port()
    );
    std::fs::write(&file, text).unwrap();
    let sentinel = TestRedis::with(RedisVersion::V7, &[file.to_str().unwrap(), "--sentinel"]).await;
    let url = format!("redis+sentinel://:sesame@127.0.0.1:{}/clips/0", sentinel.port());
    Box::pin(a_hint_passes_through(&redis, &url)).await;
}
