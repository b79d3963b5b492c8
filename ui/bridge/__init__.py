"""The only door to the engine."""
