"""What the user asked for, and the keys under which the plugin keeps things."""
