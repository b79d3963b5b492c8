"""The engine of Two Machines: facts, ceilings, measurements, verdict, advice and report. Imports no toolkit."""

__version__ = "0.1.0"
