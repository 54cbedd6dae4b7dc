"""What the controlling process tells: header, progress, tables, gates, files."""
