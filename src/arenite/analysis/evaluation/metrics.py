"""Worth of a model's answers: accuracy, ranks, confusions, ROC AUC, errors.

All but the AUC is NumPy; that one is scikit-learn's, of the extra ``evaluate``.
"""

from __future__ import annotations

import numpy as np

from arenite.errors import EvaluateError
from arenite.model.model import Array

INSTALL = "ROC AUC needs scikit-learn; install it with: pip install 'arenite[evaluate]'"


def ranks(scores: Array, labels: Array) -> Array:
    """The number of classes before the right one: by score, equal ones by index.

    A score that is NaN comes last, and where the right class has it, behind all.

    Args:
        scores: ``(n, classes)`` real numbers.
        labels: ``(n,)`` classes.
    """
    scores = np.where(np.isnan(scores), -np.inf, scores)
    own = scores[np.arange(len(labels)), labels][:, None]
    before = np.arange(scores.shape[1])[None, :] < labels[:, None]
    found: Array = ((scores > own) | ((scores == own) & before)).sum(axis=1)
    found[np.isneginf(own[:, 0])] = scores.shape[1]
    return found


def predictions(scores: Array) -> Array:
    """The class with the largest score, the first of equal ones; -1 where all are NaN."""
    lost = np.isnan(scores).all(axis=1)
    best: Array = np.where(np.isnan(scores), -np.inf, scores).argmax(axis=1)
    best[lost] = -1
    return best


def confusion(labels: Array, predicted: Array, classes: int) -> Array:
    """``(classes, classes)`` counts: a row per right class, a column per predicted one."""
    kept = predicted >= 0
    places = labels[kept] * classes + predicted[kept]
    return np.bincount(places, minlength=classes * classes).reshape(classes, classes)


def shares(counts: Array, totals: Array) -> Array:
    """Quotients; NaN where there is nothing to divide by."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = counts / totals
    return found


def roc_auc(positive: Array, scores: Array) -> float:
    """``sklearn.metrics.roc_auc_score``: the chance that a positive sample has the higher score.

    NaN where there are no positive samples, or no others.

    Raises:
        EvaluateError: scikit-learn is missing, or a score is NaN.
    """
    try:
        from sklearn.metrics import roc_auc_score  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise EvaluateError(INSTALL) from error
    if np.isnan(scores).any():
        raise EvaluateError(f"ROC AUC: {int(np.isnan(scores).sum())} scores are NaN")
    if positive.all() or not positive.any():
        return float("nan")
    return float(roc_auc_score(positive, scores))


def class_aucs(labels: Array, scores: Array) -> Array:
    """The AUC of every class against all others, from its own scores.

    Their mean is scikit-learn's ``multi_class="ovr"`` with ``average="macro"``, which refuses
    scores whose sums are not exactly 1, as those of quantised outputs are.
    """
    return np.array([roc_auc(labels == c, scores[:, c]) for c in range(scores.shape[1])])


def regression(targets: Array, values: Array) -> dict[str, float]:
    """Mean squared and mean absolute error, the largest one, and R² (NaN for constant targets).

    R² is that of all values at once, as of one output.
    """
    error = values.astype(np.float64) - targets
    squares = float((error**2).mean())
    spread = float(((targets - targets.mean()) ** 2).mean())
    return {
        "mse": squares,
        "mae": float(np.abs(error).mean()),
        "max error": float(np.abs(error).max()),
        "r2": 1 - squares / spread if spread else float("nan"),
    }


def squared_errors(wanted: Array, got: Array) -> Array:
    """``(n,)`` mean squared errors of samples: MLPerf Tiny's anomaly score (``ad``)."""
    error = got.reshape(len(got), -1).astype(np.float64) - wanted.reshape(len(wanted), -1)
    found: Array = (error**2).mean(axis=1)
    return found
