"""What is stored and exchanged: messages, tasks, simulations, rewards. Imports nothing else of ours."""
