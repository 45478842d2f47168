//! The small calls: one function each, JSON there and back.

use std::time::Duration;

use framefarm_shared::id::JobId;
use framefarm_shared::wire::worker_api::{
    ClaimReply, ClaimRequest, CompleteReply, CompleteRequest, FailReply, FailRequest, HeartbeatReply,
    HeartbeatRequest, LeaseReply, PlanReply, PlanRequest, ProgressRequest, RegisterReply, RegisterRequest,
    ReleaseRequest,
};
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder, Url};
use serde::Serialize;

use super::{CALL_TIMEOUT, CallError, Client, Secret, Sent, call, http_client, send, url_of};

/// What allows to register.
#[derive(Clone, Debug)]
pub enum Permission {
    AdminSecret(Secret),
    /// Good for one worker.
    Invitation(Secret),
}

/// Makes this machine known to the farm. The reply holds its key, which the farm shows only this once.
pub async fn register(
    api: &Url,
    permission: &Permission,
    request: &RegisterRequest,
) -> anyhow::Result<RegisterReply> {
    let mut headers = HeaderMap::new();
    match permission {
        Permission::AdminSecret(secret) => headers.insert("x-admin-secret", secret.header("")?),
        Permission::Invitation(token) => headers.insert("x-invitation", token.header("")?),
    };
    let http = http_client(headers)?;
    let request = http.post(url_of(api, &["register"])).json(request).timeout(CALL_TIMEOUT);
    Ok(call(request).await?.reply)
}

impl Client {
    /// `timeout` is short for a worker that has leases to renew: a hanging request must leave time for another.
    pub async fn heartbeat(
        &self,
        request: &HeartbeatRequest,
        timeout: Duration,
    ) -> Result<Sent<HeartbeatReply>, CallError> {
        call(self.post(&["heartbeat"], request).timeout(timeout)).await
    }

    /// Waits for work as long as the request says.
    pub async fn claim(&self, request: &ClaimRequest) -> Result<Sent<ClaimReply>, CallError> {
        let wait = Duration::from_secs(request.wait_seconds.unwrap_or(0).into());
        call(self.post(&["claim"], request).timeout(wait + CALL_TIMEOUT)).await
    }

    pub async fn plan(&self, job: JobId, request: &PlanRequest) -> Result<Sent<PlanReply>, CallError> {
        call(self.post(&["jobs", &job.to_string(), "plan"], request)).await
    }

    pub async fn progress(&self, request: &ProgressRequest) -> Result<Sent<LeaseReply>, CallError> {
        call(self.post(&["progress"], request)).await
    }

    pub async fn complete(&self, request: &CompleteRequest) -> Result<CompleteReply, CallError> {
        // The farm writes playlists and switches the generation before it answers.
        Ok(call(self.post(&["complete"], request).timeout(3 * CALL_TIMEOUT)).await?.reply)
    }

    pub async fn fail(&self, request: &FailRequest) -> Result<FailReply, CallError> {
        Ok(call(self.post(&["fail"], request)).await?.reply)
    }

    pub async fn release(&self, request: &ReleaseRequest) -> Result<(), CallError> {
        send(self.post(&["release"], request)).await.map(drop)
    }

    fn post(&self, path: &[&str], body: &impl Serialize) -> RequestBuilder {
        self.request(Method::POST, path).json(body).timeout(CALL_TIMEOUT)
    }
}
