"""What alerts look like to those who made the formats: Slack's own models, and the Python library of Standard Webhooks.

Started by scripts/clients, against a server that may reach this machine's own ports.
"""

import json
import os
import queue
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
from slack_sdk.models.blocks import Block
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

SERVER = os.environ["FRAMEFARM_URL"]
HEADERS = {"Authorization": "Bearer " + os.environ["FRAMEFARM_TOKEN"]}
# Whatever could call somebody, format something, or break a limit, as long as a name may be.
NASTY = "<!channel> <@U1> & *b* _i_ `c` [l](https://x.example) 東京 😀 ".ljust(100, "&")


def call(method, path, expect, **body):
    answer = requests.request(method, SERVER + path, headers=HEADERS, json=body or None, timeout=30)
    assert answer.status_code == expect, answer.text
    return answer.json() if answer.content else None


@pytest.fixture
def receiver():
    """A webhook on a port of its own; what it hears comes out of `heard`."""
    heard = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.put(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.heard = heard
    server.url = f"http://127.0.0.1:{server.server_port}/hook"
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def endpoint(receiver):
    """Makes endpoints of the receiver, which are gone afterwards."""
    made = []

    def make(kind, types=None):
        types = types or ["worker_startup", "worker_shutdown"]
        reply = call("POST", "/api/alerts/endpoints", 201, name=NASTY, url=receiver.url, kind=kind, alert_types=types)
        made.append(reply["endpoint"]["id"])
        return reply

    yield make
    for one in made:
        call("DELETE", f"/api/alerts/endpoints/{one}", 204)


def test(endpoint_id):
    return call("POST", f"/api/alerts/endpoints/{endpoint_id}/test", 200)


test.__test__ = False


def something_happens():
    """A worker with a nasty name comes and goes: two real alerts, unless one of the kind was told a moment ago."""
    secret = os.environ["FRAMEFARM_ADMIN_SECRET"]
    reply = requests.post(
        SERVER + "/api/worker/register", json={"name": NASTY}, headers={"X-Admin-Secret": secret}, timeout=10
    ).json()
    headers = {"Authorization": "Bearer " + reply["api_key"]}
    beat = {"boot_id": str(uuid.uuid1()), "status": "idle", "held": []}
    for stopping in (False, True):
        answer = requests.post(
            SERVER + "/api/worker/heartbeat", json=beat | {"stopping": stopping}, headers=headers, timeout=10
        )
        assert answer.status_code == 200, answer.text


def check_slack(body):
    message = json.loads(body)
    assert 0 < len(message["text"]) <= 4000 and "<" not in message["text"]
    assert 0 < len(message["blocks"]) <= 50
    for raw in message["blocks"]:
        block = Block.parse(raw)
        block.validate_json()
        # Nothing that we send is unknown to the models.
        assert json.loads(json.dumps(block.to_dict())) == raw
    return message


def test_slack_takes_a_test_message(receiver, endpoint):
    made = endpoint("slack")
    assert made["secret"] is None
    assert test(made["endpoint"]["id"])["delivery"]["status"] == "delivered"
    headers, body = receiver.heard.get(timeout=10)
    assert headers["content-type"] == "application/json" and "webhook-signature" not in headers
    check_slack(body)


def test_alerts_of_a_running_farm_fit_and_verify(receiver, endpoint):
    endpoint("slack")
    secret = endpoint("generic")["secret"]
    something_happens()
    slack, generic = [], []
    while len(slack) < 2 or len(generic) < 2:
        headers, body = receiver.heard.get(timeout=20)
        if "webhook-id" in headers:
            generic.append(Webhook(secret).verify(body, headers))
        else:
            slack.append(check_slack(body))
    assert [one["type"] for one in generic] == ["alert.worker_startup", "alert.worker_shutdown"]
    assert all(one["data"]["title"] for one in generic)


def test_signatures_verify_and_forgeries_do_not(receiver, endpoint):
    made = endpoint("generic")
    test(made["endpoint"]["id"])
    headers, body = receiver.heard.get(timeout=10)
    message = Webhook(made["secret"]).verify(body, headers)
    assert message["type"] == "alert.test" and message["data"]["state"] == "test"
    with pytest.raises(WebhookVerificationError):
        Webhook(made["secret"]).verify(body + b" ", headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(made["secret"]).verify(body, headers | {"webhook-id": "msg_other"})

    rotated = call("POST", f"/api/alerts/endpoints/{made['endpoint']['id']}/rotate-secret", 200)
    test(made["endpoint"]["id"])
    headers, body = receiver.heard.get(timeout=10)
    for secret in (made["secret"], rotated["secret"]):
        Webhook(secret).verify(body, headers)
