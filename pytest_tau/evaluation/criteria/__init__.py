"""The criteria of a reward, and the checks of the trajectory: one file each."""
