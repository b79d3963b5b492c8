"""What physics allows: the upper bound of each phase, from what this machine was seen to read and compute."""
