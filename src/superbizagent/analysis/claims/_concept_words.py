"""The words that people and log lines use for each concept, in English and Chinese."""

__all__ = ["CHINESE", "ENGLISH"]

# `phrases.listed` reads both: a concept, and below it its phrases as `phrases.spellings` reads
# them. A phrase may stand under several concepts.
ENGLISH = """\
latency
    latency, latencies, response time+, duration+, delay*, slow, slowness, slower, slowest,
    slowly, slow*, sluggish, sluggishness, tail latency, round trip+, rtt, processing time+,
    service time+, elapsed, elapsed time, lag**, laggy, responsiveness, request time+,
    execution time+, query time+, time to first byte, wall time, time per request,
    request duration+, reply time+, lookup time+, read time+, write time+, unresponsive, hung,
    hang, hangs, hanging, stall*, faster, speed, fast, quick, quickly, quicker, sped up,
    speed up, slowdown+, slow down, slows down, slowed down, slowing down
error
    error+, err, errs, errored, erroring, failure+, fail*, fault+, faulty, broken, erroneous,
    unsuccessful, unsuccessfully, http error+, error rate+, failure rate+, error ratio+,
    error count+, server error+, client error+, internal server error+, bad gateway,
    bad request, service unavailable, gateway timeout, went wrong, go wrong, turned away,
    turn away, turning away, reject*, rejection+, abort*, panic+, bug+, broke, breaks, breakage,
    error free, fatal, fatals, crash*, denied, declined, bounced, 5xx, 4xx, success rate+,
    faulted, mishandled, in vain
success
    success, succeed*, successful, successfully, success rate+, properly, correctly, ok, fine,
    served, healthy
request
    request+, requested, call+, invocation+, rpc+, api call+, http call+, request rate+,
    request count+, answer*, reply, replies, replied, response+, calls, caller+, grpc, http,
    api, served, serve, serves, serving, called, asked
throughput
    throughput, qps, rps, tps, ops, request rate+, requests per second, queries per second,
    per second, per minute, rate of requests, processing rate+, call rate+, served
traffic
    traffic, load, workload+, request volume+, volume of requests, demand, visitor+, visit+,
    surge of requests, requests, incoming, inflow, influx, burst+
cpu
    cpu, cpus, processor+, cpu usage, cpu utilization, cpu utilisation, cpu time, cpu seconds,
    cpu load, core+, vcpu+, load average+, compute, cpu bound, throttl*, cpu throttling,
    cpu starvation
memory
    memory, ram, heap, rss, resident set, resident memory, working set, out of memory, oom,
    ooms, oomkilled, oom killed, oom kill+, memory usage, memory leak+, swap, swapping,
    heap usage, buffer pool, memory pressure
disk
    disk+, disc, storage, filesystem+, file system+, volume+, i/o, io, iops, iowait, io wait,
    inode+, disk space, free space, fsync, wal, disk usage, block device+, ssd, disk reads,
    disk writes, no space left, no space left on device, tablespace+
network
    network, networks, networking, nic, nics, bandwidth, tcp, udp, packet+, socket+, egress,
    ingress, interface+, link+, network delay+, network latency, round trip+, rtt,
    bytes received, bytes sent, bytes transmitted, network partition+, partition+, vpc
packet_loss
    packet loss, packets lost, lost packets, dropped packets, packet drop+, packets dropped,
    retransmit*, retransmission+, tcp retransmission+, network loss, drops on the link,
    packet loss rate
connection
    connection+, conn, conns, connect*, connectivity, connection count+, db connection+,
    database connection+, open connections, client connection+, connection pool+,
    connection leak+, connection limit+, connection refused, too many connections,
    max connections, connection reset+, connection timeout+, connection timed out,
    connections timed out, connection limit, connection leak, lost connection,
    connection reset by peer
pool
    pool+, pooled, pooling, connection pool+, thread pool+, threadpool+, worker pool+,
    pool size, pool exhaustion, hikari, hikaricp, connection leak+
waiting
    wait, waits, waited, waiting, waiter+, pending, blocked, in line, on hold, queue*, queuing,
    backlog+, backlogged, wait time+, waiting time+, lock wait+, awaiting, await, awaits,
    awaited, stuck waiting, parked, in the queue, acquire, acquiring, acquisition, unserved
held
    held, hold, holds, holding, in use, busy, occupied, checked out, borrowed, taken, tied up,
    tie up, hogged, hog, hogging, hoarded, leased, usage, used, use time, active, hold time+,
    keeps, kept open, occupy, occupies, occupying, occupancy, in flight, inflight, hung on to,
    held on to, hangs on to, hold on to, holds on to
timeout
    timeout+, time out, times out, timed out, timing out, time outs, deadline+,
    deadline exceeded, read timeout+, connect timeout+, gateway timeout+, gave up waiting,
    give up waiting, lock wait timeout+, connection timeout+, connection timed out,
    ran out of time, too long to answer
lock
    lock+, locked, locking, row lock+, table lock+, mutex, mutexes, latch, latches, deadlock+,
    deadlocked, contention, lock wait+, lock waits, semaphore+, blocked, metadata lock+,
    lock wait timeout+, row lock wait+, lock contention
query
    query, queries, querying, queried, sql, select, selects, update statement+, statement+,
    lookup+, table scan+, full scan+, full table scan+, slow query, slow queries, query time+,
    slow log, slow query log, read+, write+, database call+, queries per second,
    running threads, question+
slow_query
    slow query, slow queries, slow statement+, slow sql, slow log, slow query log,
    full table scan+, table scan+, full scan+, missing index, missing indexes,
    long running query, long running queries, long query, long queries, slow select+,
    slow update+, expensive query, expensive queries, lacked an index, no index,
    without an index, index, indexes
transaction
    transaction+, transactional, tx, txn, txns, commit+, committed, committing, rollback+,
    rolled back, uncommitted, long transaction+, long running transaction+
thread
    thread+, goroutine+, worker+, thread pool+, threadpool+, worker pool+, running threads,
    executor+, fiber+
gc
    gc, garbage collection+, garbage collector, gc pause+, full gc, stop the world,
    collection pause+, gc time
restart
    restart*, reboot*, crash*, crashloop, crash loop+, crash looping, crash loops,
    crashloopbackoff, respawn*, recreate*, bounced, oomkilled, oom killed, killed, evicted,
    eviction+, terminated, came back up, start up, startup, shut down, shutdown, shutdowns,
    shutting down, exited, relaunch*, failover+, failed over, fail over, died, uptime, redeploy*
replica
    replica+, instance+, replication, replica count, scaled, scale out, scaled out, scaled down,
    scaled up, scale up, scale down, scale in, autoscal*, autoscaler, copies
pod
    pod+, container+, kubernetes, deployment replica+, task+
host
    host+, node+, machine+, vm, vms, server+, virtual machine+, instance+, hardware
process
    process, processes, pid, pids, daemon+, job+
log
    log+, logged, logging, log line+, log record+, log entry, log entries, record+, recorded,
    line+, message+, entry, entries, log message+, logs of
warning
    warning+, warn, warns, warned, warn line+, warning line+, notice+
alert
    告警触发, 触发告警, 触发了告警, 触发报警, alert*, alarm+, alarmed, paging, pager, pagerduty,
    fires, firing, fired, notification+, alert triggered, alerts triggered, triggered an alert,
    triggered the alert, alert was triggered, alert was raised, alert raised, paged
deploy
    deploy*, deployment+, release*, rollout+, roll out, rolled out, rolls out, rolling out,
    ship**, version+, new version+, build+, upgrade*, redeploy*, canary, canaries, rollback+,
    rolled back, roll back, image+, code change+, update*, revision+, schema change+,
    migration+, migrated, hotfix, hotfixes
config
    config, configs, configuration+, configured, configure*, setting+, misconfigur*,
    misconfiguration+, feature flag+, flag+, parameter+, environment variable+, toggle+,
    toggled, config change+, configuration change+, pool size, flag flip+
change
    change*, code change+, config change+, configuration change+, schema change+, edit+,
    deploy*, deployment+, release*, rollout+, migration+, no change, no changes
certificate
    certificate+, cert, certs, tls, ssl, x509, handshake+, tls handshake+, expired, expiry,
    certificate expired
cache
    cache*, caching, cache hit+, cache miss, cache misses, hit rate+, hit ratio+, miss rate+,
    redis, memcached, evictions, eviction+, cdn, buffer pool
queue
    queue*, queuing, backlog+, backlogged, queue length+, queue size+, queue depth+, pile up,
    piled up, piling up, piles up, backed up, backing up, backs up, in line, buffer+,
    outstanding, topic+, broker+, kafka, rabbitmq
message
    message+, event+, kafka, consumer+, producer+, publish*, topic+, broker+, consumer lag
lag
    lag, lags, lagged, lagging, replication lag, replica lag, consumer lag, behind, fell behind,
    falling behind, seconds behind
retry
    retry*, retries, retry storm+, re try, re tried, backoff, back off, attempt+, reattempt*,
    retried, second attempt+
saturation
    saturat*, saturation, exhaust*, exhaustion, overload*, overwhelm*, maxed out, max out, full,
    filled up, fills up, fill up, filling up, filled, ran out, run out, runs out, running out,
    ran out of, run out of, runs out of, running out of, used up, uses up, at capacity,
    at the limit, no free, none free, depleted, depletion, drained, starv*, starvation,
    bottleneck+, bottlenecked, backed up, swamped, at its limit, pegged, pinned, throttl*,
    pressure, congested, congestion, fully used, every connection, pool exhaustion, too many,
    utilization, utilisation, inundated, flooded, headroom, no more connections,
    no connection available, no connections available, no connection free, no connection,
    clogged, no space left, no space left on device, disk full, out of memory,
    too many connections
limit
    limit+, limited, cap, capped, maximum, max, quota+, ceiling, threshold+, capacity,
    max connections, too many connections, pool size, rate limit+, rate limited, rate limiting,
    allowed, headroom, connection limit+
availability
    availability, available, unavailable, unavailability, uptime, downtime, outage+, sla, slo,
    offline, online, unreachable, reachable, went dark, going dark, success rate+, unhealthy,
    healthy, up and running, ready, readiness, not ready, health check+, disruption+,
    service unavailable, blackout
session
    session+, login+, sign in, sign ins, user session+, authentication, authenticat*, auth,
    logins
user
    user+, customer+, client+, caller+, visitor+, tenant+, subscriber+, shopper+, buyer+
row
    row+, rows examined, rows affected, rows scanned, record+, tuple+, examined, row lock+,
    row lock wait+
page
    page+, dirty page+, page view+, web page+, page fault+, page load+
file
    file+, file descriptor+, fd, fds, open files, file handle+, handle+, descriptor+,
    too many open files, upload+, uploaded, download+
dns
    dns, name resolution, resolver+, resolv*, nxdomain, hostname lookup+, dns lookup+, coredns,
    no such host
leak
    leak*, leakage, memory leak+, connection leak+, leaky, never returned, not returned,
    never released, not released, never closed, not closed, unreleased
exception
    exception+, stack trace+, stacktrace+, traceback+, null pointer+, nullpointerexception, npe,
    npes, panic+, panicked, segfault+, unhandled, uncaught, assertion+, thrown, threw, throws,
    throwing, core dump+
wrong_result
    wrong result+, incorrect, wrong, inconsistent, inconsistency, corrupt*, corruption, stale,
    wrong answer+, wrong data, bad data, mismatch, mismatches, invalid
dependency
    dependency, dependencies, dependent, depend*, downstream, upstream, callee+, caller+,
    third party, external service+, backend+, outgoing call+, outbound, client call+, calls to,
    call to, calls into, topology, edge+
refused
    refuse*, connection refused, connection reset+, refusal+, reject*, rejection+, denied,
    turned away, turn away, turning away, too many connections, reset by peer, unreachable
idle
    idle, idling, idle connection+, unused, free, spare, headroom, not in use
size
    size+, byte+, length+, bigger, larger, footprint, payload+
order
    order+, checkout+, purchase+, payment+, sale, sales, booking+, revenue, cart+
"""

CHINESE = """\
latency
    慢了, 快了, 延迟, 时延, 耗时, 响应时间, 响应, 用时, 慢, 变慢, 缓慢, 卡顿, 迟缓, 延时, 处理时间,
    平均响应, 响应时长, 时长, 响应慢, 拖慢, 卡住, 执行时间, 查询时间, 请求时间, 尾延迟, 变快,
    响应延迟, 平均延迟, 平均耗时, 请求耗时, 查询耗时, 卡死, 花费, 花了, 花掉
error
    错误, 报错, 失败, 出错, 错误率, 错误数, 失败率, 失败数, 拒绝, 被拒, 出问题, 不成功,
    报错率, 崩溃, 失败请求, 错误请求, 内部错误, 请求失败, 调用失败, 未成功, 报错数
success
    成功, 成功率, 正常响应, 正常处理, 健康
request
    请求, 调用, 访问, 请求数, 请求量, 调用量, 接口, 应答, 回应, 响应, 收到, 接到, 处理了, 笔,
    失败请求, 错误请求, 请求失败, 调用失败
throughput
    吞吐, 吞吐量, 每秒请求, 每秒请求数, 请求速率, 处理能力
traffic
    流量, 负载, 访问量, 请求量, 业务量, 流量高峰, 请求, 调用量, 并发, 并发量, 突发流量, 压力
cpu
    处理器, 核, 算力, 使用率, 负载, 限流, 节流
memory
    内存, 堆内存, 堆, 内存使用, 内存占用, 内存溢出, 内存不足, 内存泄漏, 内存泄露, 常驻内存,
    缓冲池
disk
    磁盘, 硬盘, 存储, 文件系统, 读写, 磁盘空间, 落盘, 刷盘, 磁盘使用率, 空间不足
network
    网络, 带宽, 网卡, 链路, 数据包, 网络延迟, 网络时延, 报文, 网络抖动, 抖动, 网络分区, 套接字
packet_loss
    丢包, 丢包率, 重传, 重传率, 网络丢包
connection
    连接, 连接数, 连接池, 数据库连接, 连接泄漏, 连接泄露, 长连接, 建连, 连接被拒, 连接超时,
    空闲连接, 活跃连接, 最大连接数
pool
    连接池, 线程池, 资源池, 池, 池子, 数据库连接, 连接泄漏, 连接泄露
waiting
    等待, 排队, 等候, 等着, 在等, 阻塞, 积压, 堆积, 等待数, 等待者, 等锁, 锁等待, 挂起, 等连接,
    等不到, 等待时间, 等待获取, 队列
held
    占用, 占用时间, 占满, 占住, 持有, 在用, 使用中, 占着, 占据, 被占, 忙, 已用, 活跃, 占用率,
    持有时间, 使用率, 使用时间, 被占用, 占有, 不释放, 未释放, 使用量, 进行中, 活跃连接
timeout
    超时, 超时数, 请求超时, 连接超时, 等待超时, 锁等待超时, 超时错误, 读超时
lock
    锁, 行锁, 表锁, 死锁, 锁等待, 锁争用, 锁竞争, 等锁, 加锁, 互斥, 锁冲突, 锁等待超时, 上锁
query
    查询, 语句, 慢查询, 慢日志, 全表扫描, 查询数, 查询时间, 查询耗时, 检索, 扫描
slow_query
    慢查询, 慢日志, 慢语句, 全表扫描, 缺少索引, 缺索引, 没有索引, 未走索引, 索引, 慢查
transaction
    事务, 长事务, 提交, 未提交, 回滚, 慢事务
thread
    线程, 线程数, 线程池, 协程, 工作线程, 活跃线程
gc
    垃圾回收, 停顿, 垃圾收集
restart
    重启, 重启次数, 崩溃, 宕机, 被杀, 驱逐, 挂掉, 挂了, 重新启动, 启动, 退出, 主备切换, 切换,
    终止, 杀死
replica
    副本, 副本数, 实例, 实例数, 扩容, 缩容, 从库, 主从, 复制
pod
    容器, 任务
host
    主机, 节点, 机器, 服务器, 宿主机, 虚拟机, 实例
process
    进程, 进程数, 作业
log
    日志, 日志行, 记录, 日志中, 打印, 记录了, 条日志, 条记录, 消息, 行日志, 日志里, 打出
warning
    警告, 警告日志, 警示
alert
    告警, 报警, 警报, 触发告警, 告警规则
deploy
    发布, 部署, 上线, 发版, 版本, 升级, 回滚, 新版本, 灰度, 镜像, 变更, 更新, 迁移, 发布版本
config
    配置, 参数, 配置变更, 设置, 开关, 配置错误, 配置项, 连接池大小, 阈值
change
    变更, 改动, 修改, 发布, 部署, 上线, 配置变更, 发版
certificate
    证书, 握手, 过期, 证书过期
cache
    缓存, 命中率, 缓存命中率, 未命中, 缓存失效, 缓冲池, 缓存命中
queue
    队列, 排队, 积压, 堆积, 队列长度, 队列积压, 缓冲区
message
    消息, 消费, 消费者, 生产者, 事件
lag
    滞后, 落后, 主从延迟, 复制延迟, 消费延迟, 同步延迟
retry
    重试, 重试次数, 重试风暴, 尝试
saturation
    饱和, 耗尽, 打满, 用尽, 用光, 占满, 用完, 爆满, 满了, 跑满, 吃满, 过载, 不堪重负, 枯竭,
    资源不足, 不够用, 瓶颈, 满载, 打爆, 撑爆, 压垮, 无可用, 没有可用, 占用率, 使用率, 利用率,
    无空闲, 没有空闲, 拥塞, 拥堵, 挤爆, 塞满, 已满, 全满, 不足, 全被占用, 被占满
limit
    上限, 限制, 限额, 配额, 最大连接数, 阈值, 容量, 限流, 封顶
availability
    可用, 可用性, 可用率, 不可用, 中断, 宕机, 下线, 在线, 离线, 就绪, 不可达, 健康检查, 瘫痪,
    掉线, 失联, 停服, 成功率, 服务中断, 挂了, 未就绪, 没有响应, 无响应, 停机
session
    会话, 登录, 会话数, 鉴权, 认证
user
    用户, 客户, 客户端, 租户, 调用方
row
    行, 数据行, 扫描行数, 行数, 行锁, 条数据
page
    页, 脏页, 页面
file
    文件, 文件描述符, 句柄, 文件句柄
dns
    域名解析, 域名, 解析失败
leak
    泄漏, 泄露, 内存泄漏, 内存泄露, 连接泄漏, 连接泄露, 未归还, 不归还, 未释放, 未关闭
exception
    异常栈, 堆栈, 空指针, 抛出, 抛错, 抛异常, 崩溃, 异常堆栈
wrong_result
    结果错误, 数据错误, 不一致, 数据不一致, 错误结果, 错乱, 脏数据
dependency
    依赖, 下游, 上游, 调用链, 被调用方, 调用方, 外部服务, 拓扑, 链路
refused
    拒绝, 被拒, 拒绝连接, 连接被拒, 连接重置, 拒绝服务, 不可达
idle
    空闲, 闲置, 空闲连接, 剩余, 可用, 余量
size
    大小, 字节, 体积, 长度
order
    订单, 下单, 支付, 付款, 结算
"""
