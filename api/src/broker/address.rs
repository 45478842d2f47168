//! Where Redis is: one server, a master that sentinels know, or a cluster.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, bail};
use redis::aio::PubSub;
use redis::cluster::ClusterClientBuilder;
use redis::sentinel::{SentinelClient, SentinelNodeConnectionInfo, SentinelServerType};
use redis::{AsyncConnectionConfig, Client, ConnectionInfo, IntoConnectionInfo as _, RedisResult, TlsMode};

use super::Connection;

/// A host that is gone is noticed this soon.
const CONNECT: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub enum Address {
    Single(ConnectionInfo),
    Sentinel { sentinels: Vec<ConnectionInfo>, service: String, node: SentinelNodeConnectionInfo },
    Cluster(Vec<ConnectionInfo>),
}

const FORMS: &str = "redis_url must be redis://[user:password@]host:port/db, rediss://… for TLS, unix:///path, \
     redis+sentinel://[user:password@]host:port,host:port/service/db, or redis+cluster://[user:password@]host:port,host:port";

impl FromStr for Address {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let Some((scheme, rest)) = text.split_once("://") else { bail!("{FORMS}") };
        let (plain, kind) = scheme.split_once('+').unwrap_or((scheme, ""));
        if !matches!(plain, "redis" | "rediss") && !matches!(scheme, "unix" | "redis+unix") {
            bail!("{FORMS}");
        }
        match kind {
            "sentinel" => sentinel(plain, rest),
            "cluster" => Ok(Self::Cluster(nodes(plain, rest, "")?.1)),
            "" | "unix" => Ok(Self::Single(text.into_connection_info().context(FORMS)?)),
            _ => bail!("{FORMS}"),
        }
    }
}

fn sentinel(scheme: &str, rest: &str) -> anyhow::Result<Address> {
    let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (service, db) = path.split_once('/').unwrap_or((path, ""));
    if service.is_empty() {
        bail!("redis_url is missing the name of the Sentinel service; {FORMS}");
    }
    // What is said of user, password and number is meant for the servers; sentinels are asked without.
    let (bare, servers) = nodes(scheme, hosts, db)?;
    let sentinels: anyhow::Result<_> =
        bare.iter().map(|host| Ok(format!("redis://{host}").into_connection_info()?)).collect();
    let mut node = SentinelNodeConnectionInfo::default();
    if let Some(server) = servers.first() {
        node = node.set_redis_connection_info(server.redis_settings().clone());
    }
    if scheme == "rediss" {
        node = node.set_tls_mode(TlsMode::Secure);
    }
    Ok(Address::Sentinel { sentinels: sentinels?, service: service.to_owned(), node })
}

/// The hosts of a list, bare and with what was said before them.
fn nodes(scheme: &str, rest: &str, db: &str) -> anyhow::Result<(Vec<String>, Vec<ConnectionInfo>)> {
    let (login, hosts) = rest.rsplit_once('@').map_or(("", rest), |(login, hosts)| (login, hosts));
    let at = if login.is_empty() { "" } else { "@" };
    let hosts: Vec<String> = hosts.trim_end_matches('/').split(',').map(str::to_owned).collect();
    let full = hosts.iter().map(|host| format!("{scheme}://{login}{at}{host}/{db}"));
    let full: RedisResult<Vec<_>> = full.map(redis::IntoConnectionInfo::into_connection_info).collect();
    Ok((hosts, full.context(FORMS)?))
}

impl Address {
    /// `patience` is the longest that an answer may take.
    pub(super) async fn connect(&self, patience: Duration) -> RedisResult<Connection> {
        if let Self::Cluster(nodes) = self {
            let builder = ClusterClientBuilder::new(nodes.clone());
            let client = builder.connection_timeout(CONNECT).response_timeout(patience).retries(1).build()?;
            return Ok(Connection::Cluster(client.get_async_connection().await?));
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(patience));
        let client = self.client().await?;
        Ok(Connection::Single(client.get_multiplexed_async_connection_with_config(&config).await?))
    }

    /// In a cluster, every node passes on what is published at any of them.
    pub(super) async fn subscribe(&self) -> RedisResult<PubSub> {
        self.client().await?.get_async_pubsub().await
    }

    async fn client(&self) -> RedisResult<Client> {
        match self {
            Self::Single(info) => Client::open(info.clone()),
            Self::Sentinel { sentinels, service, node } => {
                let kind = SentinelServerType::Master;
                let node = Some(node.clone());
                SentinelClient::build(sentinels.clone(), service.clone(), node, kind)?
                    .async_get_client()
                    .await
            }
            Self::Cluster(nodes) => {
                let mut last = None;
                for node in nodes {
                    let client = Client::open(node.clone())?;
                    match client.get_multiplexed_async_connection().await {
                        Ok(_) => return Ok(client),
                        Err(error) => last = Some(error),
                    }
                }
                Err(last.unwrap_or_else(|| {
                    (redis::ErrorKind::InvalidClientConfig, "no cluster node given").into()
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        match text.parse::<Address>().expect("an address") {
            Address::Single(info) => format!("{} db {}", info.addr(), info.redis_settings().db()),
            Address::Cluster(nodes) => {
                nodes.iter().map(|node| node.addr().to_string()).collect::<Vec<_>>().join(" ")
            }
            Address::Sentinel { sentinels, service, node } => {
                let hosts: Vec<_> = sentinels.iter().map(|one| one.addr().to_string()).collect();
                let bare = sentinels.iter().all(|one| one.redis_settings().password().is_none());
                let secret =
                    format!("{node:?}").contains("TlsMode") || format!("{node:?}").contains("Secure");
                format!("{service} at {} bare {bare} tls {secret}", hosts.join(" "))
            }
        }
    }

    #[test]
    fn a_server_a_service_and_a_cluster_are_told_apart() {
        assert_eq!(parsed("redis://cache:6380/3"), "cache:6380 db 3");
        assert_eq!(
            parsed("redis+sentinel://u:p%40ss@one:26379,two:26379/mymaster/2"),
            "mymaster at one:26379 two:26379 bare true tls false"
        );
        assert_eq!(parsed("redis+cluster://:secret@one:7000,two:7001"), "one:7000 two:7001");
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_forms() {
        for text in [
            "localhost:6379",
            "http://localhost",
            "redis+sentinel://one:26379",
            "redis+other://x",
            "redis://",
        ] {
            let error = text.parse::<Address>().map(|_| ()).map_err(|error| format!("{error:#}"));
            if let Err(error) = &error {
                assert!(error.contains("redis://[user"), "{text}: {error}");
            } else {
                panic!("{text} was taken");
            }
        }
    }
}
