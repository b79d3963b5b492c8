"""Models already on this machine: one file per kind of place, and one that puts them together."""
