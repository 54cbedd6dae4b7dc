"""What a picture file is, read off its bytes: its kind and size, or what is wrong with it; never anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.schema.pictures import WIDEST, read_header
from tests.pictures import EXTENDED, LOSSLESS, LOSSY, headed, jpeg, strip

GOOD = strip("WORD")
WHOLE = [GOOD, jpeg(), LOSSY, LOSSLESS, EXTENDED]


@pytest.mark.parametrize(
    ("content", "header"),
    [
        (GOOD, ("image/png", 32, 64)),
        (jpeg(), ("image/jpeg", 30, 20)),
        (b"\xff\xd8\xff\xff\xd0" + jpeg()[2:] + b"a preview", ("image/jpeg", 30, 20)),
        (LOSSY, ("image/webp", 40, 30)),
        (LOSSLESS, ("image/webp", 40, 30)),
        (EXTENDED, ("image/webp", 40, 30)),
    ],
)
def test_kind_and_size_are_read_off_the_bytes(content: bytes, header: tuple[str, int, int]) -> None:
    assert read_header(content) == header


@given(st.sampled_from([headed, jpeg]), st.integers(1, WIDEST), st.integers(1, WIDEST))
def test_every_size_that_is_allowed_is_read(make: object, width: int, height: int) -> None:
    header = read_header(make(width, height))  # type: ignore[operator]
    assert (header.width, header.height) == (width, height)
    assert read_header(headed(WIDEST, WIDEST)).width == WIDEST


@pytest.mark.parametrize(("width", "height"), [(0, 1), (1, 0), (WIDEST + 1, 1), (1, WIDEST + 1)])
def test_no_other_size_is_allowed(width: int, height: int) -> None:
    with pytest.raises(ValueError, match=f"says that it is {width}×{height} pixels; 1 to 16,384 per side are allowed"):
        read_header(headed(width, height))


@pytest.mark.parametrize("content", WHOLE, ids=["png", "jpeg", "lossy", "lossless", "extended"])
def test_no_part_of_a_picture_is_one(content: bytes) -> None:
    for end in range(len(content)):
        with pytest.raises(ValueError, match="is "):
            read_header(content[:end])


@given(st.integers(8 * 8, 8 * len(GOOD) - 1))
def test_a_bit_that_was_lost_on_the_way_is_noticed_in_a_png(bit: int) -> None:
    damaged = bytearray(GOOD)
    damaged[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ValueError, match="is a PNG that is"):
        read_header(bytes(damaged))


@given(st.sampled_from([b"", GOOD[:8], b"\xff\xd8", b"RIFF\x20\0\0\0WEBP", b"\xff\xd8\xff"]), st.binary(max_size=60))
def test_bytes_of_any_kind_are_a_picture_or_a_sentence(start: bytes, rest: bytes) -> None:
    said, header = "", None
    try:
        header = read_header(start + rest)
    except ValueError as error:
        said = str(error)
    assert said.startswith(("is ", "says ", "has ")) or header
