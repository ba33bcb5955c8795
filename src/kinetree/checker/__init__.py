"""Run the rules over robots and files, and report what they find."""
