"""Results held against each other: prefill and decode apart, like with like, and chance told from difference."""
