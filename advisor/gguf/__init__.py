"""What this model is: header, facts and traffic of a GGUF file. Never reads a weight."""
