"""tuspy, the Python tus client, against a running server. Started by scripts/clients."""

import base64
import hashlib
import io
import os

import pytest
import requests
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError

MIB = 1024 * 1024
UPLOADS = os.environ["FRAMEFARM_URL"] + "/api/uploads"
HEADERS = {"Authorization": "Bearer " + os.environ["FRAMEFARM_TOKEN"]}
TUS = HEADERS | {"Tus-Resumable": "1.0.0"}


def source(size):
    """Bytes that open like an MP4 and are never the same twice."""
    ftyp = b"\0\0\0\x14ftypisom\0\0\x02\0isom"
    mdat = (size - len(ftyp)).to_bytes(4, "big") + b"mdat"
    return io.BytesIO((ftyp + mdat + os.urandom(size))[:size])


@pytest.fixture
def client():
    return TusClient(UPLOADS, headers=HEADERS)


def offset(url):
    answer = requests.head(url, headers=TUS, timeout=10)
    assert answer.status_code in (200, 204)
    return int(answer.headers["Upload-Offset"])


def test_chunks(client):
    uploader = client.uploader(
        file_stream=source(5 * MIB), chunk_size=MIB, metadata={"filename": "chunks.mp4", "title": "Chunks – 東京"}
    )
    uploader.upload()
    assert uploader.offset == 5 * MIB


def test_resume(client):
    stream = source(6 * MIB)
    first = client.uploader(file_stream=stream, chunk_size=MIB, metadata={"filename": "resume.mp4"})
    first.upload(stop_at=2 * MIB)
    assert offset(first.url) == 2 * MIB

    second = client.uploader(file_stream=stream, url=first.url, chunk_size=MIB)
    assert second.offset == 2 * MIB, "a fresh uploader asks the server where it is"
    second.upload()
    assert second.offset == 6 * MIB


def test_without_metadata(client):
    """tuspy then sends an empty Upload-Metadata header, which must not be refused."""
    uploader = client.uploader(file_stream=source(MIB))
    uploader.upload()
    assert uploader.offset == MIB


def test_checksum(client):
    assert "sha1" in requests.options(UPLOADS, headers=HEADERS, timeout=10).headers["Tus-Checksum-Algorithm"]
    uploader = client.uploader(file_stream=source(3 * MIB), chunk_size=MIB, upload_checksum=True)
    uploader.upload()
    assert uploader.offset == 3 * MIB


def test_wrong_checksum_changes_nothing(client):
    uploader = client.uploader(file_stream=source(2 * MIB), chunk_size=MIB)
    uploader.upload(stop_at=MIB)
    wrong = base64.b64encode(hashlib.sha1(b"something else").digest()).decode()
    answer = requests.patch(
        uploader.url,
        data=b"\0" * MIB,
        headers=TUS
        | {
            "Upload-Offset": str(MIB),
            "Upload-Checksum": "sha1 " + wrong,
            "Content-Type": "application/offset+octet-stream",
        },
        timeout=10,
    )
    assert answer.status_code == 460
    assert offset(uploader.url) == MIB


def test_wrong_token():
    stranger = TusClient(UPLOADS, headers={"Authorization": "Bearer wrong"})
    with pytest.raises(TusCommunicationError) as refused:
        stranger.uploader(file_stream=source(MIB)).upload()
    assert refused.value.status_code == 401
