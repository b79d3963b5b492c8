import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.servers.prometheus import grown, parse


def test_names_labels_values_time_stamps_and_exemplars() -> None:
    scrape = parse(
        "# HELP a Words.\n# TYPE a counter\na 1\nb{} 2.5e3 1395066363000\n"
        'c_bucket{le="+Inf",m="a\\"b\\\\c\\n,}"} 3 # {id="1"} 0.67\n  d\t{x="1",}   NaN\n'
    )
    assert [sample.name for sample in scrape.samples] == ["a", "b", "c_bucket", "d"]
    assert scrape.samples[1].value == 2500
    assert scrape.samples[2].labels == {"le": "+Inf", "m": 'a"b\\c\n,}'}
    assert math.isnan(scrape.samples[3].value)
    assert scrape.damaged == 0


@pytest.mark.parametrize("line", ["a", "a one", "1a 2", 'a{b="c} 1', 'a{b=c} 1', "<html>", 'a{"b"} 1'])
def test_damaged_lines_are_counted_and_the_others_kept(line: str) -> None:
    scrape = parse(f"ok 1\n{line}\nok 2\n")
    assert scrape.total("ok") == 3
    assert scrape.damaged == 1


def test_totals_over_label_sets_and_what_grew() -> None:
    before, after = parse('n{e="0"} 1\nn{e="1"} 2\n'), parse('n{e="0"} 5\nn{e="1"} 2\nnew 4\nbad NaN\n')
    assert grown(before, after, "n") == 4
    assert grown(before, after, "new") == 4
    assert grown(before, after, "absent") is None
    assert grown(after, before, "n") is None, "a counter that fell was started anew"
    assert after.total("bad") is None


@given(st.text())
def test_never_raises(text: str) -> None:
    parse(text)
