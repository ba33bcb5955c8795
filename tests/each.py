"""Many values in one test."""

import functools
import inspect


def each(names, values):
    """Run a test with each of several values, as one test; a failure has a note with its values.

    As `pytest.mark.parametrize`, but without the cost of a test for each value: thousands of short tests take longer to
    set up than to run. names: one, or several parted by commas. Not for tests whose fixtures are used up by a run.
    """
    keys = [name.strip() for name in names.split(",")]
    rows = [row if len(keys) > 1 else (row,) for row in values]
    assert rows

    def decorate(function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def run(*args, **fixtures):
            for row in rows:
                given = dict(zip(keys, row, strict=True))
                try:
                    function(*args, **fixtures, **given)
                except Exception as error:
                    error.add_note(f"with {given}")
                    raise

        rest = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        run.__signature__ = signature.replace(parameters=rest)
        return run

    return decorate
