"""Work with real robots: calibration from a controller's poses, frames from touched points, maps of reach."""
