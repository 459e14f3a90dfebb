"""The file of a recording.

magic | record | record | ...     record: kind, codec, bytes, CRC-32, results | payload

The records are appended while the pool runs, so a program that is killed leaves all but the last.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from parallel_pool.python import strict_json

lzma: Any
try:
    import lzma
except ImportError:  # Python was built without it
    lzma = None

MAGIC = b"PPRUN\x01\r\n"

# The kinds of records.
HEADER = b"H"  # JSON: what the pool was made of
CALLS = b"C"  # calls of the engine's Recorder
KEYFRAME = b"K"  # the same, from the beginning of a keyframe on
DIGESTS = b"D"  # pairs of uint64: the number of a result, and its digest
SETUPS = b"S"  # JSON: (env, options) of each new setup
END = b"E"  # the run has ended

_RECORD = struct.Struct("<cBIIQQ")
_RAW, _ZLIB, _LZMA = 0, 1, 2
_SAMPLE = 1 << 14  # bytes that show whether compressing is worth its time
_WORTH = 0.9  # of their size


def write(file: IO[bytes], kind: bytes, payload: bytes, first: int = 0, end: int = 0) -> int:
    """Appends a record; returns the bytes that it has in the file.

    Args:
        file: opened for writing.
        kind: see above.
        payload: its bytes.
        first: the number of the first result of its calls.
        end: the number of the first result behind them.
    """
    codec, stored = _compressed(payload, lzma is not None and kind == KEYFRAME)
    head = _RECORD.pack(kind, codec, len(stored), 0, first, end)
    check = zlib.crc32(stored, zlib.crc32(head))
    left = memoryview(_RECORD.pack(kind, codec, len(stored), check, first, end) + stored)
    while left:  # a file without a buffer may take only a part
        left = left[file.write(left) :]
    return _RECORD.size + len(stored)


def _compressed(payload: bytes, is_slow: bool) -> tuple[int, bytes]:
    """The codec and the bytes. Slow: Atari's states take half as much room as with zlib."""
    if is_slow:
        return _LZMA, lzma.compress(payload, preset=0)
    sample = payload[:_SAMPLE]
    if len(zlib.compress(sample, 1)) < _WORTH * len(sample):
        return _ZLIB, zlib.compress(payload, 1)
    return _RAW, payload


def _decompressed(codec: int, stored: bytes) -> bytes:
    if codec == _LZMA:
        if lzma is None:
            raise ImportError("this Python has no module lzma, which the recording needs")
        return bytes(lzma.decompress(stored))
    return zlib.decompress(stored) if codec == _ZLIB else stored


class Reader:
    """The records of a file, up to the first that is damaged or not whole.

    Attributes:
        damage: what is wrong with the rest of the file; empty if nothing.
        header: JSON of what the pool was made of.
    """

    def __init__(self, path: str) -> None:
        """Looks through the file, but reads no calls.

        Raises:
            OSError: it cannot be read.
            ValueError: it is no recording.
        """
        self.damage: str = ""
        self._file = open(path, "rb")  # noqa: SIM115 -- close() closes it
        # Of each record: kind, first result, first result behind it, place in the file.
        self._places: list[tuple[bytes, int, int, int]] = []
        self._next_place = len(MAGIC)  # of the record behind those
        is_recording = self._file.read(len(MAGIC)) == MAGIC
        if is_recording:
            self.look_again()
        headers = list(self.all(HEADER))
        if not is_recording or not headers:
            self._file.close()
            raise ValueError(f"{path} is no recording of pool.record(), or of another version")
        self.header: bytes = headers[0]

    def look_again(self) -> int:
        """Looks for records that were appended since; `damage` is then that of the file now.

        Returns:
            The number of the first new record.
        """
        self.damage = ""
        known = len(self._places)
        place = self._file.seek(self._next_place)
        while head := self._file.read(_RECORD.size):
            if len(head) < _RECORD.size:
                self.damage = f"its last record is cut off at byte {place}"
                break
            kind, _, size, _, first, end = _RECORD.unpack(head)
            self._places.append((kind, first, end, place))
            place = self._file.seek(place + _RECORD.size + size)
        self._next_place = place
        self._trim(known)
        return known

    def _trim(self, known: int) -> None:
        """Drops records at the end that are not whole, and those behind one that is damaged."""
        for number in range(known, len(self._places)):
            kind, _, _, place = self._places[number]
            is_last = number == len(self._places) - 1
            if is_last or kind not in (CALLS, KEYFRAME):
                try:
                    self.read(number)
                except ValueError as error:
                    self.damage = str(error)
                    self._next_place = place
                    del self._places[number:]
                    return
        if not self.has_end and not self.damage:
            self.damage = "it has no end: the program was killed, or is still running"

    @property
    def has_end(self) -> bool:
        """Whether the run has ended."""
        return any(kind == END for kind, *_ in self._places)

    def read(self, number: int) -> bytes:
        """The payload of the record with this number; ValueError if it is damaged."""
        kind, first, end, place = self._places[number]
        self._file.seek(place)
        head = self._file.read(_RECORD.size)
        _, codec, size, check, *_ = _RECORD.unpack(head)
        stored = self._file.read(size)
        if len(stored) < size:
            raise ValueError(f"its last record is cut off at byte {place}")
        if zlib.crc32(stored, zlib.crc32(_RECORD.pack(kind, codec, size, 0, first, end))) != check:
            raise ValueError(f"the record at byte {place} is damaged")
        return _decompressed(codec, stored)

    def find(self, *kinds: bytes) -> list[tuple[int, int]]:
        """(number, first result) of each record of these kinds."""
        return [(n, first) for n, (kind, first, *_) in enumerate(self._places) if kind in kinds]

    @property
    def results(self) -> int:
        """The number of results up to its last record."""
        return max((end for _, _, end, _ in self._places), default=0)

    def all(self, kind: bytes, since: int = 0) -> Iterator[bytes]:
        """The payloads of the records of a kind, from the one with the number `since` on."""
        for number, _ in self.find(kind):
            if number >= since:
                yield self.read(number)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def to_bytes(value: Any) -> bytes:
    """JSON of options: dicts with any keys, tuples as lists, and arrays.

    Raises:
        TypeError: something else.
    """
    return strict_json.dumps(_plain(value)).encode()


def from_bytes(data: bytes) -> Any:
    """The options again."""
    return _back(strict_json.loads(data))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return {"array of": str(value.dtype), "values": value.tolist()}
    return value


def _back(value: Any) -> Any:
    if isinstance(value, list):
        return [_back(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "array of" in value:
        return np.array(value["values"], value["array of"])
    return {key: _back(part) for key, part in value.items()}
