"""Engines. The embedded one in two files: what it is, and how fast it is."""
