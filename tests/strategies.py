"""What property tests are tried on that hypothesis itself has, made cheaply."""

from functools import partial

from hypothesis import strategies as st

# The characters of st.text(), which takes two seconds of every process to find out what utf-8 can encode.
text = partial(st.text, st.characters(exclude_categories=["Cs"]))
