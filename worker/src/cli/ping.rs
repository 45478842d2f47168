//! `framefarm-worker ping`.

use std::time::Duration;

use clap::Args;
use framefarm_shared::id::BootId;
use framefarm_shared::wire::worker_api::{HeartbeatReply, HeartbeatRequest, ReportedStatus};
use uuid::Uuid;

use super::{Farm, Key};
use crate::client::{CallError, Client};

/// Send one heartbeat and print the farm's response.
///
/// Safe to run next to a worker with the same key: the farm reports that one is running, and changes nothing.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Ping {
    #[command(flatten)]
    farm: Farm,

    #[command(flatten)]
    key: Key,
}

impl Ping {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let client = Client::new(self.farm.api, &self.key.read()?)?;
        // Older than every real boot id, so that the farm never takes a ping for the successor of a running worker,
        // whose jobs it would release.
        let boot_id = BootId(Uuid::nil());
        let (status, held) = (ReportedStatus::Idle, Vec::new());
        let request = HeartbeatRequest {
            boot_id,
            status,
            held,
            capabilities: None,
            metadata: None,
            gpus: None,
            stopping: false,
        };
        match client.heartbeat(&request, Duration::from_secs(10)).await {
            Ok(sent) => {
                let took = sent.sent_at.elapsed();
                print(&sent.reply, took);
                Ok(())
            }
            Err(CallError::Stop { code, .. }) if code == "superseded" => {
                println!("The key is valid, and a worker is running with it. Nothing was changed.");
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn print(reply: &HeartbeatReply, took: Duration) {
    let draining = if reply.draining { "yes (this worker gets no new jobs)" } else { "no" };
    println!("The farm responded in {} ms.", took.as_millis());
    println!("draining    {draining}");
    println!("lease       {} s", reply.lease_seconds);
    println!("heartbeat   every {} s", reply.heartbeat_seconds);
}
