//! The farm behind a real nginx and a real HAProxy, each with nothing but the lines that forward, and as shipped.

mod bytes;
mod clients;
mod outage;
mod proxy;
mod streams;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use framefarm_api::auth::{Scope, password, token};
use framefarm_api::config::Settings;
use framefarm_api::testing::TestDatabase;
use framefarm_api::{events, server};
use reqwest::{Client, Method, RequestBuilder};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::served::Served;
use proxy::{Kind, Proxy};

/// More than enough for anything that is going to come.
const PATIENCE: Duration = Duration::from_secs(30);
const PASSWORD: &str = "correct horse battery staple";
const THIS_MACHINE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Writes each test for every kind of proxy.
macro_rules! behind_every_proxy {
    ($(async fn $name:ident($kind:ident: Kind) $body:block)+) => {
        mod bodies {
            use super::*;
            $(pub(super) async fn $name($kind: Kind) $body)+
        }
        $crate::proxies::behind!(nginx, Nginx, $($name)+);
        $crate::proxies::behind!(nginx_as_shipped, NginxAsShipped, $($name)+);
        $crate::proxies::behind!(haproxy, Haproxy, $($name)+);
        $crate::proxies::behind!(haproxy_as_shipped, HaproxyAsShipped, $($name)+);
    };
}

macro_rules! behind {
    ($module:ident, $kind:ident, $($name:ident)+) => {
        mod $module {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $name() {
                Box::pin(super::bodies::$name($crate::proxies::proxy::Kind::$kind)).await;
            })+
        }
    };
}

use {behind, behind_every_proxy};

struct Behind {
    farm: Served,
    proxy: Proxy,
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Behind {
    async fn start(kind: Kind) -> Self {
        Self::with(kind, |_| {}).await
    }

    /// The proxy is trusted if it says who the client is, as one should.
    async fn with(kind: Kind, change: impl FnOnce(&mut Settings)) -> Self {
        let farm = Served::on(TestDatabase::sqlite(), |settings| {
            PASSWORD.clone_into(&mut settings.admin_password);
            if kind.forwards_the_client() {
                settings.trusted_proxies = "127.0.0.1".parse().unwrap();
            }
            change(settings);
        })
        .await;
        password::prepare(&farm.app).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = serve(&farm, listener);
        Self { proxy: Proxy::start(kind, address), farm, address, serving }
    }

    fn url(&self, path: &str) -> String {
        if path.starts_with('/') { format!("http://{}{path}", self.proxy.address) } else { path.to_owned() }
    }

    /// A client on another address of this machine.
    fn request_from(&self, client: IpAddr, method: Method, path: &str) -> RequestBuilder {
        let http = Client::builder().local_address(client).build().unwrap();
        http.request(method, self.url(path)).timeout(PATIENCE)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.request_as(&self.farm.token, method, path)
    }

    fn request_as(&self, secret: &str, method: Method, path: &str) -> RequestBuilder {
        self.request_from(THIS_MACHINE, method, path).bearer_auth(secret)
    }

    async fn reader(&self) -> String {
        token::create(&self.farm.app, "reader", Scope::Read, "admin").await.unwrap().1
    }
}

fn serve(farm: &Served, listener: TcpListener) -> JoinHandle<()> {
    tokio::spawn(events::follow(farm.app.clone()));
    tokio::spawn(server::serve(farm.app.clone(), listener))
}
