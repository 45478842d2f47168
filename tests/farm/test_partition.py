"""A worker loses the network for longer than its lease."""

import json
import os
import subprocess
import time

import pytest
import requests
from farm import PASSWORD, SECRET, Api, Worker
from processes import until

SECONDS = 120
LEASE = 20


def run(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


class Network:
    """A separate host for one worker, on a link that can be taken down."""

    def __init__(self):
        # Names of interfaces are short; several runs may be under way at once.
        self.name, third = f"ff{os.getpid() % 100_000}", os.getpid() % 250
        self.here, self.there = f"10.213.{third}.1", f"10.213.{third}.2"
        inside = ["ip", "-n", self.name]
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", f"{self.name}a", "type", "veth", "peer", "name", f"{self.name}b", "netns", self.name)
        run("ip", "addr", "add", f"{self.here}/24", "dev", f"{self.name}a")
        run(*inside, "addr", "add", f"{self.there}/24", "dev", f"{self.name}b")
        run(*inside, "link", "set", "lo", "up")
        run(*inside, "link", "set", f"{self.name}b", "up")
        self.plug()
        self.prefix = ["ip", "netns", "exec", self.name]

    def plug(self):
        run("ip", "link", "set", f"{self.name}a", "up")

    def pull(self):
        run("ip", "link", "set", f"{self.name}a", "down")

    def remove(self):
        run("ip", "netns", "del", self.name)


@pytest.fixture
def network():
    assert os.geteuid() == 0, "only root can create network namespaces: run the tests as root"
    network = Network()
    yield network
    network.remove()


def descendants(pid):
    """All descendants of this process, including the encoder."""
    found, parents = [], {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as stat:
                    parents[int(entry)] = int(stat.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    wanted = [pid]
    while wanted:
        parent = wanted.pop()
        children = [child for child, its in parents.items() if its == parent]
        found += children
        wanted += children
    return found


def requests_from(api, address):
    """The requests of a client in the server's log: method, path and status."""
    asked = []
    for line in api.log.read_text().splitlines():
        if not line.startswith("{"):
            continue
        entry = json.loads(line)
        span = entry.get("span", {})
        if entry.get("message") == "answered" and span.get("client") == address:
            asked.append((span["method"], span["path"], entry["status"]))
    return asked


def test_a_worker_that_is_cut_off_kills_its_encoder_and_another_finishes_the_job(network, tmp_path):
    settings = {
        "FRAMEFARM_ADMIN_PASSWORD": PASSWORD,
        "FRAMEFARM_ADMIN_SECRET": SECRET,
        "FRAMEFARM_TIMING": "fast",
        # A server that has just started gives workers time to reconnect; the first part may arrive sooner than that.
        "FRAMEFARM_STARTUP_GRACE": "5",
        "FRAMEFARM_LADDER": "480p:800,240p:300",
        "FRAMEFARM_DISK_RESERVE_BYTES": "0",
        "FRAMEFARM_LOG": "info,framefarm_api::http=debug",
        "FRAMEFARM_LOG_FORMAT": "json",
    }
    api = Api(tmp_path / "api", 1, settings)
    api.listen = "0.0.0.0"
    api.start()
    cut_off = Worker(tmp_path / "cut-off", 1, api.url, network.prefix, slow=True)
    cut_off.farm_url = f"http://{network.here}:{api.port}"
    other = Worker(tmp_path / "other", 2, api.url)
    try:
        check(api, network, cut_off, other, tmp_path)
    finally:
        other.kill()
        cut_off.kill()
        api.kill()


def check(api, network, cut_off, other, tmp_path):
    clip = tmp_path / "clip.mp4"
    source = f"testsrc2=s=854x480:r=25:d={SECONDS},noise=alls=20:allf=t"
    run("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", source, "-c:v", "libx264", "-preset", "ultrafast",
        "-crf", "30", clip)  # fmt: skip
    cut_off.start()
    session = requests.Session()
    session.post(f"{api.url}/api/login", json={"password": PASSWORD}, timeout=30).raise_for_status()
    with open(clip, "rb") as file:
        uploaded = session.post(f"{api.url}/api/videos", files={"file": ("clip.mp4", file)}, timeout=60)
    uploaded.raise_for_status()
    ident = uploaded.json()["video_id"]

    def parts():
        return [path for method, path, status in requests_from(api, network.there) if method == "PUT" and status == 200]

    until("a part is delivered", parts, patience=240)
    pids = descendants(cut_off.running.pid)
    assert pids, "no encoder is running"
    network.pull()
    cut_at = time.monotonic()
    until("its encoder has exited", lambda: not descendants(cut_off.running.pid), patience=LEASE + 5)
    took = time.monotonic() - cut_at
    assert took <= LEASE + 1, f"the encoder kept running for {took:.0f} s without a lease"
    # What was in flight when the link went down may have arrived, under a claim that was still valid.
    delivered = len(parts())

    other.start()
    until("the job moved", lambda: state(session, api, ident)["worker"] == other.id, patience=90)
    network.plug()
    until("the video is ready", lambda: video(session, api, ident)["status"] == "ready", patience=240)
    assert len(parts()) == delivered, "the disconnected worker delivered something afterwards"
    slug = video(session, api, ident)["slug"]
    probe = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_packets", "-show_entries", "stream=nb_read_packets",
             "-of", "csv=p=0", f"{api.url}/videos/{slug}/master.m3u8"]  # fmt: skip
    told = subprocess.run(probe, check=True, capture_output=True, text=True)
    assert told.stderr == "", told.stderr
    assert int(told.stdout.split()[0].strip(",")) == SECONDS * 25, told.stdout


def video(session, api, ident):
    return session.get(f"{api.url}/api/videos/{ident}", timeout=30).json()["video"]


def state(session, api, ident):
    jobs = session.get(f"{api.url}/api/queue/jobs", params={"video": ident}, timeout=30).json()["items"]
    return {"worker": jobs[0].get("worker_id"), "status": jobs[0]["status"]}
