"""The result store: every measurement ever made on this machine, one SQLite file that only grows."""
