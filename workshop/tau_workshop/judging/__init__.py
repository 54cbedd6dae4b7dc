"""What a judge is measured with and by whom: planted breaches, people's labels, and the passport made of them."""
