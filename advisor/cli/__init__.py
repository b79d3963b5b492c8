"""The command line: parsing, one function per command, and how results and errors look in a terminal."""
