"""Every architecture family in one mapping."""

from collections.abc import Callable, Mapping

from tests.support.families_attention import ATTENTION_FAMILIES
from tests.support.families_dense import DENSE_FAMILIES
from tests.support.families_recurrent import RECURRENT_FAMILIES
from tests.support.gguf_builder import Gguf

FAMILIES: Mapping[str, Callable[[], Gguf]] = {**ATTENTION_FAMILIES, **DENSE_FAMILIES, **RECURRENT_FAMILIES}
"""Name -> builder of a tiny model."""
