//! The API stops and starts again behind its proxy.

use reqwest::Method;
use tokio::net::TcpListener;

use super::proxy::Kind;
use super::{Behind, PATIENCE, behind_every_proxy, serve};

async fn status(behind: &Behind) -> u16 {
    behind.request(Method::GET, "/readyz").send().await.unwrap().status().as_u16()
}

behind_every_proxy! {
    async fn a_restart_costs_answers_and_then_nothing(kind: Kind) {
        let mut behind = Behind::start(kind).await;
        assert_eq!(status(&behind).await, 200);
        behind.farm.app.shutdown.cancel();
        (&mut behind.serving).await.unwrap();
        let down = status(&behind).await;
        assert!([502, 503].contains(&down), "{down}");

        behind.farm = behind.farm.after_a_crash().await;
        let listener = TcpListener::bind(behind.address).await.unwrap();
        behind.serving = serve(&behind.farm, listener);
        let recovered = async {
            while status(&behind).await != 200 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, recovered).await.expect("it does not come back");
    }
}
