//! Hints on their way through Redis: three streams, one for each level, read by one group of API instances.
//!
//! An entry goes to one instance, which acknowledges and removes it once the database has decided. What an instance
//! took and never acknowledged is taken over by another; what nobody read for ten minutes is trimmed, because by then
//! the database was asked hundreds of times.

use std::time::Duration;

use chrono::{DateTime, Utc};
use framefarm_shared::queue::QueueType;
use redis::{Cmd, RedisResult, Value, cmd, from_redis_value, pipe};

use super::{Hint, Level};
use crate::broker::{Broker, Connection};

const GROUP: &str = "farm";
const KEPT: Duration = Duration::from_mins(10);
/// Entries listed or taken over in one command.
const PAGE: usize = 100;

/// One delivered hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    level: Level,
    id: String,
    /// `None` if it was trimmed, or is no entry of ours.
    pub(super) hint: Option<Hint>,
}

/// The streams as one instance sees them.
#[derive(Clone)]
pub(super) struct Streams {
    keys: [String; 3],
    consumer: String,
}

impl Streams {
    pub(super) fn new(broker: &Broker, consumer: String) -> Self {
        Self { keys: Level::ALL.map(|level| broker.name(&format!("jobs:{}", level.name()))), consumer }
    }

    fn key(&self, level: Level) -> &str {
        &self.keys[level as usize]
    }

    pub(super) async fn publish(
        &self,
        connection: &mut Connection,
        hints: &[Hint],
        now: DateTime<Utc>,
    ) -> RedisResult<()> {
        let oldest = now.timestamp_millis() - i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
        if hints.is_empty() {
            return Ok(());
        }
        let mut batch = pipe();
        for hint in hints {
            let add = batch.cmd("XADD").arg(self.key(hint.level)).arg("MINID").arg("~").arg(oldest.max(0));
            add.arg("*").arg("queue").arg(hint.kind.as_str()).ignore();
        }
        batch.query_async(connection).await
    }

    /// Makes the streams and the group where they are missing.
    pub(super) async fn prepare(&self, connection: &mut Connection) -> RedisResult<()> {
        for key in &self.keys {
            let mut create = cmd("XGROUP");
            create.arg("CREATE").arg(key).arg(GROUP).arg("0").arg("MKSTREAM");
            match create.query_async::<()>(connection).await {
                Err(error) if error.code() != Some("BUSYGROUP") => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// What nobody else got, the high ones first; waits for the first of them.
    pub(super) async fn read(&self, connection: &mut Connection, wait: Duration) -> RedisResult<Vec<Entry>> {
        let mut read = cmd("XREADGROUP");
        read.arg("GROUP").arg(GROUP).arg(&self.consumer).arg("COUNT").arg(PAGE);
        read.arg("BLOCK").arg(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        read.arg("STREAMS").arg(&self.keys).arg(&[">"; 3]);
        let found: Option<Vec<(String, Vec<Value>)>> = read.query_async(connection).await?;
        let mut entries = Vec::new();
        for (key, rows) in found.unwrap_or_default() {
            let Some(level) = Level::ALL.into_iter().find(|level| self.key(*level) == key) else { continue };
            entries.extend(rows.into_iter().filter_map(|row| entry(level, row)));
        }
        entries.sort_by_key(|entry| entry.level);
        Ok(entries)
    }

    /// The database has decided.
    pub(super) async fn settle(&self, connection: &mut Connection, entries: &[Entry]) -> RedisResult<()> {
        let mut batch = pipe();
        for level in Level::ALL {
            let ids: Vec<_> = entries.iter().filter(|entry| entry.level == level).map(|e| &e.id).collect();
            if !ids.is_empty() {
                batch.cmd("XACK").arg(self.key(level)).arg(GROUP).arg(&ids).ignore();
                batch.cmd("XDEL").arg(self.key(level)).arg(&ids).ignore();
            }
        }
        if batch.is_empty() { Ok(()) } else { batch.query_async(connection).await }
    }

    /// Everything that another instance took longer than `idle` ago and did not settle. The ids come without their
    /// bodies, because Redis 6.2 has neither for what was trimmed.
    pub(super) async fn take_over(
        &self,
        connection: &mut Connection,
        idle: Duration,
    ) -> RedisResult<Vec<Entry>> {
        let mut entries = Vec::new();
        for level in Level::ALL {
            let mut cursor = "0-0".to_owned();
            loop {
                let mut claim = cmd("XAUTOCLAIM");
                claim.arg(self.key(level)).arg(GROUP).arg(&self.consumer);
                claim.arg(u64::try_from(idle.as_millis()).unwrap_or(u64::MAX)).arg(&cursor);
                claim.arg("COUNT").arg(PAGE).arg("JUSTID");
                let reply: Vec<Value> = claim.query_async(connection).await?;
                let mut reply = reply.into_iter();
                cursor = from_redis_value(reply.next().unwrap_or(Value::Nil))?;
                let ids: Vec<String> = from_redis_value(reply.next().unwrap_or(Value::Nil))?;
                for id in ids {
                    entries.push(self.look_up(connection, level, id).await?);
                }
                if cursor == "0-0" {
                    break;
                }
            }
        }
        Ok(entries)
    }

    async fn look_up(&self, connection: &mut Connection, level: Level, id: String) -> RedisResult<Entry> {
        let mut range = cmd("XRANGE");
        let found: Vec<Value> = range.arg(self.key(level)).arg(&id).arg(&id).query_async(connection).await?;
        let known = found.into_iter().next().and_then(|row| entry(level, row));
        Ok(known.unwrap_or(Entry { level, id, hint: None }))
    }

    /// How many entries wait or are at work.
    pub(super) async fn length(&self, connection: &mut Connection) -> RedisResult<u64> {
        let mut batch = pipe();
        for key in &self.keys {
            batch.cmd("XLEN").arg(key);
        }
        let lengths: Vec<u64> = batch.query_async(connection).await?;
        Ok(lengths.iter().sum())
    }

    /// Removes instances that have been gone for long and owe nothing. Returns how many.
    pub(super) async fn forget_idle(&self, connection: &mut Connection, idle: Duration) -> RedisResult<u64> {
        let mut gone = 0;
        for key in &self.keys {
            let mut list = cmd("XINFO");
            let list: RedisResult<redis::streams::StreamInfoConsumersReply> =
                list.arg("CONSUMERS").arg(key).arg(GROUP).query_async(connection).await;
            let consumers = match list {
                Err(error) if is_missing(&error) => continue,
                list => list?.consumers,
            };
            for one in consumers {
                if one.pending == 0 && one.idle as u128 >= idle.as_millis() && one.name != self.consumer {
                    remove(key, &one.name).query_async::<()>(connection).await?;
                    gone += 1;
                }
            }
        }
        Ok(gone)
    }

    /// This instance reads no more. What it has not settled stays for others to take over.
    pub(super) async fn leave(&self, connection: &mut Connection) -> RedisResult<()> {
        for key in &self.keys {
            let mut pending = cmd("XPENDING");
            pending.arg(key).arg(GROUP).arg("-").arg("+").arg(1).arg(&self.consumer);
            let owed: Vec<Value> = pending.query_async(connection).await?;
            if owed.is_empty() {
                remove(key, &self.consumer).query_async::<()>(connection).await?;
            }
        }
        Ok(())
    }
}

fn remove(key: &str, consumer: &str) -> Cmd {
    let mut remove = cmd("XGROUP");
    remove.arg("DELCONSUMER").arg(key).arg(GROUP).arg(consumer);
    remove
}

/// The stream or its group is not there: Redis was emptied.
pub(super) fn is_missing(error: &redis::RedisError) -> bool {
    error.code() == Some("NOGROUP") || error.to_string().contains("no such key")
}

fn entry(level: Level, row: Value) -> Option<Entry> {
    let (id, body): (String, Option<Vec<String>>) = from_redis_value(row).ok()?;
    let mut fields = body.unwrap_or_default().into_iter();
    let mut hint = None;
    while let (Some(name), Some(value)) = (fields.next(), fields.next()) {
        if name == "queue" {
            hint = value.parse::<QueueType>().ok().map(|kind| Hint { kind, level });
        }
    }
    Some(Entry { level, id, hint })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RedisVersion, TestDatabase, TestRedis, settings};

    const HINT: Hint = Hint { kind: QueueType::Transcode, level: Level::Normal };
    const AT_ONCE: Duration = Duration::from_millis(1);

    /// A reader with a connection of its own.
    struct Reader {
        streams: Streams,
        connection: Connection,
    }

    impl Reader {
        async fn called(name: &str, redis: &TestRedis) -> Self {
            let mut settings = settings(&TestDatabase::sqlite());
            settings.redis_url = redis.url();
            let broker = Broker::open(&settings).unwrap().unwrap();
            let mut connection = broker.connect(Duration::from_secs(5)).await.unwrap();
            let streams = Streams::new(&broker, name.to_owned());
            streams.prepare(&mut connection).await.unwrap();
            Self { streams, connection }
        }

        async fn publish(&mut self, hints: &[Hint]) {
            self.streams.publish(&mut self.connection, hints, DateTime::UNIX_EPOCH).await.unwrap();
        }

        async fn read(&mut self) -> Vec<Entry> {
            self.streams.read(&mut self.connection, AT_ONCE).await.unwrap()
        }

        async fn take_over(&mut self, idle: Duration) -> Vec<Entry> {
            self.streams.take_over(&mut self.connection, idle).await.unwrap()
        }

        async fn settle(&mut self, entries: &[Entry]) {
            self.streams.settle(&mut self.connection, entries).await.unwrap();
        }
    }

    /// Entries that a group still owes an answer for.
    async fn owed(redis: &TestRedis) -> i64 {
        let (owed, ..): (i64, Value, Value, Value) =
            redis.run(&["XPENDING", "{framefarm}:jobs:normal", GROUP]).await;
        owed
    }

    #[tokio::test]
    async fn one_read_sees_all_levels_and_the_high_ones_first() {
        let redis = TestRedis::start(RedisVersion::V7).await;
        let mut reader = Reader::called("one", &redis).await;
        let hint = |level| Hint { kind: QueueType::Transcode, level };
        reader.publish(&[hint(Level::Low), hint(Level::Normal), hint(Level::High)]).await;
        let levels: Vec<Level> = reader.read().await.iter().map(|entry| entry.level).collect();
        assert_eq!(levels, Level::ALL);
        assert!(reader.read().await.is_empty(), "an entry is delivered once");
    }

    #[tokio::test]
    async fn each_entry_goes_to_one_reader_and_is_gone_when_it_is_settled() {
        let redis = TestRedis::start(RedisVersion::V7).await;
        let (mut one, mut two) = (Reader::called("one", &redis).await, Reader::called("two", &redis).await);
        one.publish(&[HINT; 3]).await;
        let entries = one.read().await;
        assert_eq!((entries.len(), two.read().await.len()), (3, 0));
        one.settle(&entries).await;
        assert_eq!(one.streams.length(&mut one.connection).await.unwrap(), 0);
        assert_eq!(owed(&redis).await, 0);
    }

    async fn an_abandoned_entry_is_found_behind_a_thousand_live_ones(version: RedisVersion) {
        let redis = TestRedis::start(version).await;
        let mut dead = Reader::called("dead", &redis).await;
        let mut live = Reader::called("live", &redis).await;
        let mut third = Reader::called("third", &redis).await;
        dead.publish(&[HINT; 1_001]).await;
        let mut held = Vec::new();
        while held.len() < 1_000 {
            held.extend(live.read().await);
        }
        let lost = dead.read().await;
        assert_eq!(lost.len(), 1);
        // The dead one has owed its answer for a minute, the others just began.
        redis
            .run::<Value>(&[
                "XCLAIM",
                "{framefarm}:jobs:normal",
                GROUP,
                "dead",
                "0",
                &lost[0].id,
                "IDLE",
                "60000",
            ])
            .await;
        assert_eq!(third.take_over(Duration::from_secs(30)).await, lost);
        assert!(third.take_over(Duration::from_secs(30)).await.is_empty(), "once");
    }

    #[tokio::test]
    async fn an_abandoned_entry_is_found_behind_live_ones_on_redis_7() {
        an_abandoned_entry_is_found_behind_a_thousand_live_ones(RedisVersion::V7).await;
    }

    #[tokio::test]
    async fn an_abandoned_entry_is_found_behind_live_ones_on_redis_6() {
        an_abandoned_entry_is_found_behind_a_thousand_live_ones(RedisVersion::V6).await;
    }

    async fn what_was_trimmed_while_somebody_held_it_is_owed_by_nobody(version: RedisVersion) {
        let redis = TestRedis::start(version).await;
        let (mut dead, mut other) =
            (Reader::called("dead", &redis).await, Reader::called("other", &redis).await);
        dead.publish(&[HINT; 2]).await;
        assert_eq!(dead.read().await.len(), 2);
        redis.run::<Value>(&["XTRIM", "{framefarm}:jobs:normal", "MAXLEN", "0"]).await;
        let taken = other.take_over(Duration::ZERO).await;
        assert!(taken.iter().all(|entry| entry.hint.is_none()), "their bodies are gone: {taken:?}");
        other.settle(&taken).await;
        assert_eq!(owed(&redis).await, 0);
    }

    #[tokio::test]
    async fn what_was_trimmed_is_owed_by_nobody_on_redis_7() {
        what_was_trimmed_while_somebody_held_it_is_owed_by_nobody(RedisVersion::V7).await;
    }

    #[tokio::test]
    async fn what_was_trimmed_is_owed_by_nobody_on_redis_6() {
        what_was_trimmed_while_somebody_held_it_is_owed_by_nobody(RedisVersion::V6).await;
    }

    #[tokio::test]
    async fn hints_that_nobody_reads_do_not_pile_up() {
        let redis = TestRedis::start(RedisVersion::V7).await;
        let mut reader = Reader::called("one", &redis).await;
        reader.publish(&[HINT; 500]).await;
        let (seconds, _): (i64, i64) = redis.run(&["TIME"]).await;
        let later = DateTime::from_timestamp(seconds, 0).unwrap() + KEPT + Duration::from_secs(5);
        reader.streams.publish(&mut reader.connection, &[HINT], later).await.unwrap();
        let left = reader.streams.length(&mut reader.connection).await.unwrap();
        assert!(left < 150, "trimmed by whole nodes: {left}");
    }

    #[tokio::test]
    async fn readers_that_are_gone_are_forgotten_unless_they_owe_something() {
        let redis = TestRedis::start(RedisVersion::V7).await;
        let mut one = Reader::called("one", &redis).await;
        let mut owing = Reader::called("owing", &redis).await;
        let mut gone = Reader::called("gone", &redis).await;
        one.publish(&[HINT; 2]).await;
        let entries = gone.read().await;
        gone.settle(&entries).await;
        one.publish(&[HINT]).await;
        assert_eq!(owing.read().await.len(), 1);
        gone.streams.leave(&mut gone.connection).await.unwrap();
        owing.streams.leave(&mut owing.connection).await.unwrap();
        assert_eq!(consumers(&redis).await, ["owing"]);
        let taken = one.take_over(Duration::ZERO).await;
        one.settle(&taken).await;
        assert!(one.streams.forget_idle(&mut one.connection, Duration::ZERO).await.unwrap() >= 1);
        assert!(consumers(&redis).await.iter().all(|name| name == "one"));
    }

    async fn consumers(redis: &TestRedis) -> Vec<String> {
        let info: redis::streams::StreamInfoConsumersReply =
            redis.run(&["XINFO", "CONSUMERS", "{framefarm}:jobs:normal", GROUP]).await;
        info.consumers.into_iter().map(|consumer| consumer.name).collect()
    }
}
