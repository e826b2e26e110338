"""Chinese phrases of answers in a conversation, around the sentences of the report."""

# ruff: noqa: E501 - a sentence is one line, so that the tables can be read side by side

__all__ = ["TABLE"]

TABLE: dict[str, str] = {
    # What an answer is from
    "talk.about": "依据对 {p|about} 的诊断（{frame|start_instant} 至 {frame|end_instant}），没有重新查看数据。",
    "talk.about_it": "“{p|word}”指 {p|name}。依据对 {p|about} 的诊断（{frame|start_instant} 至 {frame|end_instant}），没有重新查看数据。",
    "talk.looked": "查看了 {p|about}，{frame|start_instant} 至 {frame|end_instant}。",
    "talk.looked_service": "查看了 {p|about}（同上次），{frame|start_instant} 至 {frame|end_instant}。",
    "talk.looked_window": "查看了 {p|about}，{frame|start_instant} 至 {frame|end_instant}（同上次）。",
    "talk.looked_both": "查看了 {p|about}，{frame|start_instant} 至 {frame|end_instant}，均同上次。",
    # Titles
    "talk.title.why_not": "是否是 <name>",
    "talk.title.why": "依据是什么",
    "talk.title.explain": "<name> 的依据",
    "talk.title.evidence": "关于 <name> 看到了什么",
    "talk.title.changes": "有什么变更",
    "talk.title.onset": "何时开始",
    "talk.title.advice": "该做什么",
    "talk.title.state": "是否已恢复",
    "talk.title.affected": "谁受影响",
    "talk.title.unseen": "没有看到什么",
    "talk.title.other": "可以问什么",
    "talk.the_cause": "根因",
    # Names
    "talk.is_cause": "{p|entity} 正是被判定的原因，依据如下：",
    "talk.leads": "{p|entity} 最为突出，但未能判定为原因，依据如下：",
    "talk.is_fault": "{p|entity} 的{p|fault}正是被判定的原因，依据如下：",
    "talk.untested": "所用的预案都不检验 {p|name}，因此既未发现也未排除。",
    "talk.unnamed": "没有找到原因，因此没有可列出的证据；请指明一个服务。",
    "talk.normal": "{p|name} 已查看，没有异常。",
    "talk.no_data": "{p|name} 没有已知的异常：查询过，但在所查时间内没有数据；可以换个时间再问。",
    "talk.out_of_scope": "{p|name} 是已知的，但没有查看，因此无法判断；可以问“那 {p|name} 呢?”来重新查看。",
    "talk.cut": "{p|name} 没有已知的异常：受限额或时限所限，没有全部查看；可以问“那 {p|name} 呢?”来重新查看。",
    "talk.source_down": "{p|name} 没有已知的异常：查询过，但数据源没有应答；请在其恢复后再问。",
    "talk.unknown": "没有数据源认识 {p|name} 这个名称，因此无法判断；请使用系统中的名称。",
    "talk.unknown_near": "没有数据源认识 {p|name} 这个名称，因此无法判断；相近的名称：{p|near}。",
    "talk.series": "{p|name} 共检查了 {<seen>} 条序列，其中 {<moved>} 条异常。",
    # Citations
    "talk.no_citation": "这次诊断中没有 {p|name}；最接近的是 {p|near}。",
    "talk.fact": "{<fact>|name}，{p|statistic}：{<fact>}",
    "talk.fact_entity": "{p|entity}：{<fact>|name}，{p|statistic}：{<fact>}",
    "talk.fact_time": "其时间为 {<fact>|instant}。",
    "talk.fact_from": "自 {<fact>|from} 起统计。",
    "talk.fact_quote": "存储的原文：{<fact>|quote}",
    "talk.asked": "查询内容：{p|query}",
    "talk.failed": "返回的是：{<call>|error}",
    "talk.unused": "没有结论依据 {p|name}：它已查看，既不支持也不反对任何原因。",
    # The rest
    "talk.as_of": "以上截至 {frame|end_instant}；可以问“现在呢?”来重新查看。",
    "talk.alone": "除 {p|entity} 外，所查看的对象都没有错误或延迟上升。",
    "talk.nothing": "已存储的内容无法回答这个问题；请换个时间或服务，或提出新问题。",
    "talk.no_diagnosis": "这个会话还没有可以回答这个问题的诊断。请先提出关于系统的问题，例如“checkout 为什么慢?”，如果知道时间请一并说明。",
    "talk.help": "这不是关于系统的问题，因此没有查看任何数据。可以问，例如：“checkout 从九点开始为什么慢?”；有了诊断之后可以问：“为什么不是 mysql?”“怎么知道的?”“解释”加引用编号、“orders 的证据”“有什么变更?”“什么时候开始的?”“该怎么办?”“恢复了吗?”“还有谁受影响?”“没看到什么?”“最近一小时呢?”“那 payment 呢?”。",
}  # fmt: skip
