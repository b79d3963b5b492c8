"""What really happens: plans, the measuring child, its supervisor and the results."""
