"""One file per source of facts: ``parse…(text)`` is pure, ``read()`` is thin; probes never import each other."""
