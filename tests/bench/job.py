"""Measures the overhead of a job on top of its encoding, and the memory of an encoder.

`overhead`: a real farm (server and worker) runs a job, then the encoder alone runs the same task. The difference is what
downloading, packing, delivering and publishing add. `memory`: the peak resident size of the encoder for the beginning of
a video and for the whole video.

usage: job.py overhead FRAMEFARM WORKER CLIP [--pairs 3]
       job.py memory WORKER SHORT LONG
"""

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

CORES = os.cpu_count() or 1


def cpu_of(pid):
    """CPU seconds of a process, without its children."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def talk(worker, command, task):
    """A child of the worker runs as long as its stdin is open; returns its reports and its peak size."""
    child = subprocess.Popen([worker, command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    child.stdin.write(json.dumps(task) + "\n")
    child.stdin.flush()
    said = [json.loads(line) for line in child.stdout]
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command} failed: {said[-1:]}")
    return said, usage.ru_maxrss / 1024


def task_of(worker, clip, output, images):
    said, _ = talk(worker, "probe", {"source": clip, "copy": False})
    plan = said[-1]["plan"]
    video, ladder = plan["source"]["video"], [(1080, 5000), (720, 2500), (480, 1000), (360, 600)]
    rungs = [{"name": f"{side}p", "kind": "video", "width": side * video["width"] // video["height"] & ~1, "height": side,
              "bitrate_kbps": kbps, "codec": "h264", "skipped": False} for side, kbps in ladder if side <= video["height"]]
    sounds = [{"name": f"audio{n}", "kind": "audio", "width": 0, "height": 0, "bitrate_kbps": 192, "codec": "h264",
               "skipped": False} for n, _ in enumerate(plan["source"]["audio"])]
    whole = [{"first": 0, "last": len(plan["boundaries_us"]) - 2}]
    return {"source": clip, "output": output, "plan": plan, "images": images, "subtitles": images,
            "qualities": [{"quality": quality, "missing": whole} for quality in rungs + sounds],
            "settings": {"preset": "veryfast", "threads": CORES}}


class Farm:
    """A server and a separate worker, in their own directory."""

    def __init__(self, framefarm, worker, directory):
        self.framefarm = framefarm
        environment = {**os.environ, "FRAMEFARM_ADMIN_PASSWORD": "bench-password", "FRAMEFARM_ADMIN_SECRET": "bench-secret"}
        data = os.path.join(directory, "data")
        self.server = subprocess.Popen([framefarm, "serve", "--no-worker", "--data-dir", data, "--listen", "127.0.0.1:0",
                                        "--disk-reserve-bytes", "0"], env=environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.url = next(match[1] for match in (re.search(r"listening on (\S+)", line) for line in self.server.stdout) if match)
        self.token = subprocess.run([framefarm, "token", "create", "--data-dir", data, "--name", "bench", "--scope", "admin"],
                                    check=True, capture_output=True, text=True).stdout.strip()
        key = subprocess.run([worker, "register", "--api", self.url], env=environment, check=True, capture_output=True,
                             text=True).stdout.strip()
        self.worker = subprocess.Popen([worker, "run", "--api", self.url, "--scratch", os.path.join(directory, "scratch"),
                                        "--copy", "never", "--nice", "0"], env={**os.environ, "FRAMEFARM_WORKER_KEY": key},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def get(self, path):
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})
        return json.load(urllib.request.urlopen(request))

    def job(self, clip):
        """Seconds from claim to publication, and the CPU seconds of server and supervisor."""
        before = [cpu_of(self.server.pid), cpu_of(self.worker.pid)]
        subprocess.run([self.framefarm, "upload", "--api", self.url, "--wait", clip], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "FRAMEFARM_TOKEN": self.token})
        newest = self.get("/api/queue/jobs?limit=1")["items"][0]
        took = instant(newest["completed_at"]) - instant(newest["started_at"])
        after = [cpu_of(self.server.pid), cpu_of(self.worker.pid)]
        return took, after[0] - before[0], after[1] - before[1]

    def close(self):
        for process in (self.worker, self.server):
            process.terminate()
            process.wait()


def instant(text):
    from datetime import datetime
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def overhead(options):
    directory = tempfile.mkdtemp(prefix="bench-job-")
    farm = Farm(options.framefarm, options.worker, directory)
    rows = []
    try:
        for number in range(options.pairs):
            # Identical bytes would be deduplicated: each run gets a copy with a different end.
            clip = os.path.join(directory, f"clip-{number}.mp4")
            shutil.copy(options.clip, clip)
            with open(clip, "ab") as end:
                end.write(b"\0\0\0\x0cfree" + number.to_bytes(4, "big"))
            output = os.path.join(directory, "output")
            shutil.rmtree(output, ignore_errors=True)
            os.makedirs(output)
            # Reading the source again is part of the encoder's work; probing is part of the job.
            task = task_of(options.worker, clip, output, True)
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.monotonic()
            talk(options.worker, "encode", task)
            alone = time.monotonic() - start
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
            took, server, supervisor = farm.job(clip)
            rows.append((took / alone, supervisor / cpu, server / cpu))
            print(f"[{number + 1} of {options.pairs}] job {took:.2f} s, encoder alone {alone:.2f} s ({took / alone:.3f}); CPU of the "
                  f"supervisor {supervisor:.2f} s ({supervisor / cpu:.1%}), of the server {server:.2f} s ({server / cpu:.1%})", flush=True)
    finally:
        farm.close()
        shutil.rmtree(directory, ignore_errors=True)
    wall, supervisor, server = (statistics.median(column) for column in zip(*rows))
    print(f"median: job / encoder alone {wall:.3f}; supervisor {supervisor:.1%} and server {server:.1%} of the encoder's CPU")


def memory(options):
    for clip in (options.short, options.long):
        output = tempfile.mkdtemp(prefix="bench-memory-")
        task = task_of(options.worker, os.path.abspath(clip), output, True)
        _, largest = talk(options.worker, "encode", task)
        shutil.rmtree(output, ignore_errors=True)
        seconds = task["plan"]["source"]["duration_us"] / 1e6
        print(f"{os.path.basename(clip)}: {seconds:.0f} s of video, peak {largest:.0f} MiB", flush=True)


def main():
    parser = argparse.ArgumentParser()
    modes = parser.add_subparsers(dest="mode", required=True)
    one = modes.add_parser("overhead")
    one.add_argument("framefarm")
    one.add_argument("worker")
    one.add_argument("clip")
    one.add_argument("--pairs", type=int, default=3)
    two = modes.add_parser("memory")
    two.add_argument("worker")
    two.add_argument("short")
    two.add_argument("long")
    options = parser.parse_args()
    {"overhead": overhead, "memory": memory}[options.mode](options)


if __name__ == "__main__":
    main()
