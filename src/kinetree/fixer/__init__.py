"""Apply the repairs of rules to the texts of models, and prove that the robot stays the same."""
