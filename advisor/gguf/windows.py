"""Which layers attend to a window only (physics.md 1.4)."""

from advisor.core.translation import tr, trn
from advisor.gguf.keys import Keys
from advisor.gguf.profiles import WINDOWED
from advisor.gguf.reasons import NotModelledError

_PATTERN = "attention.sliding_window_pattern"


def windows(keys: Keys, layers: int) -> list[int | None]:
    """The window of each layer in tokens, None for full attention.

    Raises:
        NotModelledError: when the file's pattern does not fit its layers, or is missing where the engine wants one.
    """
    windowing = WINDOWED.get(keys.architecture)
    if windowing is None or (windowing.only_layers and windowing.only_layers != layers):
        return [None] * layers
    given = keys.count("attention.sliding_window")
    tokens = windowing.default_tokens if given is None else given
    if tokens and windowing.fixed_tokens:
        tokens = windowing.fixed_tokens
    if not tokens:
        return [None] * layers
    if keys.length(_PATTERN) is not None:
        flags = keys.per_layer(_PATTERN, layers)
        if flags is None:
            raise NotModelledError(
                trn(
                    "{key} does not fit the {layers} layer", "{key} does not fit the {layers} layers", layers,
                    key=keys.full_name(_PATTERN), layers=layers,
                )
            )
        return [tokens if flag else None for flag in flags]
    if windowing.period is None:
        raise NotModelledError(
            tr("the file does not say which layers have a window ({key})", key=keys.full_name(_PATTERN))
        )
    period = keys.count(_PATTERN)
    if period is None:
        period = windowing.period
    return [tokens if _has_window(i, period, windowing.dense_first) else None for i in range(layers)]


def _has_window(layer: int, period: int, dense_first: bool) -> bool:
    if period == 0:
        return True
    return layer % period != 0 if dense_first else layer % period < period - 1
