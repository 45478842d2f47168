"""Measures the speed of the encoder against its alternatives, in the same run.

Every repetition runs each contender once, in a new random order, and only ratios within a repetition count: the speed of
a machine drifts more than contenders differ. A repetition in which other programs took more than 3 % of the CPU is
dropped and repeated. See docs/benchmarks.md for how to read the numbers.

usage: encode.py WORKER CLIP [--pairs 7] [--preset veryfast] [--only NAME…] [--new-ffmpeg PATH] [--before WORKER] [--json FILE]

--before is an earlier worker, to measure the effect of a change; its name for --only is "before".
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LADDER = [(2160, 15000), (1440, 8000), (1080, 5000), (720, 2500), (480, 1000), (360, 600)]
AUDIO_KBPS = 192
CORES = os.cpu_count() or 1
# A repetition is dropped if other programs used more than this share of all CPU time.
FOREIGN_SHARE = 0.03


def cpu_seconds():
    """Busy seconds of the whole machine, and stolen seconds (other guests of the host)."""
    fields = [int(field) for field in open("/proc/stat").readline().split()[1:9]]
    tick = os.sysconf("SC_CLK_TCK")
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq) / tick, steal / tick


def timed(run):
    """Runs it; returns wall and CPU seconds, and the CPU seconds of other programs meanwhile."""
    busy, steal = cpu_seconds()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    run()
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy_after, steal_after = cpu_seconds()
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    foreign = max(0.0, busy_after - busy - own) + steal_after - steal
    return {"wall": wall, "cpu": own, "foreign": foreign}


def shell(arguments, **options):
    subprocess.run(arguments, check=True, stdin=subprocess.DEVNULL, **options)


def rungs_of(plan):
    video = plan["source"]["video"]
    width, height = video["width"], video["height"]
    return [
        {"name": f"{side}p", "kind": "video", "width": side * width // height & ~1, "height": side,
         "bitrate_kbps": kbps, "codec": "h264", "skipped": False}
        for side, kbps in LADDER if side <= height
    ]


class Bench:
    def __init__(self, worker, clip, preset, new_ffmpeg):
        self.worker, self.clip, self.preset, self.new_ffmpeg = worker, os.path.abspath(clip), preset, new_ffmpeg
        self.scratch = tempfile.mkdtemp(prefix="bench-encode-")
        self.plan = self.probe(copy=False)
        self.rungs = rungs_of(self.plan)
        starts = self.plan["boundaries_us"][:-1]
        self.keyframes = ",".join(f"{us}us" for us in starts)

    def probe(self, copy):
        # It runs as long as its stdin is open.
        child = subprocess.Popen([self.worker, "probe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        child.stdin.write(json.dumps({"source": self.clip, "copy": copy}) + "\n")
        child.stdin.flush()
        said = child.stdout.read().splitlines()
        child.wait()
        return json.loads(said[-1])["plan"]

    def fresh(self, name):
        path = os.path.join(self.scratch, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    # --- the contenders ---

    def ours(self, plan=None, name="ours"):
        plan = plan or self.plan
        whole = [{"first": 0, "last": len(plan["boundaries_us"]) - 2}]
        audio = [{"name": f"audio{n}", "kind": "audio", "width": 0, "height": 0, "bitrate_kbps": AUDIO_KBPS,
                  "codec": "h264", "skipped": False} for n, _ in enumerate(plan["source"]["audio"])]
        task = {"source": self.clip, "output": self.fresh(name), "plan": plan, "images": False, "subtitles": False,
                "qualities": [{"quality": quality, "missing": whole} for quality in self.rungs + audio],
                "settings": {"preset": self.preset, "threads": CORES}}
        child = subprocess.Popen([self.worker, "encode"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        child.stdin.write(json.dumps(task) + "\n")
        child.stdin.flush()
        said = [json.loads(line) for line in child.stdout]
        if child.wait() != 0 or said[-1]["report"] != "done":
            sys.exit(f"our encoder failed: {said[-1:]}")

    def x264(self, rung, stream=""):
        suffix = f":{stream}" if stream else ""
        return [f"-c:v{suffix}", "libx264", f"-preset:v{suffix}", self.preset, f"-crf:v{suffix}", "23",
                f"-maxrate:v{suffix}", f"{rung['bitrate_kbps']}k", f"-bufsize:v{suffix}", f"{rung['bitrate_kbps'] * 2}k",
                f"-g:v{suffix}", "1048576", f"-forced-idr:v{suffix}", "1",
                f"-force_key_frames:v{suffix}", self.keyframes]

    HLS = ["-f", "hls", "-hls_segment_type", "fmp4", "-hls_playlist_type", "vod", "-hls_time", "6"]
    SOUND = ["-c:a", "aac", "-ac", "2", "-b:a", f"{AUDIO_KBPS}k"]

    def one_process_each(self):
        """(a) What other encoders do: every quality decodes the source again."""
        for rung in self.rungs:
            output = self.fresh(f"each-{rung['name']}")
            shell(["ffmpeg", "-v", "error", "-y", "-i", self.clip, "-map", "0:v:0", "-map", "0:a:0?",
                   "-vf", f"scale={rung['width']}:{rung['height']}:flags=bicubic,format=yuv420p", *self.x264(rung),
                   *self.SOUND, *self.HLS, "list.m3u8"], cwd=output)

    def one_command(self, program="ffmpeg", name="command"):
        """(b) The best single command: decode once, scale in a cascade, encode audio once."""
        output, count = self.fresh(name), len(self.rungs)
        graph, above = [], "0:v:0"
        for number, rung in enumerate(self.rungs):
            outs = f"[v{number}]" if number + 1 == count else f",split[v{number}][s{number}]"
            graph.append(f"[{above}]scale={rung['width']}:{rung['height']}:flags=bicubic,format=yuv420p{outs}")
            above = f"s{number}"
        maps, coding = [], []
        for number, rung in enumerate(self.rungs):
            maps += ["-map", f"[v{number}]"]
            coding += self.x264(rung, str(number))
        has_sound = bool(self.plan["source"]["audio"])
        streams = " ".join(f"v:{n}" + (",agroup:a" if has_sound else "") for n in range(count))
        sound = ["-map", "0:a:0", *self.SOUND] if has_sound else []
        streams += " a:0,agroup:a" if has_sound else ""
        shell([program, "-v", "error", "-y", "-i", self.clip, "-filter_complex", ";".join(graph), *maps, *coding,
               *sound, *self.HLS, "-var_stream_map", streams, "-master_pl_name", "master.m3u8", "v%v.m3u8"], cwd=output)

    def floor(self):
        """(c) CPU seconds that nobody can save: x264 on raw pictures, one thread each, and decode, scaling, sound."""
        raw = self.fresh("raw")
        self.raw_pictures(raw)
        total = 0.0
        for rung in self.rungs:
            path = os.path.join(raw, f"{rung['name']}.yuv")
            size, rate = f"{rung['width']}x{rung['height']}", str(self.plan["source"]["video"]["frame_rate"])
            raw_input = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", size, "-r", rate, "-i", path]
            coding = ["ffmpeg", "-v", "error", *raw_input, *self.x264(rung), "-threads", "1", "-f", "null", "-"]
            reading = ["ffmpeg", "-v", "error", *raw_input, "-f", "null", "-"]
            total += timed(lambda: shell(coding))["cpu"] - timed(lambda: shell(reading))["cpu"]
        total += timed(lambda: self.raw_pictures(None))["cpu"]
        if self.plan["source"]["audio"]:
            sound = ["ffmpeg", "-v", "error", "-i", self.clip, "-map", "0:a:0", *self.SOUND, "-f", "null", "-"]
            total += timed(lambda: shell(sound))["cpu"]
        return total

    def raw_pictures(self, directory):
        """Decodes and scales in a cascade, to raw files or to nothing."""
        graph, above, outputs = [], "0:v:0", []
        for number, rung in enumerate(self.rungs):
            last = number + 1 == len(self.rungs)
            outs = f"[v{number}]" if last else f",split[v{number}][s{number}]"
            graph.append(f"[{above}]scale={rung['width']}:{rung['height']}:flags=bicubic,format=yuv420p{outs}")
            above = f"s{number}"
            target = ["-f", "rawvideo", os.path.join(directory, f"{rung['name']}.yuv")] if directory else ["-f", "null", "-"]
            outputs += ["-map", f"[v{number}]", *target]
        shell(["ffmpeg", "-v", "error", "-y", "-threads", "1", "-i", self.clip, "-filter_complex", ";".join(graph), *outputs])

    # --- quality ---

    def psnr(self):
        """Average luma PSNR of each rung, ours and the single command's, against the cascaded source."""
        raw, table = self.fresh("raw"), {}
        self.raw_pictures(raw)
        for number, rung in enumerate(self.rungs):
            size, rate = f"{rung['width']}x{rung['height']}", str(self.plan["source"]["video"]["frame_rate"])
            reference = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", size, "-r", rate,
                         "-i", os.path.join(raw, f"{rung['name']}.yuv")]
            ours = os.path.join(self.scratch, "ours", rung["name"])
            joined = os.path.join(self.scratch, f"ours-{rung['name']}.mp4")
            with open(joined, "wb") as out:
                for part in ["init.mp4", *sorted(p for p in os.listdir(ours) if p.endswith(".m4s"))]:
                    out.write(open(os.path.join(ours, part), "rb").read())
            theirs = os.path.join(self.scratch, "command", f"v{number}.m3u8")
            table[rung["name"]] = [self.psnr_of(path, reference) for path in (joined, theirs)]
        return table

    def psnr_of(self, path, reference):
        graph = "[0:v:0]settb=1/1000,setpts=N[a];[1:v:0]settb=1/1000,setpts=N[b];[a][b]psnr"
        said = subprocess.run(["ffmpeg", "-v", "info", "-i", path, *reference, "-filter_complex", graph, "-f", "null", "-"],
                              capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stderr
        size = sum(os.path.getsize(os.path.join(d, f)) for d, f in self.files_of(path))
        return float(re.search(r"PSNR y:([\d.]+|inf)", said).group(1)), size

    @staticmethod
    def files_of(path):
        if path.endswith(".mp4"):
            return [(os.path.dirname(path), os.path.basename(path))]
        directory = os.path.dirname(path)
        return [(directory, line.strip()) for line in open(path) if line.strip().endswith(".m4s")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("worker")
    parser.add_argument("clip")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--preset", default="veryfast")
    parser.add_argument("--new-ffmpeg")
    parser.add_argument("--before")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--json")
    options = parser.parse_args()
    bench = Bench(options.worker, options.clip, options.preset, options.new_ffmpeg)
    contenders = {
        "ours": bench.ours,
        "one process each (a)": bench.one_process_each,
        "one command (b)": bench.one_command,
    }
    if options.new_ffmpeg:
        contenders["one command, newer ffmpeg (b')"] = lambda: bench.one_command(options.new_ffmpeg, "command-new")
    if options.before:
        before = Bench(options.before, options.clip, options.preset, None)
        contenders["before"] = lambda: before.ours(name="before")
    copied = bench.probe(copy=True)
    if copied["copy"]:
        contenders["ours, top rung copied"] = lambda: bench.ours(copied, "copied")
    if options.only:
        contenders = {name: run for name, run in contenders.items() if name == "ours" or name in options.only}

    rounds, dropped = [], 0
    try:
        while len(rounds) < options.pairs and dropped < 3 * options.pairs:
            order = random.sample(list(contenders), len(contenders))
            results = {name: timed(contenders[name]) for name in order}
            foreign = max(result["foreign"] / (result["wall"] * CORES) for result in results.values())
            disturbed = foreign > FOREIGN_SHARE
            dropped += disturbed
            state = f"dropped, other programs took {foreign:.1%} of the CPU" if disturbed else f"{len(rounds) + 1} of {options.pairs}"
            print(f"[{state}] " + "  ".join(f"{name} {results[name]['wall']:.1f} s" for name in contenders), flush=True)
            if not disturbed:
                rounds.append(results)
        if len(rounds) < 2:
            sys.exit("the machine is too busy for a measurement; try again when it is idle")
        report(bench, contenders, rounds, dropped, options)
    finally:
        shutil.rmtree(bench.scratch, ignore_errors=True)
        if options.before:
            shutil.rmtree(before.scratch, ignore_errors=True)


def report(bench, contenders, rounds, dropped, options):
    def spread(values):
        return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"

    floor = bench.floor() / CORES
    print(f"\n{os.path.basename(options.clip)}, {options.preset}, {CORES} cores, {len(rounds)} repetitions, {dropped} dropped")
    print(f"{'':34} {'wall s':>22} {'cores busy':>12} {'ours / this':>22}")
    table = {}
    for name in contenders:
        walls = [result[name]["wall"] for result in rounds]
        busy = [result[name]["cpu"] / result[name]["wall"] / CORES for result in rounds]
        ratios = [result["ours"]["wall"] / result[name]["wall"] for result in rounds]
        table[name] = {"wall": walls, "busy": busy, "ours_to_this": ratios}
        print(f"{name:34} {spread(walls):>22} {statistics.median(busy):>11.1%} {spread(ratios):>22}")
    ours = statistics.median(result["ours"]["wall"] for result in rounds)
    print(f"{'floor (c): x264, decode, scale, audio':34} {floor:>19.2f} {'':>12} {ours / floor:>22.2f}")
    if "ours, top rung copied" in contenders:
        ratios = [result["ours, top rung copied"]["wall"] / result["ours"]["wall"] for result in rounds]
        table["copied_to_encoded"] = ratios
        print(f"copied / encoded: {spread(ratios)}")
    quality = bench.psnr() if "one command (b)" in contenders else {}
    for rung, ((our_psnr, our_size), (their_psnr, their_size)) in quality.items():
        print(f"{rung:>6}: PSNR {our_psnr:.2f} dB and {our_size} bytes, (b) {their_psnr:.2f} dB and {their_size} bytes")
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"rounds": table, "floor": floor, "quality": quality}, out, indent=1)


if __name__ == "__main__":
    main()
