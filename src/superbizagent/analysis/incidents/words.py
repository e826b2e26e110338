"""Sentences of grouping and dispatch, in both languages: why an alert is here, why it waits."""

from collections.abc import Mapping

from superbizagent.domain.grouping import Reason, ReasonCode, SkipReason
from superbizagent.domain.incident import Language

__all__ = ["say", "say_note"]

_R, _S = ReasonCode, SkipReason

_EN: Mapping[str, str] = {
    _R.SAME_ALERT: "The same alert, {name}, belongs to this incident already.",
    _R.SAME_ALERT_AGAIN: "The same alert, {name}, fires again shortly after it resolved:"
    " one incident that comes and goes.",
    _R.SAME_GROUP: "The sender put it into the same group, {group}, and no label speaks against"
    " it.",
    _R.SAME_SERVICE: "It is about {service}, which this incident is about or has reached.",
    _R.SAME_HOST: "It is on {host}, as this incident is.",
    _R.SAME_NAMESPACE: "It is in the namespace {namespace}, as this incident is.",
    _R.CALLS_CORE: "{service} calls {core}, which this incident is about, over {hops} call(s).",
    _R.CALLED_BY_CORE: "{core}, which this incident was about, calls {service} over {hops} call(s):"
    " the trouble lies deeper.",
    _R.EXPLAINED: "{service} feels what {core} has by itself, which became known after this alert"
    " came.",
    _R.MERGED_INTO: "It only felt what {core} has by itself; its alerts went to {incident}.",
    _R.MERGED_FROM: "It took {alerts} alert(s) of {incident}, which only felt what {core} has by"
    " itself.",
    _R.NEW: "No open incident has the same alert, group, place or a call to it: it begins one.",
    _R.RECORDED: "It asks nobody to act and is kept with this incident.",
    _R.FIRST: "It was not diagnosed yet; alerts so far: {alerts}.",
    _R.GROWN: "It has grown from {before} to {alerts} alerts since its last diagnosis.",
    _R.SERVICE_JOINED: "{count} service(s) joined since its last diagnosis: {services}.",
    _R.SEVERITY_ROSE: "Its severity rose from {before} to {severity} since its last diagnosis.",
    _R.SETTLING: "It is left alone for {seconds} s, so that the rest of it comes in or it resolves"
    " by itself.",
    _R.INCIDENT_COOLDOWN: "It was diagnosed less than {minutes} minutes ago; a second look would"
    " see the same.",
    _R.SERVICE_COOLDOWN: "{service} was diagnosed less than {minutes} minutes ago, in another"
    " incident.",
    _R.SERVICE_HOUR: "{service} was diagnosed {limit} times within an hour, which is the limit.",
    _R.CONCURRENT: "{limit} diagnoses are under way, which is the limit.",
    _R.STORM: "{limit} diagnoses began within {minutes} minutes, which is the limit in a storm.",
    _R.INCIDENT_BUDGET: "It was diagnosed {limit} times, which is the limit of one incident; start"
    " one by hand if you need it.",
    _R.DAY_BUDGET: "{limit} diagnoses began within 24 hours, which is the limit of a day.",
    _S.HEARTBEAT: "{name} always fires, to show that alerts arrive: that it does is no trouble.",
    _S.SEVERITY: "Its severity, {severity}, asks nobody to act.",
    _S.SILENCED: "Somebody silenced it: {ids}.",
    _S.INHIBITED: "Another alert inhibits it: {ids}.",
    _S.MAINTENANCE: "It falls into announced work: {window}.",
    _S.SETTLED: "It was over before the {seconds} s were that an incident is left alone for.",
}

_ZH: Mapping[str, str] = {
    _R.SAME_ALERT: "同一条告警 {name} 已属于此事件。",
    _R.SAME_ALERT_AGAIN: "同一条告警 {name} 恢复后不久再次触发：视为同一个反复出现的事件。",
    _R.SAME_GROUP: "发送方将其归入同一分组 {group}，且没有标签与之矛盾。",
    _R.SAME_SERVICE: "告警涉及 {service}，此事件与该服务有关或已波及它。",
    _R.SAME_HOST: "告警位于主机 {host}，与此事件相同。",
    _R.SAME_NAMESPACE: "告警位于命名空间 {namespace}，与此事件相同。",
    _R.CALLS_CORE: "{service} 经 {hops} 次调用到达 {core}，而此事件正与 {core} 有关。",
    _R.CALLED_BY_CORE: "此事件原先涉及的 {core} 经 {hops} 次调用到达 {service}：问题在更深处。",
    _R.EXPLAINED: "{service} 受 {core} 自身故障的影响，这一点在该告警到达之后才得知。",
    _R.MERGED_INTO: "它只是受 {core} 自身故障的影响；其告警已并入 {incident}。",
    _R.MERGED_FROM: "并入了 {incident} 的 {alerts} 条告警：那个事件只是受 {core} 自身故障的影响。",
    _R.NEW: "没有未结事件与它有相同的告警、分组、位置或调用关系：由它开始一个新事件。",
    _R.RECORDED: "它不需要任何人处理，仅随此事件记录。",
    _R.FIRST: "尚未诊断过；目前告警数：{alerts}。",
    _R.GROWN: "自上次诊断以来，告警从 {before} 条增加到 {alerts} 条。",
    _R.SERVICE_JOINED: "自上次诊断以来新增 {count} 个服务：{services}。",
    _R.SEVERITY_ROSE: "自上次诊断以来，严重级别从 {before} 升为 {severity}。",
    _R.SETTLING: "先等待 {seconds} 秒，让其余告警到齐，或等它自行恢复。",
    _R.INCIDENT_COOLDOWN: "不到 {minutes} 分钟前刚诊断过，再看也是同样的结果。",
    _R.SERVICE_COOLDOWN: "不到 {minutes} 分钟前，{service} 已在另一事件中诊断过。",
    _R.SERVICE_HOUR: "{service} 一小时内已诊断 {limit} 次，达到上限。",
    _R.CONCURRENT: "已有 {limit} 个诊断正在进行，达到上限。",
    _R.STORM: "{minutes} 分钟内已开始 {limit} 个诊断，达到告警风暴时的上限。",
    _R.INCIDENT_BUDGET: "此事件已诊断 {limit} 次，达到单个事件的上限；如有需要请手动启动诊断。",
    _R.DAY_BUDGET: "24 小时内已开始 {limit} 个诊断，达到每日上限。",
    _S.HEARTBEAT: "{name} 始终触发，用来表明告警通道畅通：它在触发并不是故障。",
    _S.SEVERITY: "其严重级别 {severity} 不需要任何人处理。",
    _S.SILENCED: "已被静默：{ids}。",
    _S.INHIBITED: "被另一条告警抑制：{ids}。",
    _S.MAINTENANCE: "处于已通知的维护时段：{window}。",
    _S.SETTLED: "在事件的 {seconds} 秒等待期结束之前就已恢复。",
}

_NOTES: Mapping[Language, Mapping[str, str]] = {
    Language.EN: {
        "no_labels": "The alert has no labels; nothing but its fingerprint tells it apart.",
        "starts_in_future": "Its start lies in the future; its receipt was taken instead. Is a"
        " clock wrong?",
    },
    Language.ZH: {
        "no_labels": "告警没有标签，只能凭指纹区分。",
        "starts_in_future": "其开始时间在未来，已改用接收时间。时钟是否有误？",
    },
}


def say(reason: Reason, language: Language) -> str:
    """Return the sentence of a reason."""
    table = _ZH if language is Language.ZH else _EN
    return table[reason.code].format_map(reason.values)


def say_note(key: str, language: Language) -> str:
    """Return the sentence of a key of `Placement.notes`."""
    return _NOTES[language][key]
