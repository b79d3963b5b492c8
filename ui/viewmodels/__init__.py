"""State for screens; QtCore and QtGui only."""
