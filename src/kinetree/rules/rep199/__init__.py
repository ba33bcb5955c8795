"""REP-199, the frames of industrial manipulators, as rules."""
