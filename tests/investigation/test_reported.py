"""Whether a question says that something is wrong."""

import pytest

from superbizagent.investigation.hypotheses.reported import reports_symptom


@pytest.mark.parametrize(
    "question",
    [
        "checkout is slow",
        "why is checkout pending?",
        "orders returns 503 since noon",
        "Is the latency too high?",
        "what is wrong with payments",
        "something is wrong with payments",
        "root cause of the incident",
        "checkout timed out",
        "web is down",
        "订单服务很慢",
        "支付接口报错",
        "为什么下单失败",
        "网关超时了",
        "服务异常，请排查",
        "数据库连接数过高",
        "页面打不开",
    ],
)
def test_a_symptom_is_heard(question: str) -> None:
    assert reports_symptom(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "is all well?",
        "Is checkout healthy?",
        "how is production doing",
        "is anything wrong with checkout?",
        "any problems right now?",
        "check payments before the release",
        "现在一切正常吗？",
        "订单服务健康吗",
        "有没有异常？",
        "支付服务是否有问题",
    ],
)
def test_a_question_whether_all_is_well_is_no_symptom(question: str) -> None:
    assert not reports_symptom(question)
