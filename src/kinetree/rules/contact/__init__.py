"""Rules about contact of a robot's links, which run if `CheckOptions.contact` is set."""
