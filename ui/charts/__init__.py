"""pyqtgraph lives here and nowhere else."""
