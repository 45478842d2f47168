//! The SSRF guard for webhooks and URL imports: public addresses on ordinary ports, and what the operator allows.
//!
//! A user enters a URL and the server resolves it, so it could point at this machine or its neighbours. Each attempt
//! parses the URL once, resolves the name once, checks every address, and connects to those addresses only.

mod address;
mod allow;
mod client;
mod url;

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::Url;

pub use self::address::why_not;
pub use self::allow::AllowList;
pub use self::url::{Refusal, check_url};

type Found = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks a name up.
pub trait Names: Send + Sync {
    fn look_up(&self, name: &str) -> Found;
}

/// As this machine does for every program.
struct SystemNames;

impl Names for SystemNames {
    fn look_up(&self, name: &str) -> Found {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Egress {
    allow: AllowList,
    names: Arc<dyn Names>,
}

/// A URL and the only addresses that a connection for it may go to.
#[derive(Clone, Debug)]
pub struct Gate {
    pub url: Url,
    pub addresses: Vec<SocketAddr>,
}

impl Egress {
    pub fn new(allow: AllowList) -> Self {
        Self { allow, names: Arc::new(SystemNames) }
    }

    pub fn with_names(mut self, names: impl Names + 'static) -> Self {
        self.names = Arc::new(names);
        self
    }

    /// What can be said of a URL without looking its name up.
    pub fn check(&self, text: &str) -> Result<Url, Refusal> {
        check_url(text, &self.allow)
    }

    /// One forbidden address among those of a name is enough: which one is connected to is not ours to choose.
    pub async fn pass(&self, text: &str) -> Result<Gate, Refusal> {
        let url = self.check(text)?;
        let (host, port) = url::host_and_port(&url)?;
        let found = match host.parse::<IpAddr>() {
            Ok(literal) => vec![literal],
            Err(_) => {
                self.names.look_up(&host).await.map_err(|error| Refusal::unknown_name(&host, &error))?
            }
        };
        if found.is_empty() {
            return Err(Refusal::no_address(&host));
        }
        let trusted = self.allow.has_host(&host, port);
        for address in &found {
            if let Some(why) = why_not(*address)
                && !trusted
                && !self.allow.has_address(*address)
            {
                return Err(Refusal::forbidden(&host, why));
            }
        }
        let addresses = found.into_iter().map(|address| SocketAddr::new(address, port)).collect();
        Ok(Gate { url, addresses })
    }
}
