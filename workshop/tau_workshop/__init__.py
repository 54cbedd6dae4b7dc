"""The workshop: makes and checks worlds and tasks. A run of an evaluation never imports it."""
