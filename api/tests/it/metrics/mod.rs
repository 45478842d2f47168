//! `/metrics`: who may read it, that every metric moves, and that page, dashboard and rules tell of what there is.

mod access;
mod counting;
mod crowd;
mod moving;
mod pages;
mod promtool;
mod scrape;

use std::net::SocketAddr;

use framefarm_api::server;
use reqwest::{Client, RequestBuilder};
use tokio::net::TcpListener;

use self::scrape::Scrape;
use crate::served::Served;

/// Served on a port of this machine, so that callers have addresses.
async fn listen(farm: &Served) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(farm.app.clone(), listener));
    address
}

fn get(address: SocketAddr, path: &str) -> RequestBuilder {
    Client::new().get(format!("http://{address}{path}"))
}

async fn scrape(address: SocketAddr) -> Scrape {
    let answer = get(address, "/metrics").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], framefarm_api::metrics::CONTENT_TYPE);
    Scrape::parse(&answer.text().await.unwrap())
}
