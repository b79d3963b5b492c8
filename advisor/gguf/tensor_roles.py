"""What each tensor of a transformer decoder is for, told from its name (physics.md 1.1)."""

import re
from dataclasses import dataclass
from enum import Enum, auto

_BLOCK = re.compile(r"blk\.(\d{1,6})\.([A-Za-z0-9_]+)\.(weight|bias|scale|input_scale)")
_GLOBAL = re.compile(r"([a-z_]+)\.(weight|bias|scale|input_scale)")


class Role(Enum):
    """How a tensor takes part in one step."""

    EMBEDDING = auto()
    """Row look-up; the whole tensor is the head, too, when there is no other."""
    HEAD = auto()
    """Output matrix, read once per step that wants logits."""
    ATTENTION = auto()
    """Matrix of an attention part."""
    FEED_FORWARD = auto()
    """Matrix of a feed-forward part that every token passes: dense, router, shared expert."""
    EXPERT = auto()
    """All routed experts' matrices of one layer, stacked."""
    EXPERT_SMALL = auto()
    """Biases and scales of the routed experts."""
    SMALL = auto()
    """Norms, biases, scales, sinks: read whole, no matrix product."""
    IGNORED = auto()
    """Position tables of a few hundred bytes."""
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Part:
    """A tensor's role; ``block`` is None outside the blocks, ``kind`` the name's middle ("attn_q")."""

    role: Role
    block: int | None
    kind: str


_ATTENTION = frozenset({"attn_q", "attn_k", "attn_v", "attn_qkv", "attn_output"})
_FEED_FORWARD = frozenset(
    {"ffn_gate", "ffn_up", "ffn_down", "ffn_gate_inp", "ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"}
    | {"ffn_gate_inp_shexp"}
)
_EXPERTS = frozenset({"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps", "ffn_gate_up_exps"})
_SMALL = frozenset(
    {"attn_norm", "attn_norm_2", "attn_q_norm", "attn_k_norm", "attn_output_norm", "attn_sinks", "ffn_norm"}
    | {"post_attention_norm", "post_ffw_norm", "layer_output_norm", "exp_probs_b"}
)
_POSITIONS = frozenset({"rope_freqs", "rope_factors_long", "rope_factors_short"})


def part_of(name: str) -> Part:
    """The role of the tensor with this name; ``Role.UNKNOWN`` rather than a guess."""
    block = _BLOCK.fullmatch(name)
    if block:
        index, kind, ending = int(block.group(1)), block.group(2), block.group(3)
        return Part(_block_role(kind, ending), index, kind)
    whole = _GLOBAL.fullmatch(name)
    if not whole:
        return Part(Role.UNKNOWN, None, name)
    kind, ending = whole.group(1), whole.group(2)
    if kind in _POSITIONS:
        return Part(Role.IGNORED, None, kind)
    if kind in {"output_norm", "token_embd_norm"} or (kind == "output" and ending != "weight"):
        return Part(Role.SMALL, None, kind)
    if ending == "weight" and kind in {"output", "token_embd"}:
        return Part(Role.HEAD if kind == "output" else Role.EMBEDDING, None, kind)
    return Part(Role.UNKNOWN, None, kind)


def _block_role(kind: str, ending: str) -> Role:
    if kind in _EXPERTS:
        return Role.EXPERT if ending == "weight" else Role.EXPERT_SMALL
    if kind in _POSITIONS:
        return Role.IGNORED
    if kind in _SMALL or (ending != "weight" and kind in _ATTENTION | _FEED_FORWARD):
        return Role.SMALL
    if kind in _ATTENTION:
        return Role.ATTENTION
    return Role.FEED_FORWARD if kind in _FEED_FORWARD else Role.UNKNOWN
