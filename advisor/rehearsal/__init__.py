"""Models that are not here yet: their shapes, their files, and a rehearsal of them on the real engine."""
