"""Logging in and out, other pages, limits, revocation, and the audit log, on a real service."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from serving import Service, events_of, serving

pytestmark = [pytest.mark.real_server, pytest.mark.slow]


def superbiz(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "superbizagent", *arguments]
    env = {"SUPERBIZ_DATA_DIR": str(data), "XDG_CONFIG_HOME": str(data), "TZ": "UTC", "PATH": ""}
    return subprocess.run(
        command, env=env, capture_output=True, text=True, check=False, cwd=data.parent
    )


def new_token(data: Path, name: str, scope: str, *more: str) -> str:
    done = superbiz(data, "token", "create", name, "--scope", scope, *more)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def service(data: Path) -> Generator[Service]:
    with serving(data, SUPERBIZ_LOG_LEVEL="info") as running:
        yield running


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def audit_of(service: Service, secret: str, **query: str) -> list[dict[str, Any]]:
    with service.client(headers=bearer(secret)) as client:
        answer = client.get("/api/audit", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]["entries"]


def test_a_login_is_a_cookie_that_no_script_reads_and_no_other_page_sends(
    service: Service, data: Path
) -> None:
    secret = new_token(data, "page", "admin")
    with service.client() as client:
        assert client.get("/api/audit").status_code == 401
        answer = client.post("/api/login", json={"token": secret})
        assert answer.status_code == 200, answer.text
        assert answer.json()["data"]["name"] == "page"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "Secure" not in cookie  # plain http on loopback: browsers would drop it
        assert secret not in answer.text + cookie
        assert client.get("/api/audit").status_code == 200
        clear: dict[str, Any] = {"json": {"Id": "nobody-1"}}
        for headers, status in (
            ({}, 403),
            ({"Origin": "https://elsewhere.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Sec-Fetch-Site": "same-site"}, 403),
            ({"Sec-Fetch-Site": "same-origin"}, 200),
            ({"Origin": service.url}, 200),
        ):
            answer = client.post("/api/chat/clear", headers=headers, **clear)
            assert (answer.status_code == 403) == (status == 403), (headers, answer.text)
        assert client.post("/api/logout").status_code == 200
        assert client.get("/api/audit").status_code == 401
        client.cookies.set("superbiz_login", cookie.partition("=")[2].partition(";")[0])
        assert client.get("/api/audit").status_code == 401, "the login itself is closed"


def test_the_cookie_is_kept_to_https_where_people_come_by_https(data: Path) -> None:
    secret = new_token(data, "page", "read")
    public = "https://oncall.example"
    with (
        serving(data, SUPERBIZ_SERVICE__PUBLIC_URL=public) as service,
        service.client() as client,
    ):
        answer = client.post(
            "/api/login",
            json={"token": secret},
            headers={"Host": "oncall.example", "Origin": public},
        )
        assert answer.status_code == 200, answer.text
        assert "; Secure" in answer.headers["set-cookie"]


def test_without_a_token_another_page_starts_nothing_either(service: Service) -> None:
    with service.client() as client:
        evil = {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
        assert client.post("/api/ai_ops", json={}, headers=evil).status_code == 403
        assert client.get("/healthz", headers={"Host": "evil.example"}).status_code == 400
        answer = client.options(
            "/api/audit", headers=evil | {"Access-Control-Request-Method": "GET"}
        )
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_logins_are_few_and_requests_are_bounded_by_caller(data: Path) -> None:
    secret, other = new_token(data, "one", "admin"), new_token(data, "two", "admin")
    limits = {
        "SUPERBIZ_SERVICE__REQUESTS_PER_MINUTE": "20",
        "SUPERBIZ_SERVICE__LOGINS_PER_MINUTE": "3",
    }
    with serving(data, **limits) as service, service.client() as client:
        tries = [client.post("/api/login", json={"token": f"sbz_{n}"}) for n in range(5)]
        assert [answer.status_code for answer in tries] == [401, 401, 401, 429, 429]
        assert 1 <= int(tries[-1].headers["retry-after"]) <= 60
        assert tries[-1].json()["data"]["error_code"] == "too_many_requests"
        seen = [client.get("/api/audit", headers=bearer(secret)).status_code for _ in range(25)]
        assert seen == [200] * 20 + [429] * 5
        assert client.get("/api/audit", headers=bearer(other)).status_code == 200
        wrong = [client.get("/api/audit", headers=bearer(f"x{n}")).status_code for n in range(25)]
        assert wrong[:20] == [401] * 20, "one address, whatever token it makes up"
        assert wrong[20:] == [429] * 5
        assert client.get("/healthz").status_code == 200


def test_revoking_and_expiring_take_effect_at_once(service: Service, data: Path) -> None:
    keeps = new_token(data, "keeps", "admin")
    short = new_token(data, "short", "admin", "--expires", "4s")
    with service.client() as client:
        assert client.post("/api/login", json={"token": keeps}).status_code == 200
        assert client.get("/api/audit").status_code == 200
        assert client.get("/api/audit", headers=bearer(keeps)).status_code == 200
        assert superbiz(data, "token", "revoke", "keeps").returncode == 0
        assert client.get("/api/audit").status_code == 401
        assert client.get("/api/audit", headers=bearer(keeps)).status_code == 401
        time.sleep(4)
        assert client.get("/api/audit", headers=bearer(short)).status_code == 401


def test_who_read_and_started_what_is_written_down_and_survives_a_kill(
    service: Service, data: Path
) -> None:
    secret = new_token(data, "admin", "admin")
    with service.client(headers=bearer(secret)) as client:
        client.get("/api/audit", headers={"X-Forwarded-For": "6.6.6.6"})
        client.post("/api/chat/clear", json={"Id": "nobody-1"})
        client.get("/api/audit", headers=bearer("wrong\x7f"[:5]) | {"X-Request-ID": "mine-7"})
    service.process.kill()  # at once: the change stands there all the same
    service.process.wait(10)
    listed = superbiz(data, "audit", "--json", "--since", "-1h")
    entries = [json.loads(line) for line in listed.stdout.splitlines()]
    actions = [entry["action"] for entry in entries]
    assert "clear_chat" in actions
    assert "token_created" in actions
    assert {e["client"] for e in entries if e["client"]} == {"127.0.0.1"}, "a header proves nothing"
    assert secret not in listed.stdout
    with serving(data) as again:
        with again.client() as client:
            client.get("/api/audit", headers={"X-Request-ID": "mine-7"})
        denied = audit_of(again, secret, action="denied")
        assert [(e["actor"], e["status"], e["request_id"]) for e in denied[:1]] == [
            ("unknown", 401, "mine-7")
        ]
        assert audit_of(again, secret, actor="nobody") == []
    wrong = superbiz(data, "audit", "--action", "steal")
    assert wrong.returncode == 2
    assert "take one of" in wrong.stderr


def test_reads_are_counted_together_and_a_proxy_is_believed_when_it_is_named(data: Path) -> None:
    secret = new_token(data, "admin", "admin")
    with serving(data, SUPERBIZ_SERVICE__TRUSTED_PROXIES='["127.0.0.1"]') as service:
        with service.client(headers=bearer(secret)) as client:
            for _ in range(5):
                client.get("/api/skills", headers={"X-Forwarded-For": "6.6.6.6, 203.0.113.9"})
        entries = audit_of(service, secret)
        assert {e["client"] for e in entries if e["client"]} <= {"203.0.113.9", "127.0.0.1"}
        assert service.stop() in (0, -15)
    lines = superbiz(data, "audit").stdout
    assert "read_audit" in lines


def test_no_secret_is_written_anywhere(service: Service, data: Path) -> None:
    secret = new_token(data, "quiet", "admin")
    wrong = "sbz_WRONGwrongWRONGwrongWRONG"
    with service.client() as client:
        client.post("/api/login", json={"token": wrong})
        cookie = client.post("/api/login", json={"token": secret}).cookies["superbiz_login"]
        client.get("/api/audit", headers=bearer(secret), params={"actor": secret})
        client.get("/api/audit", headers=bearer(wrong))
        client.get(f"/api/audit?token={wrong}&limit={wrong}", headers=bearer(secret))
        client.get("/nowhere/" + wrong)
        client.post("/api/ai_ops", content=b"{" + wrong.encode(), headers=bearer(secret))
        client.get("/healthz", headers={"Host": f"{wrong}.example"})
    service.stop()
    held = service.log.read_text()
    assert re.search(r"route=/api/login status=200", held)
    stored = b"".join(path.read_bytes() for path in data.iterdir() if path.is_file())
    for word in (secret, wrong, cookie):
        assert word not in held
        assert word.encode() not in stored


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "some-host.invalid"])  # noqa: S104 - refused
def test_it_listens_beyond_loopback_with_a_token_alone(data: Path, host: str) -> None:
    refused = superbiz(data, "serve", "--host", host, "--port", "0")
    assert refused.returncode == 2
    assert "there is no token; create one first: superbiz token create" in refused.stderr
    new_token(data, "was", "admin")
    superbiz(data, "token", "revoke", "was")
    assert superbiz(data, "serve", "--host", host, "--port", "0").returncode == 2, "not active"


@pytest.mark.parametrize("host", ["0.0.0.0", "::1", "localhost"])  # noqa: S104 - with a token
def test_where_it_may_listen_it_does(data: Path, host: str) -> None:
    secret = new_token(data, "is", "read")
    with serving(data, "--host", host) as service:
        port = service.url.rpartition(":")[2]
        there = {"0.0.0.0": "127.0.0.1", "::1": "[::1]"}.get(host, host)  # noqa: S104 - as above
        service.url = f"http://{there}:{port}"
        with service.client(headers=bearer(secret)) as client:
            assert client.get("/openapi.json").status_code == 200
            assert client.get("/api/audit").status_code == 403


def test_a_stream_ends_within_half_a_minute_once_its_token_is_revoked(
    service: Service, data: Path
) -> None:
    secret = new_token(data, "watcher", "diagnose")
    worker = service.worker_pid()
    os.kill(worker, signal.SIGSTOP)  # nothing ends the stream but us
    try:
        with (
            service.client(headers=bearer(secret)) as client,
            client.stream("POST", "/api/ai_ops", json={}) as response,
        ):
            assert response.status_code == 200
            superbiz(data, "token", "revoke", "watcher")
            began = time.monotonic()
            events = [data for _, _, data in events_of(response.iter_lines())]
            assert time.monotonic() - began < 30
            assert events[-1] == {
                "type": "error",
                "data": {"message": "the token is over", "hint": "resume with another one"},
            }
    finally:
        os.kill(worker, signal.SIGCONT)
