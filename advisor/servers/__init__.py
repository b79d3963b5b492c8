"""Running servers that somebody else built: recognised, measured through their OpenAI-compatible API, and advised."""
