"""The Qt front end of Two Machines."""
