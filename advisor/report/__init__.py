"""The whole result as one frozen document, the only numbers-to-text module, and the exporters."""
