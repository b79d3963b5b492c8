"""What to do: one file per advice, ordered by seconds saved on this workload; and what will not help."""
