"""The family has no fused products: they round once where Gymnasium's Box2D rounds twice."""

import re
import subprocess
from pathlib import Path

LIBRARY = Path(__file__).parent / "_family.so"


def test_no_product_is_fused_with_a_sum() -> None:
    code = subprocess.run(
        ["objdump", "--disassemble", "--no-show-raw-insn", LIBRARY],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "mulss" in code
    assert "%zmm" in code  # the solver for AVX-512 is in the disassembly
    assert re.findall(r"\bvfn?m(?:add|sub)\S+", code) == []
