"""The PDF, drawn from a report document."""
