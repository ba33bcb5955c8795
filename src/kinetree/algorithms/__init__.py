"""The book's algorithms, each written once in plain NumPy. They run on floats and on symbolic scalars."""
