"""Secrets go, everything an investigation needs stays."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from superbizagent.domain._secret_rules import EXACT_HINTS, HINTS, RULES
from superbizagent.domain.alert import Alert
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.outputs import AlertList, ChangeList, encode
from superbizagent.domain.redaction import Redactor, redact_output
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.spans import SpanSet

REDACTOR = Redactor(b"installation key of the tests")

HEX = "0123456789abcdef"
WORDS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

FORMS = [
    "password={}",
    "passwd={} next=1",
    "DB_PASSWORD={}",
    "spring.datasource.password={}",
    "password: {}",
    "Password : {} ",
    'password="{}"',
    "mysqlPassword='{}'",
    '{{"password":"{}","user":"u"}}',
    '{{"password": "{}"}}',
    '"payload":"{{\\"password\\":\\"{}\\"}}"',
    "{{'api_key': '{}'}}",
    "passphrase => {}",
    "secret={}",
    "client_secret={}&grant=x",
    "/callback?access_token={}&state=1",
    "x-api-key: {}",
    "apiKey={};",
    "AccountName=a;AccountKey={};EndpointSuffix=core",
    "aws_secret_access_key = {}",
    "Server=h;Uid=u;Pwd={};",
    "--password {} --verbose",
    "--db-password='{}'",
    "curl --token {} https://api",
    "postgres://app:{}@db:5432/orders",
    "redis://:{}@cache:6379/0",
    "amqp+ssl://svc:{}@mq.internal/vhost",
    "jdbc:mysql://root:{}@10.0.0.7:3306/x?ssl=true",
    "root:{}@tcp(10.0.0.7:3306)/orders",
    "Authorization: Bearer {}",
    "Authorization: {}",
    'authorization="Basic {}"',
    "Proxy-Authorization: Digest username=x, response={}",
    "-H 'Authorization: token {}'",
    "Cookie: sid={}; theme=dark",
    "Set-Cookie: session={}; HttpOnly",
    "GRANT ALL TO x IDENTIFIED BY '{}'",
    "https://acc.blob.core.windows.net/c/f?sv=2020&sig={}",
]

TOKENS = [
    ("AKIA{}", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    ("ASIA{}", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    ("AIza{}", WORDS + "_-", 35),
    ("ya29.{}", WORDS, 40),
    ("LTAI{}", WORDS, 20),
    ("AKID{}", WORDS, 32),
    ("ghp_{}", WORDS, 36),
    ("sbz_{}", WORDS, 43),
    ("gho_{}", WORDS, 36),
    ("ghs_{}", WORDS, 36),
    ("ghu_{}", WORDS, 36),
    ("github_pat_{}", WORDS, 60),
    ("glpat-{}", WORDS, 20),
    ("xoxb-{}", WORDS, 40),
    ("sk_live_{}", WORDS, 24),
    ("rk_test_{}", WORDS, 24),
    ("sk-{}", WORDS, 48),
    ("SG.abcdefghijklmnopqrstuv.{}", WORDS, 43),
    ("hvs.{}", WORDS, 24),
    ("npm_{}", WORDS, 36),
    ("hf_{}", WORDS, 34),
    ("eyJhbGciOiJIUzI1NiJ9.{}.c2ln", WORDS, 40),
    ("https://hooks.slack.com/services/{}", WORDS, 30),
    ("https://{}@sentry.example/42", HEX, 32),
    ("sent bearer {}", WORDS, 40),
]

SURVIVORS = [
    "trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7",
    "request 6f1a2c7e-9d3b-4c55-8e21-0b9f2d7a4c11 took 12.5 ms",
    "deployed 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "image sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "pod order-service-7d9f8b6c5-x2x7z on ip-10-0-3-17.eu-west-1.compute.internal",
    "dial tcp 10.0.3.17:3306: connect: connection refused",
    "[fe80::1ff:fe23:4567:890a]:8080",
    "pool_active=50 pool_max=50 waiting_threads=23",
    "Access denied for user 'app'@'10.0.3.9' (using password: YES)",
    "Bearer authentication failed for basic profile",
    "invalid token: expired",
    "max_tokens=4096 total_tokens: 1200 token=42",
    "password_attempts=3 password_policy=strict tokenizer=bpe secretName=db",
    "PWD=/srv/app pwd=/root",
    "connect to mysql://db:3306/orders and https://grafana:3000/d/abc?from=now-1h",
    "git@github.com:acme/shop.git pushed by kim@example.com",
    "primary_key=17 routing_key=orders.created cache_key=user:42",
    "timezone Asia/Shanghai, msg.sent, task-runner-abcdefghijklmnopqrstuvwxyz",
    "java.lang.Object@1b6d3586 at com.acme.Pool.borrow(Pool.java:117)",
    "password=$DB_PASSWORD token=${API_TOKEN} secret={{ .Values.secret }} key=<*>",
    "password=*** passwd=xxxxxx token=null secret=",
    "数据库连接池耗尽：active=50，等待线程 23 个",
]


def secrets(
    alphabet: str = WORDS + "!%^*_+-.~", size: tuple[int, int] = (8, 40)
) -> st.SearchStrategy[str]:
    """Values with a digit, as real ones have, so that none is a word about a secret."""
    low, high = size
    body = st.text(alphabet, min_size=low, max_size=high)
    return body.map(lambda s: f"q{s}7z")


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=25, deadline=None)
@given(secret=secrets(), before=st.sampled_from(["", "12:00 INFO ", "连接失败 ", "{", '"a":1,']))
def test_a_secret_in_any_listed_form_is_gone(form: str, secret: str, before: str) -> None:
    text = before + form.format(secret)
    redacted = REDACTOR.text(text)
    assert secret not in redacted
    assert REDACTOR.text(redacted) == redacted


@pytest.mark.parametrize(("form", "alphabet", "size"), TOKENS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_token_that_shows_by_its_own_form_is_gone(
    form: str, alphabet: str, size: int, data: st.DataObject
) -> None:
    body = data.draw(st.text(alphabet, min_size=size, max_size=size))
    redacted = REDACTOR.text(f"calling upstream with {form.format(body)} now")
    assert body not in redacted
    assert redacted.endswith(" now")
    assert REDACTOR.text(redacted) == redacted


@pytest.mark.parametrize("text", SURVIVORS)
def test_what_an_investigation_needs_survives(text: str) -> None:
    assert REDACTOR.text(text) == text


@given(
    st.one_of(
        st.uuids().map(str),
        st.text(HEX, min_size=32, max_size=64),
        st.ip_addresses().map(str),
        st.floats(allow_nan=False).map(repr),
        st.integers().map(str),
        st.datetimes().map(lambda t: t.isoformat() + "Z"),
        st.from_regex(r"[a-z]{3,12}-[a-z0-9]{8,10}-[a-z0-9]{5}", fullmatch=True),
    ),
    st.sampled_from(["trace {} ended", "id={} status=500", '{{"trace_id":"{}"}}', "{}"]),
)
def test_ids_addresses_and_numbers_survive_anywhere(value: str, form: str) -> None:
    text = form.format(value)
    assert REDACTOR.text(text) == text


FRAGMENTS = [
    *("password", "token", "secret", "api_key", "cookie", "authorization", "bearer ", "basic "),
    *("=", ": ", ":", "'", '"', '\\"', "@", "://", "tcp(", "/", "?", "&", ",", ";", " ", "\n"),
    *("--", "user", "abc123XYZ", "q7" * 12, "$VAR", "<redacted:012abc>", "identified by ", "\\"),
    *("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "eyJhbGciOi.eyJz.x"),
]


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
@example("token: bearer abc12345678 password='x")
@example("a:b@tcp(dsn:c:d@tcp(")
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = REDACTOR.text(text)
    assert REDACTOR.text(once) == once


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text_comes_back_storable(text: str) -> None:
    redacted = REDACTOR.text(text)
    redacted.encode()
    assert "\x00" not in redacted


def test_nul_and_half_characters_are_replaced() -> None:
    assert REDACTOR.text("a\x00b\ud83dc") == "a\ufffdb\ufffd\ufffd\ufffdc"


def test_equal_secrets_read_equal_and_other_installations_read_other() -> None:
    first = REDACTOR.text("password=hunter2x1")
    assert REDACTOR.json({"db_password": "hunter2x1"})["db_password"] in first
    assert first != REDACTOR.text("password=hunter2x2")
    assert first != Redactor(b"another installation").text("password=hunter2x1")
    assert first == snapshot("password=<redacted:4450af>")


def test_a_private_key_block_goes_whole_even_when_its_end_is_cut_off() -> None:
    body = "\n".join("MIIEow" + "Ab3/" * 14 for _ in range(4))
    block = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----"
    for text in (block, block.replace("\n", "\\n"), block[:-40]):
        redacted = REDACTOR.text(f"loaded {text}\nnext line")
        assert "MIIEow" not in redacted
        assert redacted.startswith("loaded <redacted:")
        assert redacted.endswith("\nnext line")


def test_structures_are_read_by_key_as_well() -> None:
    value = {
        "db": {"password": "plain word", "port": 3306, "tokens": 5},
        "headers": [{"Authorization": "abc"}, {"Cookie": "a=b"}],
        "api_keys": ["one"],
        "api_key": ["one", "two"],
        "https://u:pw@h/": 1,
        "big": 2**70,
    }
    redacted = REDACTOR.json(value)
    assert redacted["db"]["password"].startswith("<redacted:")
    assert redacted["db"]["port"] == 3306
    assert redacted["headers"][0]["Authorization"].startswith("<redacted:")
    assert all(v.startswith("<redacted:") for v in redacted["api_key"])
    assert not any("pw" in key for key in redacted)
    assert redacted["big"] == float(2**70)
    assert REDACTOR.json(redacted) == redacted


def test_many_lines_are_the_same_as_one_by_one() -> None:
    lines = ["plain", "password=abc123xyz", "multi\nline token=abc123xyz", ""]
    assert REDACTOR.lines(lines) == [REDACTOR.text(line) for line in lines]
    assert REDACTOR.lines(lines[:1]) == lines[:1]


def test_labels_of_series_are_redacted_and_stay_in_order() -> None:
    times = np.array([0, 1000])
    rows = [
        ({"__name__": "up", "dsn": f"mysql://u:pw{k}@h/"}, times, np.array([k, k], float))
        for k in range(3)
    ]
    redacted = redact_output(SeriesSet.of(rows), REDACTOR)
    assert isinstance(redacted, SeriesSet)
    names = [str(series) for series in redacted]
    assert names == sorted(names)
    assert len(set(names)) == 3
    assert b"pw1" not in encode(redacted)


def test_words_of_spans_are_redacted_and_stay_in_order() -> None:
    asked = "GET /pay?api_key=sk_live_4eC39HqLyjWDarjtT1zdp7dc"
    spans = SpanSet(
        operations=("GET /a", asked, "POST /b"),
        errors=("password=hunter2secret",),
        peers=("db",),
        traces=("7f",),
        span_ids=("1", "2", "3"),
        trace=np.zeros(3, np.int32),
        operation=np.array([1, 2, 0], np.int32),
        error=np.array([0, -1, 0], np.int32),
        peer=np.array([-1, 0, -1], np.int32),
    )
    clean = redact_output(spans, REDACTOR)
    assert isinstance(clean, SpanSet)
    assert list(clean.operations) == sorted(clean.operations)
    said = [clean.operations[int(k)] for k in clean.operation]
    assert said[1:] == ["POST /b", "GET /a"]
    assert said[0].startswith("GET /pay?api_key=<redacted:")
    assert clean.errors[0].startswith("password=<redacted:")
    assert clean.error.tolist() == [0, -1, 0]
    assert (clean.peers, clean.peer.tolist()) == (("db",), [-1, 0, -1])
    assert redact_output(clean, REDACTOR) is clean


def test_an_output_without_secrets_is_the_same_object() -> None:
    series = SeriesSet.of([({"__name__": "up"}, np.array([0]), np.array([1.0]))])
    assert redact_output(series, REDACTOR) is series
    changes = ChangeList()
    assert redact_output(changes, REDACTOR) is changes


def test_other_outputs_are_redacted_as_structures() -> None:
    alert = Alert(labels={"alertname": "X", "api_token": "abc"}, annotations={"d": "pwd=s3cret9"})
    redacted = redact_output(AlertList(alerts=(alert,)), REDACTOR)
    text = canonical_bytes(redacted).decode()
    assert "abc" not in text
    assert "s3cret9" not in text


def test_every_rule_can_be_reached_by_a_hint() -> None:
    """A rule whose hints no line hint contains would never run."""
    every = (*HINTS, *(hint.lower() for hint in EXACT_HINTS))
    for rule in RULES:
        for hint in rule.hints:
            reached = any(e in hint or hint in e for e in every) or hint in {"://", "ghr_"}
            assert reached, (hint, rule.pattern.pattern)
