"""Keys of a terminal: their codes, which are bytes, and NetHack's notation of them."""

import operator
from typing import Any

_LARGEST = 255


def notation_of(what: str, key: Any) -> Any:
    """The notation of a key that is an int, such as a member of nle's enums; else `key` itself.

    Args:
        what: the name of the key, for errors.
        key: a code, or another value.

    Raises:
        ValueError: the code is no byte.
    """
    if isinstance(key, bool) or not hasattr(key, "__index__"):
        return key
    code = operator.index(key)
    if not 0 <= code <= _LARGEST:
        raise ValueError(f"{what} is {code}; the code of a key must be between 0 and {_LARGEST}")
    return key_notation(code)


def key_notation(code: int) -> str:
    """The key with this code, such as "k", "^D" (Control) or "M-p" (Alt)."""
    if code >= 0x80:
        return f"M-{chr(code & 0x7F)}"
    return f"^{chr(code + ord('@'))}" if code < ord(" ") else chr(code)
