"""Training data: conversations with labels, split without leaks, in the formats that trainers read.

``making.py`` plays composed tasks, ``labels.py`` says what each conversation and each turn of it is worth,
``telling.py`` tells a conversation as its agent saw it, ``formats.py`` makes rows of it, ``splits.py`` keeps the splits
apart, ``writing.py`` writes them, ``card.py`` the card.
"""
