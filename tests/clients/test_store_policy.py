"""The key that docker/compose.farm.yaml gives the farm: enough for all that it does in its bucket, and for nothing else.
Started by scripts/clients."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import boto3
import pytest
import requests
from botocore.exceptions import ClientError
from tusclient.client import TusClient

from test_tuspy import MIB, source

POLICY = json.loads((Path(__file__).parents[2] / "docker" / "store-policy.json").read_text())
# For a list of objects to delete, moto asks whether the bucket may be deleted from, and stores whether each object may.
MOTO = {"Effect": "Allow", "Action": "s3:DeleteObject", "Resource": "arn:aws:s3:::framefarm"}
PASSWORD = "policy-password-of-some-length"
# Calls that the store takes before it looks at who makes them.
PREPARATIONS = 5


def until(found, process):
    for _ in range(300):
        assert process.poll() is None, "it ended early"
        if result := found():
            return result
        time.sleep(0.1)
    raise AssertionError("it did not start within 30 s")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def store():
    """An S3 server that obeys policies, and the farm's key to it."""
    port = free_port()
    command = [Path(sys.executable).with_name("moto_server"), "--host", "127.0.0.1", "--port", str(port)]
    environment = os.environ | {"INITIAL_NO_AUTH_ACTION_COUNT": str(PREPARATIONS)}
    server = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        until(lambda: answers(port), server)
        place = {"endpoint_url": f"http://127.0.0.1:{port}", "region_name": "us-east-1"}
        root = place | {"aws_access_key_id": "root", "aws_secret_access_key": "root"}
        for bucket in ["framefarm", "other"]:
            boto3.client("s3", **root).create_bucket(Bucket=bucket)
        users = boto3.client("iam", **root)
        users.create_user(UserName="framefarm")
        policy = json.dumps(POLICY | {"Statement": [*POLICY["Statement"], MOTO]})
        users.put_user_policy(UserName="framefarm", PolicyName="farm", PolicyDocument=policy)
        key = users.create_access_key(UserName="framefarm")["AccessKey"]
        yield place | {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def farm(store, tmp_path):
    """Its URL, and what it logs."""
    log = tmp_path / "log"
    environment = os.environ | {
        "FRAMEFARM_ADMIN_PASSWORD": PASSWORD,
        "FRAMEFARM_STORAGE_URL": "s3://framefarm/media",
        "AWS_ENDPOINT": store["endpoint_url"],
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": store["region_name"],
        "AWS_ACCESS_KEY_ID": store["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": store["aws_secret_access_key"],
    }
    command = [os.environ["FRAMEFARM_BIN"], "serve", "--no-worker", "--listen", "127.0.0.1:0"]
    with log.open("w") as output:
        server = subprocess.Popen(
            [*command, "--data-dir", tmp_path / "data"], env=environment, stdout=output, stderr=output
        )
    try:
        listening = until(lambda: re.search(r"listening on (http://127\.0\.0\.1:\d+)", log.read_text()), server)
        yield listening[1], log
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0, log.read_text()


def test_the_farm_needs_no_more_than_its_policy(farm):
    url, log = farm
    admin = requests.Session()
    admin.post(url + "/api/login", json={"password": PASSWORD}, timeout=30).raise_for_status()
    token = admin.post(url + "/api/tokens", json={"name": "policy", "scope": "admin"}, timeout=30).json()["token"]
    headers = {"Authorization": "Bearer " + token}
    # Larger than a part of the store, so that its parts are stored, listed and put together.
    file = source(12 * MIB)
    client = TusClient(url + "/api/uploads", headers=headers)
    client.uploader(file_stream=file, chunk_size=7 * MIB, metadata={"filename": "policy.mp4"}).upload()
    dropped = client.uploader(file_stream=source(12 * MIB), chunk_size=7 * MIB, metadata={"filename": "dropped.mp4"})
    dropped.upload_chunk()
    drop = requests.delete(dropped.url, headers=headers | {"Tus-Resumable": "1.0.0"}, timeout=30)
    assert drop.status_code == 204, drop.text

    (video,) = requests.get(url + "/api/videos", headers=headers, timeout=30).json()["items"]
    original = requests.get(f"{url}/api/videos/{video['id']}/source", headers=headers, timeout=60)
    assert original.content == file.getvalue()
    assert requests.delete(f"{url}/api/videos/{video['id']}", headers=headers, timeout=30).ok
    assert requests.get(url + "/readyz", timeout=30).ok
    assert not re.search(r"AccessDenied|Access Denied|403", log.read_text()), log.read_text()


def test_the_farms_key_opens_nothing_else(store):
    key = boto3.client("s3", **store)
    for refused in [
        lambda: key.list_buckets(),
        lambda: key.create_bucket(Bucket="more"),
        lambda: key.delete_bucket(Bucket="framefarm"),
        lambda: key.put_object(Bucket="other", Key="a", Body=b"a"),
        lambda: boto3.client("iam", **store).create_user(UserName="another"),
    ]:
        with pytest.raises(ClientError, match="AccessDenied|not authorized"):
            refused()
