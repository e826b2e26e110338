"""Figures of an earlier study of the public sets, to be printed beside.

It scored the halves of these sets that were held back while a prototype was made: other cases of
the same systems, in part. Top-1, Top-3 and Avg@5 at service level.
"""

from superbizagent.evaluation.rca.timing import TimeMode

__all__ = ["REFERENCE"]

Figures = tuple[float, float, float]

REFERENCE: dict[TimeMode, dict[str, dict[str, Figures]]] = {
    TimeMode.EXACT: {
        "rcd-sockshop": {
            "baro": (0.71, 0.96, 0.90), "nsigma": (0.96, 1.0, 0.99), "core": (1.0, 1.0, 1.0),
        },
        "microirc-bookinfo": {
            "baro": (0.53, 0.93, 0.87), "nsigma": (0.73, 0.95, 0.92), "core": (0.73, 1.0, 0.93),
        },
        "microirc-ob": {
            "baro": (0.15, 0.25, 0.29), "nsigma": (0.20, 0.35, 0.37), "core": (0.25, 0.40, 0.41),
        },
        "nezha-ob": {
            "baro": (0.50, 0.75, 0.73), "nsigma": (0.61, 0.71, 0.71), "core": (0.79, 0.86, 0.86),
        },
        "nezha-tt": {
            "baro": (0.05, 0.09, 0.09), "nsigma": (0.05, 0.14, 0.12), "core": (0.64, 0.77, 0.78),
        },
        "petshop": {
            "baro": (0.21, 0.29, 0.30), "nsigma": (0.29, 0.54, 0.52), "core": (0.88, 1.0, 0.97),
        },
    },
    TimeMode.NONE: {
        "causalrca-sockshop": {
            "baro": (0.40, 0.70, 0.64), "nsigma": (0.20, 0.70, 0.58), "core": (0.60, 0.80, 0.76),
        },
        "mhp-rca": {
            "baro": (0.18, 0.45, 0.44), "nsigma": (0.18, 0.52, 0.50), "core": (0.48, 0.70, 0.65),
        },
        "rcd-sockshop": {
            "baro": (0.68, 0.84, 0.83), "nsigma": (0.88, 0.92, 0.91), "core": (0.96, 1.0, 0.99),
        },
        "microirc-ob": {
            "baro": (0.15, 0.30, 0.29), "nsigma": (0.10, 0.30, 0.28), "core": (0.15, 0.25, 0.31),
        },
        "nezha-ob": {
            "baro": (0.32, 0.75, 0.69), "nsigma": (0.50, 0.86, 0.78), "core": (0.86, 0.86, 0.87),
        },
        "nezha-tt": {
            "baro": (0.05, 0.05, 0.05), "nsigma": (0.05, 0.05, 0.05), "core": (0.64, 0.73, 0.72),
        },
    },
}  # fmt: skip
