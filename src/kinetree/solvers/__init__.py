"""What takes more than one pass: comparing robots."""
