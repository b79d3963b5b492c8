"""Run as a program: loads one tiny model with llama.cpp and prints what the engine says about it, as JSON.

    python engine_probe.py MODEL N_CTX UBATCH SEQUENCES SWA_FULL TYPE_K TYPE_V UNIFIED

The answer holds the engine's parameter count and tensor bytes, its log lines, and for one decoded token the weights
that its graph touches with the products it makes of them; the products again for a prompt of four tokens. It knows
nothing about this project.
"""

import ctypes
import json
import sys

import llama_cpp as lib

PROMPT = 4

MAX_DIMS, MAX_SRC, MAX_NAME = 4, 10, 64


class GgmlTensor(ctypes.Structure):
    """``struct ggml_tensor`` of ggml 0.25, up to the name."""


GgmlTensor._fields_ = [
    ("type", ctypes.c_int),
    ("buffer", ctypes.c_void_p),
    ("ne", ctypes.c_int64 * MAX_DIMS),
    ("nb", ctypes.c_size_t * MAX_DIMS),
    ("op", ctypes.c_int),
    ("op_params", ctypes.c_int32 * 16),
    ("flags", ctypes.c_int32),
    ("src", ctypes.POINTER(GgmlTensor) * MAX_SRC),
    ("view_src", ctypes.POINTER(GgmlTensor)),
    ("view_offs", ctypes.c_size_t),
    ("data", ctypes.c_void_p),
    ("name", ctypes.c_char * MAX_NAME),
]

log: list[str] = []
touched: dict[str, list[str]] = {}
products: dict[str, int] = {}
caches: dict[str, int] = {}

base = ctypes.CDLL(str(next(lib.llama_cpp._base_path.glob("libggml-base.so"))))  # type: ignore[attr-defined]
base.ggml_op_name.restype = ctypes.c_char_p
base.ggml_op_name.argtypes = [ctypes.c_int]
base.ggml_nbytes.restype = ctypes.c_size_t
base.ggml_nbytes.argtypes = [ctypes.POINTER(GgmlTensor)]


@lib.llama_log_callback
def on_log(level: int, text: bytes, data: object) -> None:
    log.append(text.decode(errors="replace"))


@ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_bool, ctypes.c_void_p)
def on_node(address: int, ask: bool, data: object) -> bool:
    node = ctypes.cast(address, ctypes.POINTER(GgmlTensor)).contents
    op = base.ggml_op_name(node.op).decode()
    for index in range(MAX_SRC):
        source = node.src[index]
        if not source:
            continue
        root = source.contents
        while root.view_src:
            root = root.view_src.contents
        name = root.name.decode(errors="replace")
        # some graphs rename the state that they are given
        if name.startswith(("cache_", "conv_states_all", "ssm_states_all", "mamba_conv1d_state", "mamba_ssm_states")):
            caches[name] = base.ggml_nbytes(ctypes.byref(root))
        if op not in {"VIEW", "RESHAPE", "PERMUTE", "TRANSPOSE"}:
            ops = touched.setdefault(name, [])
            if op not in ops:
                ops.append(op)
        if op.startswith("MUL_MAT") and index == 0:
            made = node.ne[0] * node.ne[1] * node.ne[2] * node.ne[3] * source.contents.ne[0]
            products[name] = products.get(name, 0) + made
    return False


def decode(context: object, count: int) -> int:
    """Run ``count`` tokens, logits for the last one only; 0 when it went well."""
    tokens = (ctypes.c_int32 * count)(*range(1, count + 1))
    return int(lib.llama_decode(context, lib.llama_batch_get_one(tokens, count)))


def main() -> None:
    path, n_ctx, ubatch, sequences, swa_full, type_k, type_v, unified = sys.argv[1:]
    lib.llama_log_set(on_log, ctypes.c_void_p())
    lib.llama_backend_init()
    model_params = lib.llama_model_default_params()
    model_params.use_extra_bufts = False
    model_params.n_gpu_layers = 0
    model = lib.llama_model_load_from_file(path.encode(), model_params)
    answer: dict[str, object] = {"loaded": bool(model)}
    if model:
        answer |= {"parameters": lib.llama_model_n_params(model), "tensor_bytes": lib.llama_model_size(model)}
        params = lib.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = int(n_ctx), int(ubatch), int(ubatch)
        params.n_seq_max, params.swa_full = int(sequences), swa_full == "1"
        params.type_k, params.type_v = int(type_k), int(type_v)
        params.kv_unified = unified == "1"
        params.n_threads = params.n_threads_batch = 1
        params.cb_eval = ctypes.cast(on_node, type(params.cb_eval))
        context = lib.llama_init_from_model(model, params)
        answer["context"] = bool(context)
        if context:
            touched.clear()
            products.clear()
            answer["decoded"] = decode(context, 1)
            answer |= {"touched": dict(touched), "products": dict(products)}
            products.clear()
            answer["prompt_decoded"] = decode(context, PROMPT)
            answer["prompt_products"] = dict(products)
    print(json.dumps({**answer, "log": "".join(log).splitlines(), "caches": caches}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
