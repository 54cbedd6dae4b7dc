"""The words of the documents: written from the rules, so that a figure stands in one place."""
