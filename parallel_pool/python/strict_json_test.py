"""JSON without NaN and Infinity."""

import json
import math
from typing import Any

import numpy as np
import pytest

from parallel_pool.python import strict_json


def strict(text: str) -> Any:
    """The value by a reader that takes nothing but JSON."""
    return json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} in {text}"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.inf, math.inf),
        ((1, -math.inf), [1, -math.inf]),
        ({"range": (0.2, np.float32(np.inf))}, {"range": [0.2, math.inf]}),
        ({3: 1.5, np.int64(4): math.inf}, {3: 1.5, 4: math.inf}),
        (np.array([[1, np.inf]]), [[1, math.inf]]),
        ({"a": None, "b": True, "c": "inf", "d": {"float": 1}}, None),
        (np.str_("text"), "text"),
    ],
)
def test_values_come_back(value: Any, expected: Any) -> None:
    text = strict_json.dumps(value)
    strict(text)
    assert strict_json.loads(text) == (value if expected is None else expected)


def test_nan_comes_back() -> None:
    text = strict_json.dumps({"returns": np.array([np.nan, 1], np.float32)}, indent=1)
    assert strict(text) == {"returns": [{"float": "nan"}, 1]}
    np.testing.assert_array_equal(strict_json.loads(text)["returns"], [np.nan, 1])


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match=r"object .* cannot be saved"):
        strict_json.dumps({"a": [object()]})


def test_files_of_older_versions_are_read() -> None:
    assert strict_json.loads("[Infinity, 1]") == [math.inf, 1]
