"""How much of a wrong agent the grading of a suite notices."""
