"""Answers a question by measuring: python -m benchmark QUESTION [options]."""

import ast
import difflib
import importlib
import pathlib
import sys

_FOLDER = pathlib.Path(__file__).parent / "questions"


def questions() -> dict[str, str]:
    """The first line of each question's docstring, by the question's name."""
    files = sorted(_FOLDER.glob("[!_]*.py"))
    trees = {f.stem: ast.parse(f.read_text()) for f in files if not f.stem.endswith("_test")}
    return {
        name: (ast.get_docstring(tree) or "").partition("\n")[0] for name, tree in trees.items()
    }


def main() -> None:
    """Lists the questions, or asks the one of the command line."""
    known = questions()
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-h", "--help"):
        print(f"{__doc__}\n\nmake bench QUESTION=... makes a question's environment first.\n")
        print("\n".join(f"  {question:<11} {line}" for question, line in known.items()))
        return
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
        sys.exit(f"there is no question {name!r}; did you mean {near}? --help lists all questions")
    sys.argv[:2] = [f"python -m benchmark {name}"]
    importlib.import_module(f"benchmark.questions.{name}").main()


if __name__ == "__main__":
    # The installed packages come first: this folder has the sources of parallel_pool, too.
    sys.path.append(sys.path.pop(0))
    main()
