import pathlib

import pytest

from tools.docs import readmes

LINKS = """[a](../../../docs/faq.md#top) [b](../mpe/README.md#x) [c](https://a.org) [d](#here)
[e](../../../README.md) [f](no_file.md) `[](int x) {}`"""


def test_links_of_a_readme_lead_to_pages() -> None:
    folder = readmes.ROOT / "parallel_pool/envs/toy_text"
    docs = readmes.ROOT / "docs"
    assert readmes.link_to_pages(LINKS, folder, docs / "readmes", docs) == (
        "[a](../faq.md#top) [b](mpe.md#x) [c](https://a.org) [d](#here)\n"
        "[e](../../README.md) [f](no_file.md) "
        "`[](int x) {}`"
    )


def test_links_of_a_page_lead_to_readmes_that_are_pages() -> None:
    docs = readmes.ROOT / "docs"
    text = "[a](../parallel_pool/envs/mpe/README.md) [b](faq.md)"
    assert readmes.link_to_pages(text, docs, docs, docs) == "[a](readmes/mpe.md) [b](faq.md)"


@pytest.mark.parametrize("page", sorted(readmes.READMES))
def test_every_readme_is_a_page(page: str, tmp_path: pathlib.Path) -> None:
    readmes.write(tmp_path)
    text = (tmp_path / "readmes" / f"{page}.md").read_text()
    assert text.startswith("# ") and len(text) > 500


def test_the_source_of_a_page() -> None:
    docs = readmes.ROOT / "docs"
    assert readmes.source(docs / "faq.md") == docs / "faq.md"
    assert readmes.source(docs / "readmes/atari.md") == readmes.ROOT / readmes.READMES["atari"]
