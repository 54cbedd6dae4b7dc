"""Questions to a model: natural-language assertions, consent that no rule decides, and the customer's conduct."""
