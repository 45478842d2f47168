"""A whole farm on one machine: PostgreSQL, Redis, an S3 server, nginx, API instances and workers, as real programs."""

import json
import os
import signal
import subprocess
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests
from processes import ROOT, S3, Nginx, Postgres, Process, Redis, until

BIN = Path(os.environ.get("FRAMEFARM_BIN", ROOT / "target/debug/framefarm"))
PASSWORD, SECRET = "farm-tests-password", "farm-tests-secret-of-some-length"
POLL_INTERVAL = 1.0


class Api(Process):
    def __init__(self, directory, number, settings):
        super().__init__(f"API {number}", directory)
        self.url, self.settings, self.listen = f"http://127.0.0.1:{self.port}", settings, "127.0.0.1"

    def command(self):
        return [BIN, "serve", "--no-worker", "--listen", f"{self.listen}:{self.port}", "--data-dir", self.directory / "data"]

    def environment(self):
        return self.settings

    def is_ready(self):
        try:
            return requests.get(f"{self.url}/readyz", timeout=2).ok
        except requests.RequestException:
            return False

    def health(self):
        return requests.get(f"{self.url}/health", timeout=5).json()


class Worker(Process):
    def __init__(self, directory, number, farm_url, prefix=(), slow=False):
        super().__init__(f"worker {number}", directory)
        told = {"X-Admin-Secret": SECRET}
        body = {"name": f"worker-{number}"}
        registered = requests.post(f"{farm_url}/api/worker/register", json=body, headers=told, timeout=30)
        registered.raise_for_status()
        self.id, self.key = registered.json()["worker_id"], registered.json()["api_key"]
        self.farm_url, self.prefix = farm_url, list(prefix)
        self.preset = "medium" if slow else "ultrafast"

    def command(self):
        program = BIN.with_name("framefarm-worker")
        return [*self.prefix, program, "run", "--api", self.farm_url, "--scratch", self.directory / "scratch",
                "--x264-preset", self.preset, "--copy", "never"]  # fmt: skip

    def environment(self):
        return {"FRAMEFARM_WORKER_KEY": self.key}

    def is_ready(self):
        return True


class Watcher(threading.Thread):
    """A page: one event stream (SSE) of one instance, reconnected when it breaks."""

    def __init__(self, url, token):
        super().__init__(daemon=True)
        self.url, self.token, self.last = url, token, None
        self.progress, self.changes, self.resets = set(), {}, 0
        self.ended = threading.Event()

    def run(self):
        while not self.ended.is_set():
            try:
                self.listen()
            except requests.RequestException:
                time.sleep(0.2)

    def listen(self):
        headers = {"Authorization": f"Bearer {self.token}"}
        if self.last is not None:
            headers["Last-Event-ID"] = str(self.last)
        with requests.get(f"{self.url}/api/events", headers=headers, stream=True, timeout=(5, 60)) as answer:
            if not answer.ok:
                time.sleep(0.2)
                return
            fields = {}
            for line in answer.iter_lines(chunk_size=1, decode_unicode=True):
                if self.ended.is_set():
                    return
                name, _, value = line.partition(":")
                if name:
                    fields[name] = value.removeprefix(" ")
                elif not line and "data" in fields:
                    ident = int(fields["id"]) if "id" in fields else None
                    self.hear(fields.get("event"), ident, json.loads(fields["data"]))
                    fields = {}

    def hear(self, kind, ident, data):
        if kind == "hello" and self.last is None:
            self.last = data["last_id"]
        elif kind == "change":
            assert ident not in self.changes, f"event {ident} came twice to {self.url}"
            self.last, self.changes[ident] = ident, data
        elif kind == "progress":
            self.progress.add(data["video_id"])
        elif kind == "reset":
            self.resets += 1

    def seen(self, kind):
        return {change["video_id"] for change in list(self.changes.values()) if change["kind"] == kind}


class Farm:
    def __init__(self, directory, redis="7.0", instances=3, workers=4, storage=True):
        self.directory = Path(directory)
        self.postgres = Postgres().start()
        self.redis = Redis(self.directory / "redis", redis).start()
        self.s3 = S3(self.directory / "s3", "farm").start() if storage else None
        settings = {
            "FRAMEFARM_DATABASE_URL": self.postgres.url,
            "FRAMEFARM_REDIS_URL": self.redis.url,
            "FRAMEFARM_JOB_QUEUE_MODE": "hybrid",
            "FRAMEFARM_REDIS_RETRY_SECONDS": "1",
            "FRAMEFARM_CLAIM_POLL_INTERVAL": str(POLL_INTERVAL),
            "FRAMEFARM_ADMIN_PASSWORD": PASSWORD,
            "FRAMEFARM_ADMIN_SECRET": SECRET,
            "FRAMEFARM_TIMING": "fast",
            "FRAMEFARM_LADDER": "240p:300,144p:150",
            "FRAMEFARM_DISK_RESERVE_BYTES": "0",
            "FRAMEFARM_TRUSTED_PROXIES": "127.0.0.1",
            **(self.s3.settings() if self.s3 else {}),
        }
        self.apis = [Api(self.directory / f"api-{n}", n, settings).start() for n in range(1, instances + 1)]
        self.nginx = Nginx(self.directory / "nginx", [api.port for api in self.apis]).start()
        self.url = self.nginx.url
        self.session = requests.Session()
        self.token = self.make_token()
        self.session.headers["Authorization"] = f"Bearer {self.token}"
        self.watchers = [Watcher(api.url, self.token) for api in self.apis]
        for watcher in self.watchers:
            watcher.start()
        until("all pages are subscribed", lambda: all(watcher.last is not None for watcher in self.watchers))
        self.workers = [Worker(self.directory / f"worker-{n}", n, self.url).start() for n in range(1, workers + 1)]

    def make_token(self):
        login = requests.Session()
        login.post(f"{self.url}/api/login", json={"password": PASSWORD}, timeout=30).raise_for_status()
        made = login.post(f"{self.url}/api/tokens", json={"name": "farm", "scope": "admin"}, timeout=30)
        made.raise_for_status()
        return made.json()["token"]

    def end(self):
        for watcher in self.watchers:
            watcher.ended.set()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda worker: worker.kill(signal.SIGTERM), self.workers))
            list(pool.map(lambda api: api.kill(signal.SIGTERM), self.apis))
        for server in [self.nginx, self.s3, self.redis]:
            if server:
                server.kill(signal.SIGTERM)
        self.postgres.remove()

    # --- User actions ---

    def upload(self, clip):
        """Retries until the upload succeeds."""
        def sent():
            try:
                with open(clip, "rb") as file:
                    answer = self.session.post(f"{self.url}/api/videos", files={"file": (clip.name, file)}, timeout=60)
            except requests.RequestException:
                return None
            if answer.status_code >= 500 or answer.status_code == 409:
                return None
            answer.raise_for_status()
            return answer.json()
        return until(f"{clip.name} is accepted", sent, pause=0.3)

    def get(self, path, **query):
        def asked():
            try:
                answer = self.session.get(f"{self.url}{path}", params=query, timeout=30)
            except requests.RequestException:
                return None
            if answer.status_code >= 500:
                return None
            answer.raise_for_status()
            return answer
        return until(f"GET {path}", asked, pause=0.3)

    def videos(self):
        return self.get("/api/videos", limit=200).json()["items"]

    def finished(self, count):
        videos = self.videos()
        failed = [video for video in videos if video["status"] == "failed"]
        assert not failed, failed
        return len([video for video in videos if video["status"] == "ready"]) >= count and videos

    # --- Checks ---

    def events(self):
        """All events by kind and video, from the audit log."""
        found, cursor = defaultdict(lambda: defaultdict(list)), None
        while True:
            page = self.get("/api/audit", limit=200, **({"cursor": cursor} if cursor else {})).json()
            for event in page["items"]:
                found[event["kind"]][event["video_id"]].append(event)
            cursor = page.get("next_cursor")
            if not cursor:
                return found

    def check_each_was_done_once(self, videos):
        happened = self.events()
        for video in videos:
            ident = video["id"]
            claims = [event["reason"] for event in happened["job_claimed"][ident]]
            assert len(claims) == 1, f"{video['title']} was claimed {len(claims)} times: {claims}"
            assert len(happened["job_completed"][ident]) == 1, video["title"]

    def check_it_plays(self, video, seconds):
        url = f"{self.url}/videos/{video['slug']}/master.m3u8"
        probe = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", url]
        told = subprocess.run(probe, check=True, capture_output=True, text=True)
        assert told.stderr == "", told.stderr
        assert abs(float(told.stdout) - seconds) < 0.2, told.stdout


def make_clips(directory, count, seconds=2):
    """Short clips, each with its own image."""
    directory.mkdir(parents=True, exist_ok=True)
    def make(number):
        clip = directory / f"clip-{number:02}.mp4"
        source = f"testsrc2=s=320x240:r=25:d={seconds},hue=h={number * 11}"
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", source, "-f", "lavfi",
             "-i", f"sine=f={300 + number * 20}:d={seconds}", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac",
             "-shortest", clip], check=True)  # fmt: skip
        return clip
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(make, range(count)))
