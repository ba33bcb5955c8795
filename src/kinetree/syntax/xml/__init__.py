"""XML as elements that know their place, and elements as XML."""
