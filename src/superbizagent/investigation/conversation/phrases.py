"""What people say, one table a language: a phrase and what it asks for.

A phrase is compared with a whole turn, lower case and without its filler and punctuation.
``<name>`` takes a name, ``<cite>`` a citation, ``<time>`` a time that was read before;
``[…]`` may be absent, ``(a/b)``, in English ``a/b``, is either word. The first phrase that fits
decides.
"""

# ruff: noqa: E501 - phrases stand side by side, as they are compared

from collections.abc import Mapping, Sequence

from superbizagent.domain.incident import Language
from superbizagent.investigation.conversation.turn import TurnKind

__all__ = ["FILLER", "INSTRUCTIONS", "PHRASES", "PRONOUNS", "SYMPTOMS", "TESTED_NAMES"]

_EN: Mapping[TurnKind, Sequence[str]] = {
    TurnKind.EXPLAIN: (
        "[please] explain/show [me] <cite>", "what is/are/means <cite>",
        "what does <cite> mean/show/say",
        "where does <cite> come from", "<cite>", "prove <cite>", "what is behind <cite>",
        "evidence <cite>", "show [me] [the] evidence <cite>",
    ),
    TurnKind.STATE: (
        "is it/this/that [all] [still] over/resolved/fixed/ongoing/happening/broken/failing/gone/active/down [now/yet]",
        "what is the [current] status/state", "is it/this still going on", "is it/this going on [still]",
        "has it/this/that recovered/stopped/ended/resolved/cleared/gone [away/by/now]",
        "did it/this stop/recover/end/resolve", "still happening/ongoing/broken/failing",
        "has it been resolved/fixed",
        "is [the] incident/problem/outage/alert/issue over/resolved/fixed/ongoing",
        "is everything ok/fine/normal [again/now]",
    ),
    TurnKind.WHY_NOT: (
        "why not <name>", "why is it not <name>", "why is not it <name>",
        "why is <name> not [the] [root] cause", "why is not <name> [the] [root] cause",
        "why was/is/did <name> ruled/excluded [out]", "why did you rule/exclude out <name>",
        "why did you exclude <name>", "why is <name> ruled out", "could it be <name>",
        "is it not <name>", "can it be <name>", "might it be <name>",
        "is <name> [the] [root] cause", "is <name> to blame", "could <name> be [the] [root] cause",
        "are you sure it is not <name>", "what about <name> as [the] [root] cause",
        "is it not caused by <name>", "is it <name>", "did you rule out <name>",
    ),
    TurnKind.EVIDENCE: (
        "show/give/list [me] [the/all] evidence/facts [of/for/about/on/against] <name>",
        "show/give/list [me] [the/all] evidence/facts", "what do you know about/of <name>",
        "what did you see/find of/about/on/for/in/at <name>",
        "[what] evidence of/for/about/on <name>",
        "what was seen/found of/about/on/at <name>", "show me <name>", "tell me [more] about <name>",
        "did you look at <name>", "was <name> looked at",
    ),
    TurnKind.CHANGES: (
        "what [has/was/was/were] changed",
        "what changed [recently/lately/before/there] [this/it/that/<name>]",
        "what changed in/at/on/for <name>", "were/was/are there any [recent] changes/change",
        "any/which [recent] changes/deployments/deploys/releases/rollouts",
        "was/were/has/did there/something/anything/anybody/anyone/somebody [been] [a] deployed/deploy/deployment/changed/change/released",
        "what was [recently] deployed/released", "list [the] changes", "show [me] [the] changes",
        "who changed something/anything/what",
    ),
    TurnKind.ONSET: (
        "when did it/this/that [all/first] start/begin/happen", "when did <name> start/begin/fail",
        "since when [is/was] [it/this]", "when has it/this started/begun",
        "when was the start/onset",
        "how long has it/this [been] [going/lasted/gone] [on/for]",
        "when did [the] problem/trouble/incident/errors/outage/issue start/begin",
        "what was first", "what happened first", "show [me] the timeline", "timeline",
    ),
    TurnKind.ADVICE: (
        "who owns <name>", "who is responsible [for] [<name>]", "what should/can/do/must/could i/we do [now/next/about/first] [it/this/that]", "what now",
        "what next",
        "how do/can/should i/we fix/mitigate/solve/resolve/repair <name>",
        "how to fix/mitigate/solve/resolve <name>",
        "what should/can/do i/we check [next/now/first]", "what to do [now/next]", "any advice",
        "what do you suggest/recommend/advise", "how can it/this be fixed/mitigated/solved",
        "is there a workaround", "should i/we roll it back", "what is the fix", "next steps",
    ),
    TurnKind.AFFECTED: (
        "who/what [else] is/was [also] affected/hit/impacted/hurt/concerned",
        "which [other] services/systems/customers/users are/were [also] affected/hit/impacted",
        "what is the [user/customer] impact/damage", "impact", "blast radius",
        "what is the blast radius",
        "how bad is it/this", "how many requests failed/fail/are failing", "who else feels it/this",
        "are users/customers/others affected", "who else", "what else", "how severe is it/this",
    ),
    TurnKind.UNSEEN: (
        "what did you not/never see/look/read/check/know [at]", "what did you miss",
        "what is missing",
        "what could you not see/look/read/check [at]", "what was not looked/seen/read/checked [at]",
        "what have you not seen/checked/read/looked [at]", "what do you not know",
        "what are you missing",
        "blind spots", "what are the/your blind spots", "what did you not look at",
        "which data is/was missing",
        "what was left out", "what else did you not look at",
    ),
    TurnKind.WHY: (
        "why", "why is that", "why is it so", "why do you think so/that",
        "[the] root cause", "cause", "which service/component is broken/failing/guilty/responsible",
        "how do you know [it/that/this/so]",
        "how can you know/tell/be [that/this/sure]",
        "how sure/certain/confident are you [of/about] [it/that]",
        "what makes you say/think so/that", "are you sure [about/of] [it/that]",
        "what is the [root] cause", "what caused it/this/that",
        "what happened", "prove it", "summarize/summarise/summary [it/that/this]", "tell me more",
        "why is <name> the [root] cause",
        "how do you know [that] it is/was <name>", "why is it <name>", "why <name>",
        "why do you think it is <name>",
        "what is your evidence", "what proves it/that/this", "give me the details",
        "what is wrong", "what is going on",
    ),
    TurnKind.LOOK: (
        "<time>", "what/how about <time>", "how was it/that/<name> <time>",
        "how is it/that/<name> <time>",
        "what was it [like] <time>", "compare [it/that/this] with/to <time>",
        "compared with/to <time>", "versus <time>",
        "look [again] at <time>", "look [again] <time>", "same <time>", "same for/at <time>",
        "for <time>",
        "was it [so/like/the/also] [that/same] <time>", "did it happen [also/too] <time>",
        "check [again] <time>",
        "now for <name>", "same for <name>", "for <name>", "what/how about <name> <time>",
        "what/how about <name>",
        "<name> <time>", "for <name> <time>", "look at <name> <time>", "look at <name>",
        "check <name> <time>", "check <name>",
        "how is/was <name>", "same for <name> <time>", "what about service <name>",
        "diagnose <name>", "diagnose <name> <time>",
        "look again", "check again", "try again", "again", "<name>",
    ),
}  # fmt: skip

_ZH: Mapping[TurnKind, Sequence[str]] = {
    TurnKind.EXPLAIN: (
        "[请]解释[一下]<cite>", "说明[一下]<cite>", "<cite>是什么[意思]", "<cite>从哪来[的]", "<cite>[的]依据[是什么]",
        "看[看/一下]<cite>",
        "<cite>什么意思", "展示<cite>", "<cite>",
    ),
    TurnKind.STATE: (
        "[现在]恢复了[没有/没]", "[它/问题/故障][已经](结束/解决/恢复/好)了[没有/没]", "[它/问题/故障]还在[继续/持续/发生]",
        "[是否][已经](结束/恢复/解决)[了]", "还有问题", "现在正常了",
        "好了没[有]", "还没好", "[现在]还在(继续/持续)",
    ),
    TurnKind.WHY_NOT: (
        "(为什么/为何/为啥)不是<name>", "<name>(为什么/为何/为啥)不是[根/原][原]因", "(为什么/为何/为啥)<name>不是[根/原][原]因",
        "(为什么/为何/为啥)排除[了]<name>", "<name>(为什么/为何/为啥)被排除[了]", "(为什么/为何/为啥)<name>被排除[了]",
        "会不会是<name>", "是不是<name>[的][问题/原因/根因]", "难道不是<name>", "不是<name>[的][问题]", "可能是<name>[的][问题]",
        "<name>是[不是]根因", "<name>是[不是]原因", "确定不是<name>",
    ),
    TurnKind.EVIDENCE: (
        "[给我][看/列出/展示/显示][看/一下]<name>的证据", "<name>[的]证据[是什么/有哪些]", "[有][什么/哪些]证据", "[列出/展示/显示]证据",
        "看[看/一下]证据",
        "关于<name>你知道什么", "[你]看到<name>[有][什么]", "<name>有什么(问题/异常)", "看过<name>", "<name>看[过]了",
    ),
    TurnKind.CHANGES: (
        "[最近][有]什么(变更/变化/改动)", "变更了什么", "改了什么", "[最近](有没有/有/是否有)(变更/发布/部署/上线/改动)",
        "[有没有/有]人(发布/部署/改过)[什么]",
        "[最近](发布/部署/变更/上线)了什么", "什么变了", "哪些变更", "有哪些变更", "<name>[有]什么(变更/变化)", "<name>[最近]变更了什么",
    ),
    TurnKind.ONSET: (
        "[是]什么时候开始[的]", "[这/它/故障/问题][是](什么时候/何时)(开始/发生)[的]", "从(什么时候/何时)开始[的]", "何时开始[的]", "什么时候发生[的]",
        "持续[了]多久[了]", "多久了",
        "[先]发生了什么先", "时间线", "<name>[是](什么时候/何时)(开始/发生)[的]",
    ),
    TurnKind.ADVICE: (
        "[我/我们][现在](该/应该/要/能)(怎么办/怎么做/做什么)", "[我/我们]现在[该](怎么办/怎么做)", "怎么办",
        "(怎么/如何)(修复/解决/处理/恢复)[它/这个/<name>]", "有什么建议", "下一步[做什么/怎么办/呢]",
        "[接下来](该/应该/要)检查什么", "接下来[呢/做什么/怎么办]", "谁负责", "要不要回滚", "怎么修",
    ),
    TurnKind.AFFECTED: (
        "[还有]谁[还]受[到][了]影响", "影响[了][哪些/谁/什么][服务/用户]", "[还有](哪些/什么)[服务/用户]受[到]影响", "影响[范围][有]多大",
        "影响范围[是什么]", "影响是什么", "多严重", "[有]多少请求失败[了]",
        "还有谁", "哪些服务受[到]影响",
    ),
    TurnKind.UNSEEN: (
        "[你][有]什么没[有]看[到]", "[你]没[有]看[到][什么/哪些]", "[你]漏[了/掉][了][什么/哪些]", "[你][还]缺[少][什么/哪些]数据",
        "[还]缺[少]什么", "哪些没[有]看[到]", "[有]哪些[数据]没[有]看[到]", "盲区[是什么/有哪些]",
        "[你]不知道什么", "哪些没查",
    ),
    TurnKind.WHY: (
        "为什么", "为何", "为啥", "[你](怎么/如何)知道[的]", "凭什么[这么说]", "你确定", "确定", "[有]多确定", "[有]多大把握",
        "根因是什么", "原因是什么", "[根本]原因", "根因", "发生了什么", "怎么回事",
        "(为什么/为何/为啥)是<name>", "为什么说是<name>", "[依据/证据]是什么", "总结[一下]", "(为什么/为何/为啥)<name>", "是什么原因",
        "什么原因",
    ),
    TurnKind.LOOK: (
        "<time>", "<time>的", "<time>怎么样", "<time>如何", "[和/跟/与]<time>[相]比[较]", "对比[一下]<time>",
        "看[看/一下]<time>", "换[成/到]<time>", "<time>也[是]这样", "[那]<time>有问题",
        "[那]<name><time>", "<name>的<time>", "<time><name>", "<time>的<name>", "看[看/一下]<name>",
        "<name>怎么样", "<name>如何", "换[成/到]<name>", "查[查/一下]<name>", "诊断[一下]<name>", "<name>也[是]这样",
        "再看[看/一下]", "再查[一下]", "[那]<name>",
    ),
}  # fmt: skip

PHRASES: Mapping[Language, Mapping[TurnKind, Sequence[str]]] = {
    Language.EN: _EN,
    Language.ZH: _ZH,
}

FILLER: Mapping[Language, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Language.EN: (
        ("and", "ok", "okay", "so", "but", "then", "please", "well", "can you", "could you", "now",
         "hm", "hmm", "thanks", "also", "yes", "no", "but then"),
        ("please", "then", "exactly", "now", "again", "too", "instead", "though", "anyway"),
    ),
    Language.ZH: (
        ("那么", "那", "请问", "请", "好的", "好", "嗯", "还有", "麻烦", "帮我", "可以", "能不能", "但是", "所以"),
        ("呢", "吗", "么", "吧", "啊", "呀", "的呢", "一下", "来着"),
    ),
}  # fmt: skip
"""Words before and behind a question that ask for nothing."""

PRONOUNS: Mapping[Language, tuple[str, ...]] = {
    Language.EN: ("it", "this", "that", "that service", "this service", "the service", "them",
                  "the cause", "the root cause", "that one", "this one"),
    Language.ZH: ("它", "这个", "那个", "该服务", "这个服务", "那个服务", "这", "那", "它们", "根因", "原因"),
}  # fmt: skip

SYMPTOMS: Mapping[Language, tuple[str, ...]] = {
    Language.EN: (
        "slow", "error", "errors", "fail", "fails", "failing", "failed", "failure", "failures",
        "down", "broken", "timeout",
        "timeouts", "latency", "crash", "crashes", "crashing", "crashed", "restart", "restarts",
        "restarting", "memory", "cpu",
        "disk", "alert", "alerts", "firing", "stuck", "hang", "hangs", "hanging", "pending",
        "unavailable", "outage", "incident",
        "degraded", "oom", "leak", "spike", "spikes", "high", "5xx", "4xx", "500", "502", "503",
        "504", "refused", "lag",
        "diagnose", "investigate", "wrong", "problem", "problems", "issue", "issues", "exhausted",
        "overload", "overloaded",
        "throttled", "unhealthy", "evicted", "dropped", "deadlock", "connections", "throughput",
        "traffic", "requests",
    ),
    Language.ZH: (
        "慢", "报错", "错误", "失败", "超时", "挂", "宕", "崩", "重启", "告警", "异常", "延迟", "卡", "打不开", "内存", "磁盘",
        "故障", "不可用", "抖动", "升高",
        "飙", "泄漏", "拒绝", "诊断", "排查", "出问题", "什么问题", "耗尽", "积压", "流量", "连接",
    ),
}  # fmt: skip
"""Words that a question about a system has, and small talk has not."""

INSTRUCTIONS: tuple[str, ...] = (
    "ignore previous", "ignore all previous", "ignore the previous", "ignore your instructions",
    "ignore all instructions",
    "disregard previous", "disregard all", "forget your instructions", "forget all previous",
    "system prompt", "you are now",
    "pretend to be", "act as ", "jailbreak", "developer mode", "reveal your", "忽略之前", "忽略以上",
    "忽略前面", "忽略所有",
    "忽略你的", "无视之前", "无视以上", "系统提示词", "你现在是", "假装你是", "扮演",
)  # fmt: skip
"""What somebody says to a model; here nothing follows instructions."""

TESTED_NAMES: Mapping[str, str] = {
    "network": "network_delay", "the network": "network_delay", "网络": "network_delay",
    "packet loss": "network_loss", "丢包": "network_loss",
    "cpu": "cpu", "the cpu": "cpu", "memory": "memory", "内存": "memory", "disk": "disk",
    "the disk": "disk", "磁盘": "disk",
    "a deploy": "deploy", "deploy": "deploy", "a deployment": "deploy", "the deployment": "deploy",
    "a release": "deploy", "发布": "deploy", "部署": "deploy",
    "config": "config", "configuration": "config", "a config change": "config", "配置": "config",
    "配置变更": "config",
    "traffic": "traffic", "load": "traffic", "too much traffic": "traffic", "流量": "traffic",
    "负载": "traffic",
    "a slow query": "slow_query", "slow queries": "slow_query", "慢查询": "slow_query",
    "locks": "lock_wait", "a lock": "lock_wait", "lock waits": "lock_wait", "锁": "lock_wait",
    "锁等待": "lock_wait",
    "connection leak": "connection_leak", "a connection leak": "connection_leak",
    "a leak": "connection_leak", "连接泄漏": "connection_leak",
    "connection limit": "connection_limit", "the connection limit": "connection_limit",
    "连接上限": "connection_limit",
    "the pool": "pool_exhaustion", "pool exhaustion": "pool_exhaustion",
    "the connection pool": "pool_exhaustion", "连接池": "pool_exhaustion",
    "a restart": "restart", "restarts": "restart", "重启": "restart", "a certificate": "certificate",
    "the certificate": "certificate", "证书": "certificate",
    "a bug": "code_error", "the code": "code_error", "代码": "code_error",
    "a dependency": "dependency", "依赖": "dependency",
}  # fmt: skip
"""What people call a fault -> the kind that playbooks test."""
