"""Collects the keys and tensors of a model that is being drawn up; every method adds what its name says."""

from collections.abc import Sequence
from math import prod

from advisor.gguf.header import TensorInfo, Value
from advisor.gguf.quant_types import BY_NAME
from advisor.rehearsal.shape import Shape


class Draft:
    """A model in the making; matrices are F16, vectors F32, as converters write them."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.keys: dict[str, Value] = {}
        self.tensors: list[TensorInfo] = []

    def key(self, name: str, value: Value) -> None:
        """A key below the architecture's name."""
        self.keys[f"{self.shape.architecture}.{name}"] = value

    def add(self, name: str, dims: Sequence[int], type_name: str) -> None:
        """A tensor; offsets are given when a file is laid out."""
        found = BY_NAME[type_name]
        self.tensors.append(TensorInfo(name, tuple(dims), found.id, 0, found.bytes_of(prod(dims))))

    def matrix(self, name: str, *dims: int) -> None:
        """Weights that are quantised."""
        self.add(f"{name}.weight", dims, "F16")

    def vector(self, name: str, *dims: int) -> None:
        """Norms, routers and the like, which stay F32."""
        self.add(f"{name}.weight", dims, "F32")

    def bias(self, name: str, *dims: int) -> None:
        """What is added to a matrix's products."""
        self.add(f"{name}.bias", dims, "F32")

    def bare(self, name: str, *dims: int) -> None:
        """A vector whose name has no ending."""
        self.add(name, dims, "F32")
