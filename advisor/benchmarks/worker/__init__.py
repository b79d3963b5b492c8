"""The measuring child: standard library, numpy and llama_cpp only; it does not know what is expected of it."""
