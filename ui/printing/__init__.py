"""The PDF, drawn on QPdfWriter from a report document."""
