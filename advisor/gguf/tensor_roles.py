"""What each tensor of a decoder is for, told from its name (physics.md 1.1, llama.cpp's ``llama-arch.cpp``)."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

_BLOCK = re.compile(r"blk\.(0|[1-9][0-9]{0,5})\.([A-Za-z0-9_.]+)")
"""One spelling for each number: ``blk.00`` would be a second tensor in the same place."""

_GLOBAL = re.compile(r"[a-z_]+")
_ENDINGS = frozenset({"weight", "bias", "scale", "input_scale"})


class Role(Enum):
    """How a tensor takes part in one step."""

    __hash__ = object.__hash__  # an enumeration's own hashes the name each time, which counts with millions of look-ups

    EMBEDDING = auto()
    """Row look-up; the whole tensor is the head, too, when there is no other."""
    HEAD = auto()
    """Output matrix, read once per step that wants logits."""
    LOOKUP = auto()
    """Another table of which one row per token is read: positions, per-layer embeddings."""
    ATTENTION = auto()
    """Matrix of an attention, recurrent or convolution part."""
    FEED_FORWARD = auto()
    """Matrix of a feed-forward part that every token passes: dense, router, shared expert."""
    AROUND = auto()
    """Matrix outside the blocks that every token passes."""
    EXPERT = auto()
    """All routed experts' matrices of one layer, stacked."""
    EXPERT_SMALL = auto()
    """Biases and scales of the routed experts."""
    SMALL = auto()
    """Norms, biases, scales, sinks, convolution kernels: read whole, no matrix product."""
    NEXTN = auto()
    """Belongs to a block for multi-token prediction, which plain decode neither runs nor loads."""
    IGNORED = auto()
    """Position tables of a few hundred bytes."""
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Part:
    """A tensor's role; ``block`` is None outside the blocks, ``kind`` the name's middle ("attn_q")."""

    role: Role
    block: int | None
    kind: str


_ATTENTION = frozenset(
    {"attn_q", "attn_k", "attn_v", "attn_qkv", "attn_output", "attn_gate"}
    # latent attention
    | {"attn_q_a", "attn_q_b", "attn_kv_a_mqa", "attn_kv_b", "attn_k_b", "attn_v_b"}
    # state-space models, delta nets, short convolutions
    | {"ssm_in", "ssm_x", "ssm_dt", "ssm_out", "ssm_ba", "ssm_alpha", "ssm_beta"}
    | {"ssm_f_a", "ssm_f_b", "ssm_g_a", "ssm_g_b", "shortconv.in_proj", "shortconv.out_proj"}
    # RWKV
    | {"time_mix_w1", "time_mix_w2", "time_mix_decay_w1", "time_mix_decay_w2", "time_mix_key", "time_mix_value"}
    | {"time_mix_receptance", "time_mix_gate", "time_mix_output", "time_mix_a1", "time_mix_a2", "time_mix_v1"}
    | {"time_mix_v2", "time_mix_g1", "time_mix_g2"}
    # Gemma 3n
    | {"altup_router", "altup_predict_coef", "altup_correct_coef", "laurel_l", "laurel_r"}
)
_FEED_FORWARD = frozenset(
    {"ffn_gate", "ffn_up", "ffn_down", "ffn_gate_inp", "ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"}
    | {"ffn_gate_inp_shexp", "ffn_latent_down", "ffn_latent_up", "inp_gate", "proj"}
    | {"channel_mix_key", "channel_mix_value", "channel_mix_receptance"}
)
_EXPERTS = frozenset({"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps", "ffn_gate_up_exps"})
_SMALL = frozenset(
    {"attn_norm", "attn_norm_2", "attn_q_norm", "attn_k_norm", "attn_output_norm", "attn_sinks", "attn_sub_norm"}
    | {"attn_q_a_norm", "attn_kv_a_norm", "post_attention_norm", "post_ffw_norm", "post_ffw_norm_1", "post_norm"}
    | {"post_ffw_norm_2", "pre_ffw_norm_2", "ffn_norm", "ffn_norm_exps", "ffn_sub_norm", "ffn.act", "exp_probs_b"}
    | {"layer_output_norm", "layer_output_scale"}
    | {"ssm_a", "ssm_d", "ssm_conv1d", "ssm_conv1d_q", "ssm_conv1d_k", "ssm_conv1d_v", "ssm_norm", "ssm_dt_norm"}
    | {"ssm_b_norm", "ssm_c_norm", "shortconv.conv"}
    | {"time_mix_lerp_x", "time_mix_lerp_w", "time_mix_lerp_k", "time_mix_lerp_v", "time_mix_lerp_r", "time_mix_ln"}
    | {"time_mix_lerp_g", "time_mix_lerp_fused", "time_mix_first", "time_mix_decay", "time_mix_w0", "time_mix_a0"}
    | {"time_mix_v0", "time_mix_k_k", "time_mix_k_a", "time_mix_r_k", "channel_mix_lerp_k", "channel_mix_lerp_r"}
    | {"altup_correct_scale", "altup_router_norm", "laurel_post_norm"}
)
_POSITIONS = frozenset({"rope_freqs", "rope_factors_long", "rope_factors_short", "attn_rot_embd"})
_GLOBALS = {
    "output": Role.HEAD,
    "token_embd": Role.EMBEDDING,
    "output_norm": Role.SMALL,
    "token_embd_norm": Role.SMALL,
    "per_layer_proj_norm": Role.SMALL,
    "per_layer_token_embd": Role.LOOKUP,
    "position_embd": Role.LOOKUP,
    "per_layer_model_proj": Role.AROUND,
    "altup_proj": Role.AROUND,
    "altup_unembd_proj": Role.AROUND,
}


@lru_cache(maxsize=8192)  # the chooser draws up every model in every quantisation, each time with the same names
def part_of(name: str) -> Part:
    """The role of the tensor with this name; ``Role.UNKNOWN`` rather than a guess."""
    stem, dot, ending = name.rpartition(".")
    if ending not in _ENDINGS or not dot:
        stem, ending = name, ""
    block = _BLOCK.fullmatch(stem)
    if block:
        index, kind = int(block.group(1)), block.group(2)
        return Part(_block_role(kind, ending), index, kind)
    if stem in _POSITIONS:
        return Part(Role.IGNORED, None, stem)
    role = _GLOBALS.get(stem) if _GLOBAL.fullmatch(stem) else None
    if role is None or not ending:
        return Part(Role.UNKNOWN, None, name)
    # biases and scales of whatever matrix
    return Part(role if ending == "weight" else Role.SMALL, None, stem)


def _block_role(kind: str, ending: str) -> Role:
    if kind.startswith("nextn."):
        return Role.NEXTN
    if kind in _EXPERTS and ending:
        return Role.EXPERT if ending == "weight" else Role.EXPERT_SMALL
    if kind in _POSITIONS:
        return Role.IGNORED
    # a few norms and state-space vectors are stored without an ending
    if kind in _SMALL or (ending not in {"weight", ""} and kind in _ATTENTION | _FEED_FORWARD):
        return Role.SMALL
    if ending != "weight":
        return Role.UNKNOWN
    if kind in _ATTENTION:
        return Role.ATTENTION
    return Role.FEED_FORWARD if kind in _FEED_FORWARD else Role.UNKNOWN
