"""The front door: stages in order, with progress, cancel and partial results."""
