"""Any bytes, as the reader of GGUF files may meet them: see ``long_run.py`` for an hour of it."""
