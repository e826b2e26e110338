"""Remarks of sources in Chinese, by their English text with ``#`` for each number in it."""

from collections.abc import Mapping

__all__ = ["REMARKS"]

REMARKS: Mapping[str, str] = {
    "# columns repeat a name; the first one stays": "有 # 列重名，只保留第一列",
    "# JSON documents hold no spans and were left out": "有 # 个 JSON 文档不含 span，已略去",
    "# endless lines were cut": "有 # 行过长，已截断",
    "# lines are no JSON and were left out": "有 # 行不是 JSON，已略去",
    "# lines cut, they were too long": "有 # 行过长，已截断",
    "# samples repeat a time of their series; the last one stays": (
        "有 # 个样本的时间在其序列中重复，只保留最后一个"
    ),
    "alert.json is empty": "alert.json 是空的",
    "binary file: not read": "二进制文件，没有读取",
    "bytes after the end of the gzip file were not read": "gzip 文件结尾之后的字节没有读取",
    "bytes that are no text were replaced": "不是文本的字节已替换",
    "is damaged or cut JSON; the objects that are whole were read": (
        "JSON 损坏或被截断，只读取了完整的对象"
    ),
    "is malformed JSON and was left out": "JSON 格式错误，已略去",
    "large packed logs: where they end in time was not looked for": (
        "压缩日志较大，没有查找其结束时间"
    ),
    "no column says how long spans took": "没有一列说明 span 的耗时",
    "no git repository": "不是 git 仓库",
    "no such file": "没有这个文件",
    "of # recorded spans # are held at most; whole traces were left out": (
        "录制的 # 个 span 中最多保留 # 个，其余整条链路已略去"
    ),
    "of # spans # are held at most; traces were left out": (
        "# 个 span 中最多保留 # 个，其余链路已略去"
    ),
    "only the first # MB were read": "只读取了前 # MB",
    "reading stopped at the byte limit": "读取到字节上限为止",
    "the file is empty": "文件是空的",
    "topology.yaml holds no mapping and was left out": "topology.yaml 不含映射，已略去",
}
