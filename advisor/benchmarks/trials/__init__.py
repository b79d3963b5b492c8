"""Experiments that try an advice: the thing as it is and the thing as advised, by turns, under one protocol."""
