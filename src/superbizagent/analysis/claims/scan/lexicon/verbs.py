"""Verbs of both languages: those that carry a clause, and those that open an order."""

__all__ = ["FINITE", "FINITE_ZH", "NEVER_OBJECTS", "OBJECTS", "ORDERS", "ORDERS_ZH", "WEAK_ORDERS"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ORDERS = _words("""
    add adjust allow analyse analyze apply ask audit avoid bump call capture check collect
    compare configure confirm consider contact cordon create decrease delete deploy disable
    divert do don't downgrade drain enable ensure escalate evict expand extend failover find fix
    flush follow freeze get give halve implement increase inspect introduce investigate isolate
    keep kill lower move notify optimise optimize pause prevent provide provision purge put
    raise reboot rebuild redeploy reduce reindex remove renew repair replace reroute resize
    restart restore resume revert review roll rollback rotate see shed shorten shut stop switch
    take terminate throttle try tune turn upgrade verify wait
""")
"""Verbs that open an order: ``Restart the pod``."""

WEAK_ORDERS = _words("""
    alert begin block cap change clear close continue cut document double drop dump fail grep
    index limit log look make measure monitor open page patch pin query reach read release
    return route rule run scale schedule search set shift split start tail test trace track
    update use watch write
""")
"""Verbs that are as often nouns: an order only in front of one of `OBJECTS`."""

OBJECTS = _words("""
    a all an at back down each every for how if into it its more off on one our out over that
    the their them these this those to up what whether which why with your
""")
"""What an order may be about."""

NEVER_OBJECTS = _words("""
    after ago and are at attempt attempts before began by came can could count counts did does
    during error errors event events failed failures fell from had happened has have in is
    lasted latency length loop loops may might number occurred of on or rate rates rose showed
    shows since started storm that time times until usage was were which while will would
""")
"""Behind a verb of `ORDERS` these make it a noun: ``Restart of``, ``Increase in``."""

FINITE = _words("""
    accepted accounted accounts added answered answers are averaged be became becomes been began
    begins blocked burned burnt called calls came carried changed closed comes completed
    consumed contained contains contributed counted counts crashed deployed did do does doubled
    dropped emitted ended ends exhausted experienced failed fails filled finds finished found
    gave gets gives goes got had halved handled handles happened has have held hit hits holds
    hung is keeps kept lasted lasts lay locked logged logs lost made makes measured moved needed
    needs observed occurred opened peaked processed produced put queued ran ranged reached
    reaches read reads received receives recorded refused rejected released remained remains
    reported reports required requires restarted retried returned returns runs sat saw sees
    sends sent served serves show showed shows sits spends spent spread stands started starts
    stayed stays stood stopped succeeded suffered take takes threw throws timed took totaled
    totalled tripled turned used uses waited waits wanted was went were writes wrote
""")
"""Finite verbs that carry a clause, besides the words of the listings."""

ORDERS_ZH = _words("""
    优化 修改 停止 停用 关闭 减少 分析 切换 升级 启用 回滚 增加 复查 开启 扩容 排查 提高 摘除
    暂停 更换 更新 杀掉 查看 核实 检查 添加 清理 监控 确认 禁用 终止 续期 缩容 联系 观察 设置
    调低 调大 调小 调整 调高 跟进 通知 释放 重启 降低 限流 隔离 验证
""")
"""Openings of an order: 重启该实例."""

FINITE_ZH = _words("""
    丢 为 了 仅 位于 保持 共 出 到 剩 占 占满 发布 发生 变 只 响应 均 处于 处理 失败 完成 开始
    成功 打印 打满 执行 抛 报 拒绝 持有 排队 接到 收到 是 显示 有 用 着 等待 约 维持 耗 耗尽 花
    触 记录 超 超时 跑 达 达到 过 返回 部 部署 重启 重试 需
""")
"""Words that carry a Chinese clause, besides those of the listing."""
