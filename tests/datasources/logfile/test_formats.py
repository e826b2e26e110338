"""Each usual log format becomes records: time, severity, message, service, trace."""

import gzip
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import orjson
import pytest

if TYPE_CHECKING:
    from datasources.conftest import ReadLog

EIGHT = timezone(timedelta(hours=8))

HEADERS = [
    ("2026-03-01T12:00:01Z ERROR pool exhausted", "error", "pool exhausted"),
    ("2026-03-01T12:00:01Z [main] WARN c.a.Order - slow", "warn", "slow"),
    ("2026-03-01T12:00:01.123Z  INFO 1 --- [exec-1] c.a.Order : done", "info", "done"),
    (
        "2026-03-01T12:00:01Z [error] 31#31: *5 connect() refused",
        "error",
        "31#31: *5 connect() refused",
    ),
    ("2026-03-01T12:00:01Z error: disk full", "error", "disk full"),
    ("2026-03-01T12:00:01Z error connecting to db", "warn", "error connecting to db"),
    ("2026-03-01T12:00:01Z all is well", "unknown", "all is well"),
    ("2026-03-01T12:00:01Z connection timed out", "warn", "connection timed out"),
    ("2026-03-01T12:00:01Z retrying in 5 s", "info", "retrying in 5 s"),
    ("2026-03-01T12:00:01Z 用户登录失败", "warn", "用户登录失败"),
    ("2026-03-01T12:00:01Z FATAL cannot bind", "fatal", "cannot bind"),
    ("2026-03-01T12:00:01Z 0 [Warning] Aborted connection 5", "warn", "Aborted connection 5"),
    ("2026-03-01T12:00:01Z GET /orders 200", "unknown", "GET /orders 200"),
    ("2026-03-01T12:00:01Z stderr F panic: nil map", "fatal", "nil map"),
    ("ERROR 2026-03-01T12:00:01Z disk full", "error", "disk full"),
    ("<11>2026-03-01T12:00:01Z host app: x", "error", "host app: x"),
    ("order-1  | 2026-03-01T12:00:01Z DEBUG hi", "debug", "hi"),
    (
        "User bob logged in at 2026-03-01T12:00:01Z from home",
        "unknown",
        "User bob logged in at from home",
    ),
    (
        '10.0.0.1 - bob [01/Mar/2026:12:00:01 +0000] "GET /x HTTP/1.1" 503 12',
        "error",
        '"GET /x HTTP/1.1" 503 12',
    ),
    (
        '10.0.0.1 - - [01/Mar/2026:12:00:01 +0000] "GET /x HTTP/1.1" 200 12',
        "info",
        '"GET /x HTTP/1.1" 200 12',
    ),
]


@pytest.mark.parametrize(("line", "level", "body"), HEADERS, ids=[h[0][:40] for h in HEADERS])
def test_the_header_comes_off(read_log: "ReadLog", line: str, level: str, body: str) -> None:
    found = read_log([line])
    assert [str(at)[:19] for at in found.times] == ["2026-03-01T12:00:01"]
    assert found.bodies == [body]
    assert found.levels == [level]
    assert found.frame["line"].to_list() == [line]


@pytest.mark.parametrize(
    ("line", "level", "body"),
    [
        ("Mar  1 12:00:01 web1 sshd[12]: Failed password", "warn", "Failed password"),
        ("E0301 12:00:01.789012 12 main.go:15] broken", "error", "broken"),
        ("03-01 12:00:01.811  1702  2395 W Window: x", "warn", "Window: x"),
        ("[03.01 12:00:01] opened", "unknown", "opened"),
        ("12:00:01.964 INFO started", "info", "started"),
    ],
)
def test_a_missing_year_or_date_is_that_of_the_question(
    read_log: "ReadLog", line: str, level: str, body: str
) -> None:
    found = read_log([line], log_tz=UTC)
    assert found.times[0] is not None
    assert found.times[0].startswith("2026-03-01T12:00:01")
    assert (found.levels, found.bodies) == ([level], [body])


def test_json_lines_are_read(read_log: "ReadLog") -> None:
    records = [
        {"time": "2026-03-01T12:00:01Z", "level": "ERROR", "msg": "pool exhausted", "active": 50},
        {"ts": 1772366402.5, "level": 30, "message": "done", "trace_id": "0af7651916cd43dd"},
        {"@timestamp": "2026-03-01T12:00:03+08:00", "severity": "warn", "event": "far"},
        {"time": "2026-03-01T12:00:04Z", "level": 50, "msg": "boom", "stack": "Error: x\n  at y"},
        {
            "time": "2026-03-01T12:00:05Z",
            "msg": "in payment",
            "service": "payment",
            "deep": {"a": 1},
        },
    ]
    found = read_log(orjson.dumps(r).decode() for r in records)
    assert found.times == [
        "2026-03-01T12:00:01Z",
        "2026-03-01T12:00:02.500000Z",
        "2026-03-01T12:00:04Z",
        "2026-03-01T12:00:05Z",
    ]
    assert found.bodies == [
        "pool exhausted active=50",
        "done",
        "boom\nError: x\n  at y",
        'in payment deep={"a": 1}',
    ]
    assert found.levels == ["error", "info", "error", "unknown"]
    assert found.frame["service"].to_list() == ["order", "order", "order", "payment"]
    assert found.frame["trace_id"].to_list() == [None, "0af7651916cd43dd", None, None]


def test_lines_that_are_no_json_among_json_are_text(read_log: "ReadLog") -> None:
    good = '{"time":"2026-03-01T12:00:01Z","level":"info","msg":"a"}'
    lines = ["starting up", good, '{"time": "2026-03-01T12:00:01Z", "msg": "torn', good, "", good]
    found = read_log(lines)
    assert found.bodies[1] == "a"
    assert len(found.bodies) == 5
    assert found.bodies[0] == "starting up"
    assert found.frame["offset"].to_list() == sorted(found.frame["offset"].to_list())


@pytest.mark.parametrize(
    ("record", "level", "body", "service"),
    [
        (
            {
                "@timestamp": "2026-03-01T12:00:01Z",
                "log": {"level": "error", "logger": "a.b"},
                "message": "boom",
                "service": {"name": "cart", "version": "1"},
                "event": {"dataset": "x"},
            },
            "error",
            'boom log={"level": "error", "logger": "a.b"} event={"dataset": "x"}',
            "cart",
        ),
        (
            {"@t": "2026-03-01T12:00:01Z", "@l": "Error", "@mt": "boom {Id}", "Id": 5},
            "error",
            "boom {Id} Id=5",
            "order",
        ),
        (
            {"Timestamp": "2026-03-01T12:00:01Z", "SeverityText": "WARN", "Body": "slow"},
            "warn",
            "slow",
            "order",
        ),
        (
            {"T": "2026-03-01T12:00:01Z", "L": "INFO", "M": "up", "N": "main", "t": "x"},
            "info",
            "up",
            "order",
        ),
        (
            {"asctime": "2026-03-01 12:00:01,500", "levelname": "CRITICAL", "message": "down"},
            "fatal",
            "down",
            "order",
        ),
    ],
    ids=["ecs", "serilog", "opentelemetry", "zap", "python"],
)
def test_json_of_well_known_loggers_is_read(
    read_log: "ReadLog", record: dict[str, object], level: str, body: str, service: str
) -> None:
    found = read_log([orjson.dumps(record).decode()] * 2, log_tz=UTC)
    assert found.levels == [level] * 2
    assert found.bodies == [body] * 2
    assert found.frame["service"].to_list() == [service] * 2
    assert [str(at)[:19] for at in found.times] == ["2026-03-01T12:00:01"] * 2


@pytest.mark.parametrize(
    "odd",
    ["{no json}", '{"time": 5,}', "{} {}", '{"a": NaN}', '{"msg": "\\ud800"}', "[1, 2]", '"text"'],
)
def test_json_lines_with_a_damaged_one_among_them_are_all_read(
    read_log: "ReadLog", odd: str
) -> None:
    good = '{"time":"2026-03-01T12:00:0%dZ","level":"error","msg":"m%d","n":%d,"flag":true}'
    lines = [*(good % (k, k, k) for k in range(4)), odd, *(good % (k, k, k) for k in range(4, 8))]
    found = read_log(lines)
    bodies = [b for b in found.bodies if b.startswith("m")]
    assert bodies == [f"m{k} n={k} flag=true" for k in range(8)]
    assert len(found.frame) == 9
    assert set(found.levels[:4]) == {"error"}


PANIC = [
    "panic: runtime error: invalid memory address",
    "[signal SIGSEGV: segmentation violation]",
    "",
    "goroutine 1 [running]:",
    "main.f(0x0)",
    "\t/app/main.go:12 +0x1d",
]


def test_a_panic_among_json_lines_is_one_record_at_the_time_before(read_log: "ReadLog") -> None:
    good = [
        orjson.dumps({"time": f"2026-03-01T12:00:0{k}Z", "msg": f"m{k}"}).decode() for k in range(8)
    ]
    found = read_log([*good * 3, *PANIC, good[7], "2026-03-01T12:00:09Z plain", "2026-03-01 late"])
    assert found.bodies[24:] == [
        "\n".join(PANIC).removeprefix("panic: "),
        "m7",
        "plain\n2026-03-01 late",
    ]
    assert found.levels[24] == "fatal"
    assert found.times[24:] == [
        "2026-03-01T12:00:07Z",
        "2026-03-01T12:00:07Z",
        "2026-03-01T12:00:09Z",
    ]


def test_many_plain_lines_among_json_stay_apart(read_log: "ReadLog") -> None:
    good = '{"time":"2026-03-01T12:00:01Z","msg":"m"}'
    found = read_log([good, "own print", "another"] * 2 + [good] * 4)
    assert found.bodies == ["m", "own print", "another"] * 2 + ["m"] * 4


def test_numeric_levels_follow_pino_and_syslog(read_log: "ReadLog") -> None:
    levels = [10, 20, 30, 40, 50, 60, 0, 3, 4, 6, 7]
    found = read_log(
        orjson.dumps({"time": "2026-03-01T12:00:01Z", "level": n, "msg": "x"}).decode()
        for n in levels
    )
    assert " ".join(found.levels) == (
        "trace debug info warn error fatal fatal error warn info debug"
    )


def test_a_service_inside_json_narrows_the_search(read_log: "ReadLog") -> None:
    lines = [
        orjson.dumps({"time": "2026-03-01T12:00:01Z", "msg": m, "service": s}).decode()
        for m, s in (("a", "cart"), ("b", "stock"))
    ]
    assert read_log(lines, services=("stock",)).bodies == ["b"]
    assert read_log(lines, services=("nobody",)).bodies == []


def test_docker_json_holds_whole_lines(read_log: "ReadLog") -> None:
    inner = "2026-03-01 12:00:01,000 ERROR [main] boom\n"
    line = orjson.dumps({"log": inner, "stream": "stderr", "time": "2026-03-01T12:00:01.5Z"})
    found = read_log([line.decode()] * 3)
    assert found.bodies == ["boom"] * 3
    assert found.levels == ["error"] * 3
    assert found.times[0] == "2026-03-01T12:00:01.500000Z"


def test_json_behind_a_container_header_is_read(read_log: "ReadLog") -> None:
    line = '2026-03-01T12:00:01.5Z stdout F {"level":"error","msg":"boom","n":5}'
    found = read_log([line] * 3 + ["2026-03-01T12:00:02Z stdout F plain text"])
    assert found.bodies == ["boom n=5"] * 3 + ["plain text"]
    assert found.levels == ["error"] * 3 + ["unknown"]


def test_logfmt_is_read(read_log: "ReadLog") -> None:
    lines = [
        'time=2026-03-01T12:00:01Z level=warn msg="slow \\"query\\"" took=5ms user=bob',
        "ts=1772366402.25 lvl=error msg=boom trace_id=0af7651916cd43dd",
        'level=info msg="no time" n=1',
    ]
    found = read_log(lines)
    assert found.times == [
        "2026-03-01T12:00:01Z",
        "2026-03-01T12:00:02.250000Z",
        "2026-03-01T12:00:02.250000Z",
    ]
    assert found.bodies == ['slow "query" took=5ms user=bob', "boom", "no time n=1"]
    assert found.levels == ["warn", "error", "info"]
    assert found.frame["trace_id"].to_list()[1] == "0af7651916cd43dd"
    assert found.file.undated_lines == 1


JAVA = [
    "2026-03-01T12:00:01Z ERROR boom",
    "java.lang.IllegalStateException: pool exhausted",
    "\tat com.acme.Pool.take(Pool.java:12)",
    "\tat com.acme.Order.create(Order.java:99) [2026-03-01 11:00:00]",
    "Caused by: java.io.IOException: refused",
    "\t... 12 more",
    "2026-03-01T12:00:02Z INFO next",
]
PYTHON = [
    "2026-03-01T12:00:01Z ERROR boom",
    "Traceback (most recent call last):",
    '  File "a.py", line 1, in <module>',
    "    f()",
    "",
    "KeyError: 'discount_code'",
    "2026-03-01T12:00:02Z INFO next",
]


@pytest.mark.parametrize("lines", [JAVA, PYTHON], ids=["java", "python"])
def test_a_stack_trace_is_one_record(read_log: "ReadLog", lines: list[str]) -> None:
    found = read_log(lines * 5)
    assert len(found.frame) == 10
    assert found.bodies[0] == "\n".join(["boom", *lines[1:-1]])
    assert found.frame["line"][0] == "\n".join(lines[:-1])
    assert found.bodies[1] == "next"
    assert found.levels[0] == "error"


def test_a_record_is_not_cut_between_blocks(read_log: "ReadLog") -> None:
    lines = [line for _ in range(400) for line in JAVA]
    whole = read_log(lines)
    cut = read_log(lines, block_bytes=2000)
    assert len(cut.chunks) > 10
    assert cut.frame.equals(whole.frame)


def test_lines_like_dated_ones_are_records_though_their_stamp_is_unknown(
    read_log: "ReadLog",
) -> None:
    lines = ["20260301-12:00:01:606|Step|a", "20260301-007:20,444|Step|b", "\tat x.y"]
    found = read_log(lines * 3, log_tz=UTC)
    assert found.times == ["2026-03-01T12:00:01.606000Z"] * 6
    assert found.bodies[1] == "20260301-007:20,444|Step|b\n\tat x.y"
    assert found.file.undated_lines == 3


def test_the_time_of_the_line_before_holds_across_blocks(read_log: "ReadLog") -> None:
    lines = ["2026-03-01T12:00:01Z INFO first", *(f"print {k}" for k in range(500))]
    found = read_log(lines, block_bytes=600)
    assert len(found.chunks) > 5
    assert set(found.times) == {"2026-03-01T12:00:01Z"}


def test_lines_between_dated_ones_stay_apart_where_few_are_dated(read_log: "ReadLog") -> None:
    lines = ["2026-03-01T12:00:01Z INFO from the library", *(f"own print {k}" for k in range(5))]
    found = read_log(lines * 4)
    assert len(found.frame) == 24
    assert set(found.times) == {"2026-03-01T12:00:01Z"}
    assert found.file.undated_lines == 20


def test_a_log_without_times_is_whole_and_undated(read_log: "ReadLog") -> None:
    found = read_log(["starting", "ERROR: cannot bind", "bye"])
    assert found.times == [None, None, None]
    assert found.levels[1] == "error"
    assert found.file.undated_lines == 3


SLOW = """/usr/sbin/mariadbd, Version: 10.11. started with:
Tcp port: 3306  Unix socket: /run/mysqld.sock
Time\t\t    Id Command\tArgument
# Time: 260301 20:00:01
# User@Host: app[app] @ localhost []
# Thread_id: 10  Schema: orders  QC_hit: No
# Query_time: 3.000195  Lock_time: 0.000012  Rows_sent: 1  Rows_examined: 1
SET timestamp=1772366401;
SELECT * FROM orders
WHERE id = 1;
# User@Host: app[app] @ localhost []
# Thread_id: 11  Schema: orders  QC_hit: No
# Query_time: 2.5  Lock_time: 2.4  Rows_sent: 1  Rows_examined: 1
SET timestamp=1772366401;
UPDATE orders SET a = 1;
# Time: 260301 20:00:05
# User@Host: app[app] @ localhost []
# Query_time: 1.5  Lock_time: 0  Rows_sent: 1  Rows_examined: 1
SELECT 1;
"""


def test_a_slow_query_log_has_one_record_for_each_statement(read_log: "ReadLog") -> None:
    found = read_log(SLOW, log_tz=EIGHT)
    assert [t for t in found.times if t] == [
        "2026-03-01T12:00:01Z",
        "2026-03-01T12:00:01Z",
        "2026-03-01T12:00:05Z",
    ]
    own_times_only = "\n".join(SLOW.split("\n")[:15]) + "\n"
    assert read_log(own_times_only).file.timezone == ""
    statements = [b for b in found.bodies if "Query_time" in b]
    assert statements[0].endswith("SELECT * FROM orders\nWHERE id = 1;")
    assert "Query_time: 3.000195" in statements[0]
    assert "UPDATE orders" in statements[1]
    assert not statements[2].startswith("# Time")


def test_the_error_log_of_mariadb_is_read(read_log: "ReadLog") -> None:
    lines = [
        "2026-03-01 12:00:01 0 [Note] mariadbd: ready for connections.",
        "2026-03-01 12:00:02 8 [Warning] Aborted connection 8 to db: 'orders'",
        "2026-03-01 12:00:03 0 [ERROR] Too many connections",
    ]
    found = read_log(lines, log_tz=UTC)
    assert found.levels == ["info", "warn", "error"]
    assert found.bodies[2] == "Too many connections"


def test_several_formats_in_one_file_are_read_each(read_log: "ReadLog") -> None:
    lines = [
        "2026-03-01T12:00:01Z INFO a",
        "2026/03/01 12:00:02 [warn] b",
        "1772366403 ERROR c",
        "[Sun Mar  1 12:00:04 2026] [error] d",
    ]
    found = read_log(lines * 3, log_tz=UTC)
    assert found.bodies == ["a", "b", "c", "d"] * 3
    assert [t[-3:-1] for t in found.times if t] == ["01", "02", "03", "04"] * 3
    assert found.levels == ["info", "warn", "error", "error"] * 3


def test_colours_and_carriage_returns_are_taken_out(read_log: "ReadLog") -> None:
    text = "\x1b[32m2026-03-01T12:00:01Z\x1b[0m \x1b[31mERROR\x1b[0m bo\x1b[1mom\x1b[0m\r\n"
    found = read_log(text * 2)
    assert found.bodies == ["boom", "boom"]
    assert found.levels == ["error", "error"]
    assert found.frame["offset"].to_list() == [0, len(text.encode())]


def test_chinese_is_read_in_utf8_and_in_gb18030(read_log: "ReadLog") -> None:
    text = "2026-03-01T12:00:01Z ERROR 用户 张三 登录失败，原因：密码错误\n"
    for data in (text.encode(), text.encode("gb18030")):
        found = read_log(data * 3)
        assert found.bodies == ["用户 张三 登录失败，原因：密码错误"] * 3
        assert found.frame["offset"].to_list() == [0, len(data), 2 * len(data)]


def test_bad_bytes_are_replaced_and_noted(read_log: "ReadLog") -> None:
    line = b"2026-03-01T12:00:01Z ERROR caf\xe9 \xff gone\n"
    found = read_log(line + b"2026-03-01T12:00:02Z INFO ok\n")
    assert found.bodies == ["caf\ufffd \ufffd gone", "ok"]
    assert found.frame["offset"].to_list() == [0, len(line)]
    assert found.file.notes == ("bytes that are no text were replaced",)


def test_other_line_ends_of_unicode_do_not_end_a_line(read_log: "ReadLog") -> None:
    found = read_log("2026-03-01T12:00:01Z INFO a\u2028b\x0bc\x0cd\x85e\n")
    assert found.bodies == ["a\u2028b\x0bc\x0cd\x85e"]


def test_the_last_line_needs_no_line_end(read_log: "ReadLog") -> None:
    assert read_log("2026-03-01T12:00:01Z INFO a\n2026-03-01T12:00:02Z INFO b").bodies == ["a", "b"]


def test_trace_ids_are_found_in_text(read_log: "ReadLog") -> None:
    lines = [
        "2026-03-01T12:00:01Z INFO TraceID: 0af7651916cd43dd8448eb211c80319c x",
        'INFO 2026-03-01T12:00:01Z "trace_id":"0af7651916cd43dd" x',
        "2026-03-01T12:00:01Z INFO no trace",
    ]
    found = read_log(lines)
    assert found.frame["trace_id"].to_list() == [
        "0af7651916cd43dd8448eb211c80319c",
        "0af7651916cd43dd",
        None,
    ]


def test_long_messages_keep_their_head(read_log: "ReadLog") -> None:
    found = read_log("2026-03-01T12:00:01Z INFO " + "x" * 50_000 + "\n")
    assert len(found.bodies[0]) <= 4096
    assert len(found.frame["line"][0]) <= 16_384


def test_packed_files_of_several_members_are_one(read_log: "ReadLog") -> None:
    parts = [f"2026-03-01T12:00:0{k}Z INFO {k}\n".encode() for k in range(3)]
    data = b"".join(gzip.compress(p) for p in parts)
    assert read_log(data, name="order.log.2.gz").bodies == ["0", "1", "2"]


def test_the_zone_is_inferred_from_the_question(read_log: "ReadLog") -> None:
    start = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
    lines = [
        f"{start + timedelta(seconds=10 * k):%Y-%m-%d %H:%M:%S} INFO request {k}"
        for k in range(360)
    ]
    found = read_log(lines, modified=datetime(2027, 1, 1, tzinfo=UTC))
    assert found.file.timezone == "+08:00"
    assert "span asked about" in found.file.timezone_reason
    assert found.times[0] == "2026-03-01T12:00:00Z"
    assert len(found.frame) == 360


def test_a_span_that_stems_from_the_lines_is_no_reason_for_their_zone(
    read_log: "ReadLog",
) -> None:
    start = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    lines = [f"{start + timedelta(seconds=10 * k):%Y-%m-%d %H:%M:%S} INFO {k}" for k in range(360)]
    found = read_log(lines, modified=datetime(2027, 1, 1, tzinfo=UTC))
    assert found.file.timezone == "+00:00"
    assert found.file.timezone_reason == "nothing tells the zone; taken as UTC"


def test_an_ambiguous_zone_is_asked_for(read_log: "ReadLog") -> None:
    start = datetime(2026, 2, 27, tzinfo=UTC)
    lines = [f"{start + timedelta(minutes=5 * k):%Y-%m-%d %H:%M:%S} INFO {k}" for k in range(2000)]
    found = read_log(lines, modified=datetime(2027, 1, 1, tzinfo=UTC))
    assert "pass --log-tz" in found.file.timezone_reason
    told = read_log(lines, log_tz=EIGHT, modified=datetime(2027, 1, 1, tzinfo=UTC))
    assert told.file.notes == ()
    assert told.file.timezone == "+08:00"
