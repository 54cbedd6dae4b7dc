"""Attacks derived by rule from a domain's own tasks."""
