"""Words right before or right behind a number that tell how it is meant: about, over, 以上."""

from superbizagent.analysis.claims.mentions import Bound
from superbizagent.analysis.claims.scan._adjacent import Adjacent

__all__ = ["bound_before", "bound_behind"]

# "up to" and 高达 are the greatest of a metric, and `words` reads them.
_BEFORE = Adjacent(
    {
        "about|around|roughly|approximately|approx|approx.|circa|ca.|~|≈|∼|≃|～|~=": Bound.ABOUT,
        "some|nearly|almost|close to|estimated|an estimated": Bound.ABOUT,
        "just about|in the region of": Bound.ABOUT,
        "on the order of|approaching|averaging about|an average of about": Bound.ABOUT,
        "约|大约|约为|大约为|大概|差不多|将近|接近|近|几乎|估计|约有": Bound.ABOUT,
        "大约有|大致|约合|约莫": Bound.ABOUT,
        "over|more than|well over|just over|above|well above|just above|greater than": Bound.OVER,
        "larger than|longer than|higher than|slower than|bigger than|exceeding|exceeds": Bound.OVER,
        "exceeded|exceed|beyond|upwards of|north of|in excess of|slightly over|>": Bound.OVER,
        "超过了?|超|多于|大于|高于|超出|逾|突破了?|已超过|超过约|长于|不止": Bound.OVER,
        "at least|no fewer than|no less than|not less than|not fewer than": Bound.AT_LEAST,
        "a minimum of|minimum of|≥|>=|≧|⩾": Bound.AT_LEAST,
        "至少|至少有|不少于|不低于|不小于|不短于|起码|大于等于|大于或等于|最少": Bound.AT_LEAST,
        "under|below|less than|fewer than|lower than|smaller than|shorter than|<": Bound.UNDER,
        "just under|well under|well below|just below|faster than|short of": Bound.UNDER,
        "不到|不足|少于|小于|低于|未满|不及|未到|未达到|未达|短于": Bound.UNDER,
        "at most|no more than|not more than|no longer than|no higher than|≤|<=|≦|⩽": Bound.AT_MOST,
        "a maximum of|maximum of|not exceeding|did not exceed|does not exceed": Bound.AT_MOST,
        "never exceeded|never exceeds|not over|not above|never over|never above": Bound.AT_MOST,
        "最多|最多有|至多|不超过|不超出|不多于|不大于|不高于|小于等于|小于或等于": Bound.AT_MOST,
        "未超过|没有超过|没超过|从未超过|并未超过": Bound.AT_MOST,
    }
)
# 以内 is read with durations.
_BEHIND = Adjacent(
    {
        "or so|or thereabouts|give or take|-ish|ish|左右|上下|来|前后": Bound.ABOUT,
        "多|余|开外|出头|有余": Bound.OVER,
        "or more|or higher|or above|or longer|or greater|and above|and more|and up": Bound.AT_LEAST,
        "+|at least|at a minimum|以上|及以上|或以上|或更多|起": Bound.AT_LEAST,
        "or less|or fewer|or lower|or below|or under|or shorter|and below": Bound.AT_MOST,
        "at most|at the most|tops|以下|及以下": Bound.AT_MOST,
    }
)
# 来 of 来自, 起 of 起来 and 近 of 最近 are no bounds.
_WORDS_BEHIND = (
    "来自",
    "来源",
    "来看",
    "来说",
    "起来",
    "起火",
    "起因",
    "多数",
    "多半",
    "多次",
    "余下",
)
_WORDS_BEFORE = ("附近", "最近", "靠近", "临近", "邻近", "节约", "预约", "制约")
_LONGEST_WORD = 3


def bound_before(text: str, start: int) -> tuple[int, Bound] | None:
    """Read the bound that ends right before ``text[start]``.

    Returns:
        Where it begins and how the number is meant.
    """
    found = _BEFORE.before(text, start)
    if found is None:
        return None
    place = found[0]
    # An arrow: 31 ms -> 2.6 s.
    if place and text[place] == ">" and text[place - 1] in "-=":
        return None
    word = text[max(0, start - _LONGEST_WORD) : start].rstrip(" ")
    return None if word.endswith(_WORDS_BEFORE) else found


def bound_behind(text: str, end: int) -> tuple[int, Bound] | None:
    """Read the bound that begins at ``end``.

    Returns:
        Where it ends and how the number is meant.
    """
    found = _BEHIND.behind(text, end)
    if found is None:
        return None
    rest = text[end : end + _LONGEST_WORD].lstrip(" ")
    # "+5" begins a number of its own, and "3 + 5" is a sum.
    is_sum = rest[:1] == "+" and (text[end] == " " or text[found[0] : found[0] + 1].isalnum())
    return None if is_sum or rest.startswith(_WORDS_BEHIND) else found
