"""What others bring: agents behind an address or a command, frameworks, protocols; each imported when it is named."""
