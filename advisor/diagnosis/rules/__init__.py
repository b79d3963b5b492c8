"""One pure rule per file: evidence in, finding or None out."""
