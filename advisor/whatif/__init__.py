"""What other hardware would do to this model and this work: both phases, ranges, memory, money; pure functions."""
