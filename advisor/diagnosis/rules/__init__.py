"""One pure rule per file: the evidence of a phase in, a finding or nothing out. Rules do not know each other."""
