"""The iCub's naming conventions as rules; their tables are in `kinetree.robots.icub`."""
