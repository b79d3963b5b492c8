"""The stutter experiment: what running streams feel while somebody's prompt is read in pieces."""
