"""The vocabulary that every other package speaks; imports nothing of ours."""
