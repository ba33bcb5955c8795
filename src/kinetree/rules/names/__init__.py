"""Rules about names of links and joints."""
