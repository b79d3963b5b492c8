"""Why: the user's request, where its seconds go, and which phase is the problem."""
