//! A scrape does not look at every job.

use framefarm_api::db::{Engine, job};
use framefarm_shared::queue::QueueType;
use sqlx::{AssertSqlSafe, Row as _};

framefarm_api::on_both_engines! {
    async fn the_oldest_job_is_found_in_the_index_of_the_claim(farm: Farm) {
        farm.fill_queue(20_000).await;
        let mut tx = farm.app.db.begin().await.unwrap();
        let plan: Vec<String> = match tx.engine() {
            Engine::Postgres(conn) => {
                sqlx::raw_sql("ANALYZE job").execute(&mut *conn).await.unwrap();
                let text = AssertSqlSafe(format!("EXPLAIN {}", job::outlook::OLDEST_CLAIMABLE));
                let rows = sqlx::query(text).bind(QueueType::Transcode).fetch_all(conn).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
            Engine::Sqlite(conn) => {
                let text = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", job::outlook::OLDEST_CLAIMABLE));
                let rows = sqlx::query(text).bind(QueueType::Transcode).fetch_all(conn).await.unwrap();
                rows.iter().map(|row| row.get("detail")).collect()
            }
        };
        let plan = plan.join("\n");
        assert!(plan.matches("job_claimable").count() >= 2, "{plan}");
        assert!(!plan.contains("Seq Scan on job") && !plan.contains("SCAN j") && !plan.contains("Sort"), "{plan}");
    }
}
