"""Analysis and widening of limits over several joints."""
