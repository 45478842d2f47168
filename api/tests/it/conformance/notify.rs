//! PostgreSQL's notifications.

use framefarm_api::db::{Db, notify};
use framefarm_api::testing::Farm;

#[tokio::test]
async fn what_is_sent_to_a_farms_channel_is_heard_there_and_not_by_another_farm() {
    let farm = Farm::postgres().await;
    farm.sql("CREATE SCHEMA other").await;
    let url = format!("{}?options[search_path]=other", farm.database.url());
    let other = Db::connect_postgres(&url, 1).await.unwrap();
    let channel = notify::channel(&farm.app.db).await.unwrap().unwrap();
    let elsewhere = notify::channel(&other).await.unwrap().unwrap();
    assert_ne!(channel, elsewhere);
    let mut listener = notify::listen(&farm.app.db, &channel).await.unwrap();
    notify::send(&other, &elsewhere, &["not for us".to_owned()]).await.unwrap();
    let long = "x".repeat(notify::LONGEST);
    notify::send(&farm.app.db, &channel, &["one".to_owned(), long.clone()]).await.unwrap();
    assert_eq!(listener.recv().await.unwrap().payload(), "one");
    assert_eq!(listener.recv().await.unwrap().payload(), long);
}

#[tokio::test]
async fn sqlite_has_no_notifications() {
    let farm = Farm::sqlite().await;
    assert_eq!(notify::channel(&farm.app.db).await.unwrap(), None);
    assert!(notify::listen(&farm.app.db, "channel").await.is_err());
    notify::send(&farm.app.db, "channel", &["nobody hears".to_owned()]).await.unwrap();
}
