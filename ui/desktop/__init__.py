"""What the desktop around the window hears: a run has ended, how far it is, and that the computer must not sleep.

All of it is optional: where a desktop does not take it, nothing happens, nothing waits and nothing is said.
"""
