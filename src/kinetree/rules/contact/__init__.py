"""Rules about contact of a robot's links, which run if they are asked for (`CheckOptions.contact`)."""
