"""Lines that a person might type, for ``--help`` and the guide."""

from typing import Final

EXAMPLES: Final = {
    "machine": ("machine --json machine.json",),
    "inspect": ("inspect MODEL.gguf",),
    "ceilings": ("ceilings MODEL.gguf --depth 4096",),
    "bench": ("bench MODEL.gguf -p 512 -n 128 -r 5", "bench MODEL.gguf --json bench.json"),
    "sweep": ("sweep threads MODEL.gguf", "sweep batch MODEL.gguf --streams 1,2,4,8", "sweep chunk MODEL.gguf -P 2048"),
    "diagnose": (
        "diagnose MODEL.gguf --workload rag --pdf report.pdf",
        "diagnose MODEL.gguf --prompt 6000 --shared 500 --answer 300 --plan standard --html report.html",
    ),
    "try": ("try MODEL.gguf", "try MODEL.gguf shorten-prompt --rounds 5"),
    "rehearse": ("rehearse --list", "rehearse Qwen3-8B --quant Q4_K_M"),
    "what-if": ("what-if MODEL.gguf --gpu 'RTX 4090' --price 1600",),
    "choose": ("choose --workload rag --sort quality",),
    "server": ("server http://127.0.0.1:8080 --users 1,2,4",),
    "server-log": ("server-log server.log --watch 60",),
    "engines": ("engines --check",),
    "models": ("models ~/models",),
    "history": ("history --limit 5", "history --text winter --since 2026-11-30"),
    "compare": ("compare 12 14", "compare before.json after.json --md compared.md"),
    "import": ("import llama-bench.md", "import - --show-only"),
    "desktop": ("desktop install",),
    "history show": ("history show 12",),
    "history export": ("history export 12 --pdf report.pdf", "history export 12 --csv -"),
    "history label": ("history label 12 before the new memory", "history label 12 --clear"),
    "history note": ("history note 12 window open, fan cleaned", "history note 12"),
    "history delete": ("history delete 14",),
    "history restore": ("history restore 14",),
    "about": ("about --licences",),
    "selftest": ("selftest --forget",),
    "sample": ("sample", "sample ~/models"),
    "gui": ("gui MODEL.gguf",),
}
"""Command, with its action -> lines that a person might type; a test gives each to the parser."""


def examples_words(name: str, program: str) -> str:
    """The end of a command's help."""
    lines = [f"  {program} {line}" for line in EXAMPLES[name]]
    return "\n".join([f"example{'s' if len(lines) > 1 else ''}:", *lines])
