"""Training data: conversations with labels, split without leaks, in the formats that trainers read.

``making.py`` plays composed tasks, ``labels.py`` says what each conversation and each turn of it is worth,
``rewording.py`` has a model say the agent's lines in other words, ``telling.py`` tells a conversation as its agent saw
it, ``formats.py`` makes rows of it, ``splits.py`` keeps the splits apart, ``writing.py`` writes them, ``card.py`` the
card.
"""
