"""What a search finds on an invented machine."""

from pathlib import Path

from advisor.gguf.discover.model import Discovery, FoundModel, Source

GB = 10**9


def some_models() -> Discovery:
    """Eleven models of every source: short and long names, a set, an incomplete set, and a remark."""
    rows: tuple[tuple[str, float, Source, int, int], ...] = (
        ("DeepSeek-R1-0528-UD-Q2_K_XL", 251.0, Source.LM_STUDIO, 6, 2),
        ("gemma-3-270m-q4_k_m", 0.253, Source.OWN, 1, 0),
        ("gemma-3-12b-it-Q4_K_M", 7.3, Source.LM_STUDIO, 1, 0),
        ("gpt-oss:20b", 13.8, Source.OLLAMA, 1, 0),
        ("hf.co/bartowski/Qwen_Qwen3-30B-A3B-Instruct-2507-GGUF:Q4_K_M", 18.6, Source.OLLAMA, 1, 0),
        ("llama3.2:1b", 1.32, Source.OLLAMA, 1, 0),
        ("Meta-Llama-3.1-70B-Instruct-Q4_K_M", 42.5, Source.HUGGING_FACE, 2, 0),
        ("Meta-Llama-3.1-8B-Instruct-Q4_K_M", 4.92, Source.HUGGING_FACE, 1, 0),
        ("Mistral-Small-3.2-24B-Instruct-2506-UD-Q4_K_XL", 14.5, Source.LLAMA_CPP, 1, 0),
        ("Phi-3-mini-4k-instruct.Q4_0", 2.18, Source.GPT4ALL, 1, 0),
        ("Qwen3-8B-IQ4_XS", 4.56, Source.JAN, 1, 0),
    )
    models = tuple(
        FoundModel(name, Path("/models", f"{name}.gguf"), round(size_gb * GB), source, shards, missing)
        for name, size_gb, source, shards, missing in rows
    )
    return Discovery(models, ("You have no permission to read /usr/share/ollama/.ollama/models/manifests.",))
