"""Fills the database of a stopped server with a farm that has seen much: fill.py DATABASE VIDEOS."""

import random
import sqlite3
import sys
import uuid
from datetime import datetime, timedelta, timezone

WORDS = [
    ("Harbour", "Orchard", "Lighthouse", "Market", "Glacier", "Workshop", "Station", "Meadow", "Studio", "Bridge"),
    ("at dawn", "in winter", "from above", "on market day", "behind the scenes", "with English subtitles"),
    ("rough cut", "final", "interview", "part one", "part two", "b-roll", "trailer"),
]
COLLECTIONS = ["Documentaries", "Lectures 2026", "Family"]
FAILURES = [
    ("input_invalid", "the file is not a video, or its beginning is damaged"),
    ("storage", "No space left on device"),
    ("poison", "3 workers were lost with this job"),
]
now = datetime.now(timezone.utc)


def at(minutes_ago):
    return (now - timedelta(minutes=minutes_ago)).isoformat(timespec="microseconds")


def insert(db, table, **values):
    names = ", ".join(values)
    places = ", ".join("?" * len(values))
    db.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", tuple(values.values()))


def fill(db, count):
    rng = random.Random(7)
    collections = []
    for name in COLLECTIONS:
        collections.append(uuid.uuid4().bytes)
        insert(db, "collection", id=collections[-1], name=name, created_at=at(90_000))
    for number in range(1, count + 1):
        title = f"{rng.choice(WORDS[0])} {rng.choice(WORDS[1])}, {rng.choice(WORDS[2])} {number:04}"
        # Six of ten wait, three are done, one failed; the newest wait.
        kind = "pending" if number > count * 0.4 else rng.choice(["ready", "ready", "ready", "failed"])
        video(db, rng, number, title, kind, rng.choice([None, *collections]), minutes=(count - number) * 3)


def video(db, rng, number, title, kind, collection, minutes):
    id = uuid.uuid4().bytes
    seconds = rng.randint(20, 5400)
    known = {"duration_us": seconds * 1_000_000, "width": 1920, "height": 1080} if kind == "ready" else {}
    error_class, error = rng.choice(FAILURES) if kind == "failed" else (None, None)
    insert(
        db,
        "video",
        id=id,
        slug=f"video-{number}",
        title=title,
        search_title=title.lower(),
        collection_id=collection,
        status=kind,
        source_name=f"video {number}.mov",
        source_size=seconds * 1_200_000,
        source_sha256=f"{number:064x}",
        identity=f"video-{number}",
        last_generation=1,
        generation=1 if kind == "ready" else 0,
        error_message=error,
        created_at=at(minutes),
        ready_at=at(minutes) if kind == "ready" else None,
        **known,
    )
    insert(db, "generation", video_id=id, number=1, created_at=at(minutes))
    ended = {"pending": {}, "ready": {"status": "completed"}, "failed": {"status": "failed"}}[kind]
    if ended:
        ended |= {"started_at": at(minutes + 5), "finished_at": at(minutes), "attempt_number": 1}
        ended |= {"error": error, "error_class": error_class, "processed_by_worker_name": f"node-{number % 50 + 1:02}"}
    insert(
        db,
        "job",
        id=uuid.uuid4().bytes,
        video_id=id,
        collection_id=collection,
        queue_type="transcode",
        identity=f"video-{number}",
        priority=rng.choice([0, 0, 0, 100, -100]),
        sort_at=at(minutes + 10),
        enqueued_at=at(minutes + 10),
        claimable_at=at(minutes + 10),
        generation=1,
        max_attempts=3,
        max_lost=3,
        **ended,
    )


def main(file, count):
    with sqlite3.connect(file) as db:
        fill(db, int(count))


main(*sys.argv[1:])
