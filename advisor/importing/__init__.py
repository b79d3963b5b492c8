"""Other tools' figures, as they are pasted, logged and saved, read into ``ReportedRun``; nothing is measured here."""
