"""One page or dialog per file; layout and styling only."""
