"""Attacks on agents, each beside a benign twin: written for the built-in domains, derived for others."""
