from tools.lint import sizes


def python(lines: int) -> str:
    return "def f(x):\n" + '    """Text.\n\n    More.\n    """\n' + "    x += 1\n" * (lines - 1)


def cpp(lines: int) -> str:
    body = "  x += 1;\n" * (lines - 2)
    return f"namespace a {{\nint Pool::F(int x) const {{\n{body}}}\n}}  // namespace a\n"


def test_a_function_may_have_60_lines_without_its_docstring() -> None:
    assert sizes.faults({"a.py": python(60), "a.cc": cpp(60)}, {}) == []
    assert sizes.faults({"a.py": python(61)}, {}) == ["a.py: f() has 61 lines; 60 are allowed"]
    assert sizes.faults({"a.cc": cpp(61)}, {}) == ["a.cc: F() has 61 lines; 60 are allowed"]


def test_a_constructor_ends_at_its_own_indent() -> None:
    body = "  x += 1;\n" * 70
    text = f"A::A(int x)\n    : a_(x),\n      b_(x) {{\n{body}}}\n"
    assert sizes.faults({"a.cc": text}, {}) == ["a.cc: b_() has 72 lines; 60 are allowed"]
    assert sizes.faults({"a.cc": f"A::A()\n    : a_(1) {{\n}}\n{'int a;' * 70}\n"}, {}) == []


def test_loops_are_no_functions() -> None:
    text = "void F() {\n" + "}\n" + "  for (;;) {\n" + "x;\n" * 70 + "  }\n"
    assert sizes.faults({"a.cc": text}, {}) == []


def test_a_file_may_have_350_lines() -> None:
    assert sizes.faults({"a.py": "x = 1\n" * 350}, {}) == []
    (fault,) = sizes.faults({"a.h": "int a;\n" * 351}, {})
    assert fault == "a.h has 351 lines; 350 are allowed: split it"


def test_the_list_may_only_shrink() -> None:
    long = {"a.cc: F": "a table"}
    assert sizes.faults({"a.cc": cpp(61)}, long) == []
    fault = "a.cc: F: LONG in sizes.py need not name it"
    assert sizes.faults({"a.cc": cpp(60)}, long) == [fault]
    assert sizes.faults({}, long) == [fault]
