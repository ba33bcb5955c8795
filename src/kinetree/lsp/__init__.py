"""Language server for robot descriptions: pure functions on models that a limited child process reads, and a server.

`server.py` speaks the protocol, `session.py` keeps open documents and their checks, `workers.py` the child processes,
and `child.py` answers in these. The other files are one question each, on frozen data.
"""
