"""All rules about English: what a line says, what it is about and whether it agrees. Nothing else knows a phrase."""
