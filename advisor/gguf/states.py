"""Which layers keep a recurrent state, and how large it is (llama.cpp's ``llama-hparams.cpp``, read 2026-11-29)."""

from collections.abc import Mapping

from advisor.core.translation import tr, trn
from advisor.gguf.header import TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.layers import RecurrentLayer
from advisor.gguf.profiles import RECURRENT, Recurs, State
from advisor.gguf.reasons import NotModelledError

_DEFAULT_INTERVAL = 4
_TOKEN_SHIFTS = (1, 2)
_DEFAULT_TOKEN_SHIFTS = 2


def recurrent_layers(keys: Keys, layers: int, kv_heads: tuple[int, ...]) -> tuple[bool, ...]:
    """For each layer, whether it keeps a state.

    Raises:
        NotModelledError: when the file does not say.
    """
    recurrence = RECURRENT.get(keys.architecture)
    if recurrence is None:
        return (False,) * layers
    match recurrence.which:
        case Recurs.ALL | Recurs.BESIDE_ATTENTION:
            return (True,) * layers
        case Recurs.NO_KV_HEADS:
            return tuple(heads == 0 for heads in kv_heads)
        case Recurs.NO_KV_HEADS_NO_FFN:
            wide = _feed_forward(keys, layers)
            return tuple(heads == 0 and width == 0 for heads, width in zip(kv_heads, wide, strict=True))
        case Recurs.INTERVAL:
            return _by_interval(keys, layers)


def attending_layers(keys: Keys, layers: int, recurrent: tuple[bool, ...]) -> tuple[bool, ...]:
    """For each layer, whether it has attention."""
    recurrence = RECURRENT.get(keys.architecture)
    if recurrence is None:
        return (True,) * layers
    if recurrence.which is Recurs.BESIDE_ATTENTION:
        return (True,) * layers
    if recurrence.which is Recurs.NO_KV_HEADS_NO_FFN:
        wide = _feed_forward(keys, layers)
        return tuple(not state and width == 0 for state, width in zip(recurrent, wide, strict=True))
    return tuple(not state for state in recurrent)


def _feed_forward(keys: Keys, layers: int) -> tuple[int, ...]:
    wide = keys.per_layer("feed_forward_length", layers)
    if wide is None:
        raise NotModelledError(tr("the file has no usable key {key}", key=keys.full_name("feed_forward_length")))
    return wide


def _by_interval(keys: Keys, layers: int) -> tuple[bool, ...]:
    flags = keys.per_layer("attention.recurrent_layers", layers)
    if flags is not None:
        return tuple(flag != 0 for flag in flags)
    if keys.says_so("attention.recurrent_layers"):
        raise NotModelledError(
            trn(
                "{key} does not fit the {layers} layer",
                "{key} does not fit the {layers} layers",
                layers,
                key=keys.full_name("attention.recurrent_layers"),
                layers=layers,
            )
        )
    interval = keys.count("full_attention_interval")
    if interval is None:
        interval = _DEFAULT_INTERVAL
    if not interval:
        raise NotModelledError(tr("{key} is 0", key=keys.full_name("full_attention_interval")))
    return tuple((layer + 1) % interval != 0 for layer in range(layers))


def state_of(keys: Keys, heads: int, embedding: int, kernels: Mapping[str, TensorInfo]) -> RecurrentLayer:
    """The state of one recurrent layer.

    Args:
        keys: of the file; its architecture is one of ``RECURRENT``.
        heads: query heads of the first layer.
        embedding: length of an embedding row.
        kernels: one recurrent layer's tensors by kind, to check the keys against.

    Raises:
        NotModelledError: when a key is missing, or contradicts the convolution's shape.
    """
    state = RECURRENT[keys.architecture].state
    if state is State.RWKV:
        return _rwkv(keys, embedding, kernels)
    if state is State.SHORT_CONVOLUTION:
        length = _needed(keys, "shortconv.l_cache")
        _check(kernels, "shortconv.conv", (length, embedding))
        return RecurrentLayer(state.value, embedding * (length - 1), 0)
    kernel = keys.count("ssm.conv_kernel") or 0
    if state is State.KDA:
        size = _needed(keys, "kda.head_dim")
        kept = kernel - 1 if kernel else 3
        _check(kernels, "ssm_f_b", (size, heads * size))
        _check(kernels, "ssm_conv1d_q", (kept + 1,))
        return RecurrentLayer(state.value, 3 * kept * heads * size, size * size * heads)
    inner, size = _needed(keys, "ssm.inner_size"), _needed(keys, "ssm.state_size")
    groups = 0 if state is State.MAMBA else _needed(keys, "ssm.group_count")
    width = inner + 2 * groups * size
    if keys.architecture == "plamo2":
        if keys.count("ssm.group_count"):
            # llama.cpp makes room for the groups and then gives up on them
            raise NotModelledError(
                tr("the file declares groups of states, which llama.cpp does not run in this architecture")
            )
        _check(kernels, "ssm_b_norm", (size,))
    elif state is State.MAMBA:
        _check(kernels, "ssm_a", (size, inner))
    _check(kernels, "ssm_conv1d", (kernel, width))
    _check(kernels, "ssm_out", (inner,))
    return RecurrentLayer(state.value, max(kernel - 1, 0) * width, size * inner)


def _rwkv(keys: Keys, embedding: int, kernels: Mapping[str, TensorInfo]) -> RecurrentLayer:
    size, shifts = _needed(keys, "wkv.head_size"), keys.count("token_shift_count")
    shifts = _DEFAULT_TOKEN_SHIFTS if shifts is None else shifts
    if shifts not in _TOKEN_SHIFTS or embedding % size:
        raise NotModelledError(
            tr(
                "a state of {shifts} token shifts and heads of {size} is none that engines run",
                shifts=shifts,
                size=size,
            )
        )
    _check(kernels, "time_mix_output", (embedding, embedding))
    return RecurrentLayer(State.RWKV.value, shifts * embedding, embedding * size)


def _needed(keys: Keys, name: str) -> int:
    found = keys.count(name)
    if not found:
        raise NotModelledError(tr("the file has no usable key {key}", key=keys.full_name(name)))
    return found


def _check(kernels: Mapping[str, TensorInfo], kind: str, dims: tuple[int, ...]) -> None:
    """The first dimensions of a tensor, which bear out what the keys say of the state."""
    kernel = kernels.get(kind)
    if kernel is None or kernel.dims[: len(dims)] != dims:
        raise NotModelledError(tr("the shape of {kind} contradicts the state that the file declares", kind=kind))
