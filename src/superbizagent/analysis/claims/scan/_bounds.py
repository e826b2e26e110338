"""Words right before or right behind a number that tell how it is meant: about, over, 以上."""

from superbizagent.analysis.claims.mentions import Bound
from superbizagent.analysis.claims.scan._adjacent import Adjacent

__all__ = ["bound_before", "bound_behind"]


def _table(*rows: tuple[Bound, str]) -> dict[str, Bound]:
    return {phrase.strip(): bound for bound, phrases in rows for phrase in phrases.split("|")}


# "up to" and 高达 are the greatest of a metric, and `words` reads them.
_BEFORE = Adjacent(
    _table(
        (
            Bound.ABOUT,
            "about|around|roughly|approximately|approx|approx.|approximately|circa|ca.|~",
        ),
        (
            Bound.ABOUT,
            "≈|some|nearly|almost|close to|an estimated|estimated|an average of about|or so",
        ),
        (Bound.ABOUT, "just about|in the region of|on the order of|about the|∼|≃|～|~="),
        (
            Bound.ABOUT,
            "约|大约|约为|大约为|大概|差不多|将近|接近|近|几乎|估计|约有|大约有|大致|约合|约莫",
        ),
        (
            Bound.OVER,
            "over|more than|well over|just over|above|well above|greater than|larger than",
        ),
        (Bound.OVER, "longer than|higher than|exceeding|exceeds|exceeded|exceed|beyond|upwards of"),
        (
            Bound.OVER,
            "north of|in excess of|>|slower than|bigger than|slightly over|slightly more than",
        ),
        (
            Bound.OVER,
            "超过|超过了|超|多于|大于|高于|超出|逾|突破|突破了|已超过|超过约|长于|>约|不止",
        ),
        (
            Bound.AT_LEAST,
            "at least|no fewer than|no less than|not less than|not fewer than|≥|>=|=>",
        ),
        (Bound.AT_LEAST, "a minimum of|minimum of|≧|⩾"),
        (Bound.AT_LEAST, "至少|不少于|不低于|不小于|起码|大于等于|大于或等于|至少有|最少|不短于"),
        (Bound.UNDER, "under|below|less than|fewer than|lower than|smaller than|shorter than|<"),
        (Bound.UNDER, "just under|well under|well below|just below|faster than|short of"),
        (Bound.UNDER, "不到|不足|少于|小于|低于|未满|不及|未到|未达到|未达|短于"),
        (Bound.AT_MOST, "at most|no more than|not more than|≤|<=|=<|a maximum of|maximum of|≦|⩽"),
        (
            Bound.AT_MOST,
            "no longer than|no higher than|not exceeding|did not exceed|never exceeded",
        ),
        (Bound.AT_MOST, "does not exceed|never exceeds|not over|never above|not above|never over"),
        (
            Bound.AT_MOST,
            "最多|至多|不超过|不多于|不大于|不高于|小于等于|小于或等于|未超过|没有超过|没超过",
        ),
        (Bound.AT_MOST, "从未超过|并未超过|最多有|不超出"),
    )
)
_BEHIND = Adjacent(
    _table(
        (Bound.ABOUT, "左右|上下|来|or so|or thereabouts|give or take|-ish|ish|前后"),
        (Bound.OVER, "多|余|开外|出头|有余"),
        (
            Bound.AT_LEAST,
            "以上|及以上|或以上|或更多|or more|or higher|or above|or longer|or greater",
        ),
        (Bound.AT_LEAST, "and above|and more|and up|+|at least|at a minimum|起"),
        (
            Bound.AT_MOST,
            "以下|及以下|以内|之内|or less|or fewer|or lower|or below|or under|or shorter",
        ),
        (Bound.AT_MOST, "at most|tops|at the most|and below"),
    )
)
# "起" of 起来 and 一起, "来" of 来自: not behind a number's bound.
_NO_BOUND_BEHIND = (
    "来自",
    "来源",
    "来看",
    "来说",
    "多次",
    "起来",
    "起火",
    "起因",
    "多数",
    "多半",
    "余下",
)
_NO_BOUND_BEFORE = ("附近", "最近", "靠近", "临近", "邻近", "节约", "预约", "制约")


def bound_before(text: str, start: int) -> tuple[int, Bound] | None:
    """Read the bound that ends right before ``text[start]``.

    Returns:
        Where it begins and how the number is meant.
    """
    found = _BEFORE.before(text, start)
    if found is None or text[:start].rstrip(" ").endswith(_NO_BOUND_BEFORE):
        return None
    return found


def bound_behind(text: str, end: int) -> tuple[int, Bound] | None:
    """Read the bound that begins at ``end``.

    Returns:
        Where it ends and how the number is meant.
    """
    found = _BEHIND.behind(text, end)
    if found is None:
        return None
    rest = text[end : end + 4].lstrip(" ")
    if rest[:2] in _NO_BOUND_BEHIND:
        return None
    # "+5" begins a number of its own, and "3 + 5" is a sum.
    if rest[:1] == "+" and (text[end] == " " or text[found[0] : found[0] + 1].isalnum()):
        return None
    return found
