"""What passes between the controlling process and xdist's workers."""
