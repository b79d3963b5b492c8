"""Tables, fonts, icons and texts that the program reads."""
