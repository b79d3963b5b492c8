"""Why a model's traffic is not known."""


class NotModelledError(Exception):
    """Carries the reason, as a clause in the user's language, to the one place that makes an ``Unknown`` of it."""
