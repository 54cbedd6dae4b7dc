"""What a run says about itself: the table in the terminal, a missed trial's verdict, files for other tools."""
