"""Zones as they are written beside a time of day, as fixed offsets from UTC."""

import re
from datetime import UTC, timedelta, timezone, tzinfo

__all__ = ["OFFSET", "ZONE", "zone_named"]

# A database of zones would be read from disk; what people write beside a time is one of these.
_HOURS = {
    "utc": 0.0, "gmt": 0.0, "z": 0.0, "zulu": 0.0, "wet": 0.0, "bst": 1.0, "cet": 1.0,
    "west": 1.0, "cest": 2.0, "eet": 2.0, "eest": 3.0, "msk": 3.0, "ist": 5.5, "ict": 7.0,
    "hkt": 8.0, "sgt": 8.0, "jst": 9.0, "kst": 9.0, "aest": 10.0, "aedt": 11.0,
    "est": -5.0, "edt": -4.0, "cdt": -5.0,
    "mst": -7.0, "mdt": -6.0, "pst": -8.0, "pdt": -7.0, "brt": -3.0,
    "beijing": 8.0, "shanghai": 8.0, "china": 8.0, "hong kong": 8.0, "singapore": 8.0,
    "taipei": 8.0, "tokyo": 9.0, "japan": 9.0, "seoul": 9.0, "india": 5.5, "moscow": 3.0,
    "北京": 8.0, "中国": 8.0, "上海": 8.0, "香港": 8.0, "台北": 8.0, "新加坡": 8.0, "东京": 9.0,
    "日本": 9.0, "首尔": 9.0, "莫斯科": 3.0, "世界": 0.0, "协调世界": 0.0, "格林尼治": 0.0,
    "格林威治": 0.0,
}  # fmt: skip

ZONE = re.compile(
    r"(?<![A-Za-z])(?:UTC"
    r"|GMT)(?: ?(?P<far>[+-]) ?(?P<far_h>\d{1,2})(?::?(?P<far_m>\d{2}))?(?![\d:]))?"
    r"(?: time\b)?(?![A-Za-z])"
    r"|(?<=\d)(?P<zulu>Z)(?![A-Za-z0-9])"
    r"|(?<![A-Za-z])(?P<letters>WET|WEST|BST|CES?T|EES?T|MSK|IST|ICT|HKT|SGT|JST|KST|AE[SD]T"
    r"|[ECMP][SD]T"
    r"|BRT|Zulu)(?![A-Za-z])"
    r"|\b(?P<place>Beijing|Shanghai|China|Hong Kong|Singapore|Taipei|Tokyo|Japan|Seoul|India"
    r"|Moscow)"
    r"(?: [Ss]tandard)?(?: [Tt]ime)?\b"
    r"|(?P<han>北京|中国|上海|香港|台北|新加坡|东京|日本|首尔|莫斯科|世界|协调世界|格林尼治"
    r"|格林威治)(?:标准)?时间?"
    r"|(?P<local>\b(?:local|server) time\b|\blocal\b|(?:当地|本地)时间?)"
    r"|(?P<sign>[+-])(?P<hour>\d{2}):?(?P<minute>\d{2})(?![\d:])"
)
"""A zone, or an offset: whether an offset belongs to a time is for the caller to say."""

OFFSET = re.compile(
    r"\d:\d\d(?: ?(?P<plus>\+\d\d:?(?:00|30|45))"
    r"|:\d\d(?:[.,]\d{1,9})? ?(?P<either>[+-][01]\d:?(?:00|30|45)))(?![\d:])"
)
"""An offset that is part of a time: behind seconds, or a plus behind minutes."""


def zone_named(match: re.Match[str], local: tzinfo, *, chinese: bool) -> tzinfo | None:
    """Return the zone that a match of `ZONE` names, nothing for an offset that does not exist.

    Args:
        match: A match of `ZONE`.
        local: The reader's zone.
        chinese: Whether CST is China's, not America's.
    """
    if match["local"]:
        return local
    sign, hour, minute = (
        (match["far"], match["far_h"], match["far_m"])
        if match["far"]
        else (match["sign"], match["hour"], match["minute"])
    )
    if sign:
        size = timedelta(hours=int(hour), minutes=int(minute or 0))
        if size > timedelta(hours=14) or int(minute or 0) > 59:
            return None
        return timezone(size if sign == "+" else -size)
    name = (match["zulu"] or match["letters"] or match["place"] or match["han"] or "utc").lower()
    if name == "cst":
        return timezone(timedelta(hours=8 if chinese else -6))
    return timezone(timedelta(hours=_HOURS[name])) if _HOURS[name] else UTC
