"""Files that somebody has crafted, for every reader there is: refused in one sentence, soon, in little memory.

``python -m tests.fuzz`` goes on for an hour; the tests take seconds.
"""
