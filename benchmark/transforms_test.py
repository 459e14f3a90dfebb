"""transforms.py: the table of costs."""

from benchmark import transforms


def test_shows_the_cost_of_each_pool() -> None:
    found = {name: 20.0 + k for k, name in enumerate(transforms.OPTIONS)}
    rows = transforms.table(found).splitlines()[2:]
    assert [row.split("|")[3].strip() for row in rows] == [
        *("+0.0%", "+5.0%", "+10.0%", "+15.0%", "+20.0%")
    ]
