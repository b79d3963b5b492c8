import pytest

from advisor.gguf.quant_types import BY_NAME, TYPES, file_type_label, type_name


@pytest.mark.parametrize(
    ("name", "row_bytes"),
    [
        ("F16", 8192),
        ("Q8_0", 4352),
        ("Q4_0", 2304),
        ("Q4_K", 2304),
        ("Q6_K", 3360),
        ("MXFP4", 2176),
        ("NVFP4", 2304),
    ],
)
def test_a_row_of_4096_elements(name: str, row_bytes: int) -> None:
    assert BY_NAME[name].bytes_of(4096) == row_bytes


def test_the_newest_type_of_the_vendored_engine_is_known() -> None:
    newest = TYPES[42]
    assert (newest.name, newest.block_elements, newest.block_bytes) == ("Q2_0", 64, 18)
    assert newest.bits_per_weight == 2.25


def test_withdrawn_numbers_stay_unknown() -> None:
    assert not {4, 5, 31, 32, 33, 36, 37, 38} & set(TYPES)
    assert type_name(153) == "type 153"


def test_a_broken_block_is_refused() -> None:
    with pytest.raises(ValueError, match="whole blocks of 256"):
        BY_NAME["Q4_K"].bytes_of(255)


def test_names_and_numbers_are_unique() -> None:
    assert len(BY_NAME) == len(TYPES) == 35


@pytest.mark.parametrize(
    ("number", "label"),
    [(7, "Q8_0"), (15, "Q4_K_M"), (38, "MXFP4_MOE"), (41, "Q2_0"), (1024 + 15, "Q4_K_M"), (5, None), (99, None)],
)
def test_file_type_labels(number: int, label: str | None) -> None:
    assert file_type_label(number) == label
