"""Customer segments, by which orders are discounted and payments are charged."""

__all__ = ["SegmentTable"]

_SEGMENTS = 10


class SegmentTable:
    """Discounts by segment, of those segments that a release knows."""

    def __init__(self, known: int) -> None:
        """Fill the table with the first ``known`` segments of all ten."""
        self._rates = {f"segment_{number}": number / 200 for number in range(known)}

    def rate_of(self, customer_id: int) -> float:
        """Return the discount of a customer, 0 to 1.

        Raises:
            KeyError: when the release does not know the customer's segment.
        """
        return self._rates[f"segment_{customer_id % _SEGMENTS}"]
