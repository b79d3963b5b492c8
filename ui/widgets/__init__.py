"""Small reusable controls."""
