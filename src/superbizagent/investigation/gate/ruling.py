"""What one check decided, in the words it is reported with."""

from dataclasses import dataclass

from superbizagent.domain.evaluation import AiopsCheck, AiopsCheckId, CheckStatus

__all__ = ["Ruling", "failed", "passed", "warned"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision of one rule."""

    status: CheckStatus
    rule: str
    """Word of the rule, unique in its check."""
    message: str
    expected: str
    found: str

    def check(self, check_id: AiopsCheckId) -> AiopsCheck:
        """Return the decision as a result of its check."""
        return AiopsCheck(
            id=check_id,
            rule_id=f"{check_id}.{self.rule}",
            status=self.status,
            message=self.message,
            expected=self.expected,
            found=self.found,
        )


def passed(rule: str, message: str, *, expected: str, found: str) -> Ruling:
    """Return a PASS."""
    return Ruling(CheckStatus.PASS, rule, message, expected, found)


def warned(rule: str, message: str, *, expected: str, found: str) -> Ruling:
    """Return a WARN: a soft signal is missing."""
    return Ruling(CheckStatus.WARN, rule, message, expected, found)


def failed(rule: str, message: str, *, expected: str, found: str) -> Ruling:
    """Return a FAIL: the report or the evidence is absent."""
    return Ruling(CheckStatus.FAIL, rule, message, expected, found)
