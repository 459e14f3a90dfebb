"""Random programs for the console: they reach parts of the emulator that no game uses."""

import numpy as np

SIZE = 4096
_BASE = 0xF000
# Opcodes that end the program, or that would leave it.
_JAMS = {0x02, 0x12, 0x22, 0x32, 0x42, 0x52, 0x62, 0x72, 0x92, 0xB2, 0xD2, 0xF2}
_LEAPS = {0x00, 0x40, 0x60, 0x20, 0x6C, 0x4C, 0x9A, 0x9B, 0xBB}
_OPCODES = [opcode for opcode in range(256) if opcode not in _JAMS | _LEAPS]
_STORES = [0x84, 0x85, 0x86]  # STY, STA, STX of page zero
_LOADS = [0xA0, 0xA2, 0xA9]  # immediate LDY, LDX, LDA
_LOADS_FAR = [0xAC, 0xAE, 0xAD]  # absolute LDY, LDX, LDA
_READS = [0x05, 0x24, 0xA5]  # ORA, BIT, LDA of page zero
_WSYNC = [0x85, 0x02]
_HMOVE = [0x85, 0x2A]


def _length(opcode: int) -> int:
    mode, column = opcode >> 2 & 7, opcode & 3
    if mode in (2, 6):
        return (1 if column in (0, 2) else 2) + (mode == 6 and column in (1, 3))
    if mode in (3, 7):
        return 3
    return 1 if mode == 4 and column == 2 else 2


class _Writer:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.code: list[int] = []

    def below(self, end: int) -> int:
        return int(self.rng.integers(end))

    def one_of(self, choices: list[int]) -> int:
        return choices[self.below(len(choices))]

    def instruction(self) -> list[int]:
        """An instruction that does not jump; most often it writes to the video chip."""
        kind = self.below(100)
        if kind < 35:
            return [self.one_of(_STORES), 4 + self.below(0x29)]
        if kind < 45:
            return [self.one_of(_LOADS), self.below(256)]
        if kind < 49:
            return _WSYNC
        if kind < 53:
            return [self.one_of(_READS), self.below(0x10)]  # collisions, inputs
        if kind < 57:
            return [0xAD, self.one_of([0x80, 0x82, 0x84, 0x85, 0x86]), 0x02]  # ports, timer
        if kind < 59:
            return [0x8D, self.one_of([0x80, 0x81, 0x94, 0x95, 0x96, 0x97]), 0x02]
        if kind < 63:
            return _HMOVE
        if kind < 64:
            return self.wait()
        return self.any_instruction()

    def wait(self) -> list[int]:
        """A loop until the timer has run out."""
        load = [self.one_of(_LOADS_FAR), self.one_of([0x84, 0x86, 0x8C, 0x94]), 0x02]
        return [*load, self.one_of([0xD0, 0x10]), 0xFB]

    def any_instruction(self) -> list[int]:
        opcode = self.one_of(_OPCODES)
        if opcode & 0x1F == 0x10:  # a branch
            back = self.below(20) == 0
            return [opcode, self.one_of([0, 1, 2, 0xFC, 0xFE]) if back else self.below(6)]
        if _length(opcode) == 1:
            return [opcode]
        if _length(opcode) == 2:
            return [opcode, self.below(256) if self.below(3) == 0 else 128 + self.below(128)]
        pages = [0x00, 0x01, 0x02, 0x10, 0xF0, 0xF1, 0xF5, 0xFF, self.below(256)]
        return [opcode, self.below(256), self.one_of(pages)]

    def instructions(self, count: int) -> list[int]:
        return [byte for _ in range(count) for byte in self.instruction()]

    def frame(self) -> None:
        """Adds a frame: VSYNC of about the right length, different lines, and a loop of lines."""
        self.code += [0xA9, 2, 0x85, 0x00, *_WSYNC]
        regular = self.below(2) == 0
        self.code += [*_WSYNC, *_WSYNC] if regular else self.instructions(self.below(30))
        self.code += [0xA9, 0, 0x85, 0x00]
        if self.below(2) == 0:
            self.code += [0x85, 0x01]
        self.code += self.instructions(20 + self.below(140))
        if self.below(10) == 0:
            return
        self.code += [0xA9, 20 + self.below(230), 0x85, 0xFE]
        top = _BASE + len(self.code)
        self.code += [*self.instructions(1 + self.below(13)), *_WSYNC, 0xC6, 0xFE]
        self.code += [0xF0, 3, 0x4C, top & 255, top >> 8]

    def calm_write(self) -> list[int]:
        """A write that is the same in each frame, or depends on the frame's number in 0x80."""
        kind = self.below(20)
        register = 4 + self.below(0x29)
        if kind < 4:
            return _HMOVE
        if kind < 6:
            return [0xA5, self.below(8), 0x85, 0x90 + self.below(16)]  # keeps a collision
        if kind < 7:
            return [0xA5, 0x80, 0x85, register]
        if kind < 8:
            return [0xA5, 0x80, 0x29, 4, 0xF0, 2, 0x85, register]  # in half of the frames
        if kind < 9:
            return [0xA0, self.below(256), 0x84, 0xFF]  # takes time
        return [0xA2, self.below(256), 0x86, register]

    def calm_lines(self, count: int) -> None:
        """Scanlines with the same writes at the same cycles."""
        self.code += [0xA9, count, 0x85, 0xFE]
        top = _BASE + len(self.code)
        self.code += _WSYNC
        for _ in range(self.below(6)):
            self.code += self.calm_write()
        self.code += [0xC6, 0xFE, 0xF0, 3, 0x4C, top & 255, top >> 8]

    def calm_frame(self) -> None:
        """Adds a frame as of a game: a scanline mostly equals that of the frame before."""
        self.code += [0xE6, 0x80, 0xA9, 2, 0x85, 0x00, *_WSYNC, *_WSYNC, *_WSYNC]
        self.code += [0xA9, 30 + self.below(12), 0x8D, 0x96, 0x02, 0xA9, 0, 0x85, 0x00]
        for register in (0x2B, 0x10, 0x11, 0x12, 0x13, 0x14):  # all objects where they were
            self.code += [0x85, register]
        for _ in range(self.below(20)):
            self.code += self.calm_write()
        self.code += [*self.wait(), 0xA9, 0, 0x85, 0x01]
        lines = 0
        while lines < 200:
            count = 1 + self.below(1 + self.below(90))
            self.calm_lines(count)
            lines += count
        self.code += [0xA9, 2, 0x85, 0x01]
        self.calm_lines(20 + self.below(20))

    def program(self) -> bytes:
        self.code = [0x78, 0xD8, 0xA2, 0xFF, 0x9A]  # SEI, CLD, the stack
        top = _BASE + len(self.code)
        if self.below(2) == 0:
            for _ in range(self.one_of([1, 1, 2, 3])):
                self.calm_frame()
            return self.image(top)
        while len(self.code) < SIZE - 700:
            self.frame()
        return self.image(top, broken=self.below(2) == 0)

    def image(self, top: int, broken: bool = False) -> bytes:
        """The code as an endless loop; `broken`: with some other opcodes in it."""
        self.code += [0x4C, top & 255, top >> 8]
        image = np.full(SIZE, 0xEA, np.uint8)  # NOP
        image[: len(self.code)] = self.code
        if broken:
            for _ in range(self.below(20)):
                image[self.below(SIZE)] = self.one_of(_OPCODES)
        image[-4:] = [_BASE & 255, _BASE >> 8] * 2
        return image.tobytes()


def random_program(seed: int) -> bytes:
    """A ROM image of SIZE bytes."""
    return _Writer(seed).program()
