"""Grades a finished conversation: one module for each criterion, ``grade`` combines them."""
