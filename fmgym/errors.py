"""The errors users meet. Each carries one sentence that says what is wrong and what would be right."""


class FMGymError(Exception):
    """Base of all errors this package raises on purpose."""


class BadInput(FMGymError, ValueError):
    """A value, file or command that cannot be used as given."""


class Paused(FMGymError):
    """A run was left unfinished on purpose; the same call goes on with it."""


class CheckFailed(FMGymError):
    """A verification (of a log, a digest, a score) did not hold."""
