"""Three API instances, four workers and thirty videos, with and without failures."""

import itertools
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from farm import POLL_INTERVAL, Farm, make_clips
from processes import until

CLIPS = 30
SECONDS = 2


@pytest.fixture(scope="session")
def clips(tmp_path_factory):
    return make_clips(tmp_path_factory.mktemp("clips"), CLIPS, SECONDS)


@pytest.fixture
def farm(request, tmp_path):
    farm = Farm(tmp_path, redis=getattr(request, "param", "7.0"))
    yield farm
    farm.end()


def upload_all(farm, clips):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(farm.upload, clips))


def check(farm, videos):
    assert len(videos) == CLIPS
    farm.check_each_was_done_once(videos)
    for video in videos[::6]:
        farm.check_it_plays(video, SECONDS)


def test_thirty_clips_are_each_encoded_once_and_seen_from_every_instance(farm, clips):
    upload_all(farm, clips)
    videos = until("all videos are ready", lambda: farm.finished(CLIPS), patience=180, pause=0.5)
    check(farm, videos)
    everything = {video["id"] for video in videos}
    for watcher in farm.watchers:
        until(f"{watcher.url} reports each completed job", lambda w=watcher: w.seen("job_completed") == everything)
        assert watcher.progress == everything, f"{watcher.url} reported the progress of {len(watcher.progress)} videos"
        assert watcher.resets == 0


@pytest.mark.parametrize("farm", ["7.0", "6.2"], indirect=True)
def test_whatever_breaks_nothing_is_lost_and_nothing_done_twice(farm, clips):
    broken = itertools.count(1)

    def breaks(what, act):
        """Waits until more videos are ready than last time, so that every failure happens under load."""
        wanted = min(next(broken) * 2, CLIPS)
        until(f"{wanted} videos are ready", lambda: farm.finished(wanted), patience=120, pause=0.1)
        print("breaking:", what, flush=True)
        act()

    with ThreadPoolExecutor(1) as pool:
        uploading = pool.submit(upload_all, farm, clips)
        breaks("Redis is killed", farm.redis.kill)
        breaks("Redis is back, empty", farm.redis.start)
        breaks("Redis is flushed", lambda: farm.redis.ask("FLUSHALL"))
        breaks("a stream is trimmed", lambda: farm.redis.ask("XTRIM", "{framefarm}:jobs:normal", "MAXLEN", "0"))
        breaks("an instance is killed", farm.apis[0].kill)
        breaks("the instance is back", farm.apis[0].start)
        breaks("PostgreSQL is restarted", lambda: farm.postgres.restart(signal.SIGINT))
        breaks("the proxy is restarted", farm.nginx.restart)
        uploading.result(180)
    videos = until("all videos are ready", lambda: farm.finished(CLIPS), patience=240, pause=0.5)
    check(farm, videos)
    everything = {video["id"] for video in videos}
    for watcher in farm.watchers:
        until(f"{watcher.url} reports each completed job", lambda w=watcher: w.seen("job_completed") == everything)
    for api in farm.apis:
        until(f"{api.name} uses Redis again", lambda a=api: a.health()["dispatch"]["in_force"] == "redis")


def test_a_database_that_is_away_for_long_costs_nobody_a_job(farm, clips):
    """Leases last twenty seconds here, and the outage is four times that: a worker that cannot renew its lease stops its
    job, and the job returns to the queue as if it had not been claimed."""
    upload_all(farm, clips)
    until("some videos are ready", lambda: farm.finished(2), patience=120, pause=0.1)
    farm.postgres.kill(signal.SIGINT)
    time.sleep(90)
    farm.postgres.start()
    videos = until("all videos are ready", lambda: farm.finished(CLIPS), patience=240, pause=0.5)
    happened = farm.events()
    for video in videos:
        claims = [event["reason"] for event in happened["job_claimed"][video["id"]]]
        assert all(claim.startswith("attempt 1 ") for claim in claims), f"{video['title']}: {claims}"
        assert len(happened["job_completed"][video["id"]]) == 1, video["title"]
    assert not happened["job_lost"] and not happened["job_failed"] and not happened["worker_offline"]
    for video in videos[::6]:
        farm.check_it_plays(video, SECONDS)


def latency(farm, clip):
    """Seconds from the commit of a job to the commit of its claim."""
    ident = farm.upload(clip)["video_id"]
    claimed = until("the job is claimed", lambda: farm.events()["job_claimed"].get(ident))
    enqueued = farm.events()["job_enqueued"][ident]
    return parsed(claimed[0]["at"]) - parsed(enqueued[0]["at"])


def parsed(text):
    from datetime import datetime

    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def test_without_redis_a_worker_hears_within_the_poll_interval(farm, clips):
    farm.redis.kill()
    for clip in clips[:4]:
        until("a worker is idle", lambda: any(w["status"] == "idle" for w in farm.get("/api/workers").json()["items"]))
        took = latency(farm, clip)
        assert took <= POLL_INTERVAL + 0.5, f"{took:.2f} s"
        time.sleep(0.1)
