"""One file per format that needs no toolkit."""
