"""The iCub: its kinematics by version, its names, control boards and limits, as data with their sources."""
