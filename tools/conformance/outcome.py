"""What a check finds, and the list of all checks."""


class Wrong(Exception):
    """The UPF did something else; the text says what came instead."""


class Refused(Wrong):
    """The UPF refused a request that a check needs."""


class Missing(Exception):
    """The bench lacks an address that a check needs."""


class CannotBegin(Exception):
    """The bench cannot begin; the text says what to do."""


class Check:
    def __init__(self, name, clause, title, run, optional):
        self.name, self.clause, self.title, self.run, self.optional = name, clause, title, run, optional


CHECKS = []


def check(name, clause, title, optional=False):
    """Register a function of the bench as a check. A UPF may refuse what is optional: that is "not supported"."""
    def register(run):
        CHECKS.append(Check(name, clause, title, run, optional))
        return run
    return register


def table(rows, clause, optional=False):
    """Register one check for each row: a name, a title, and what the function takes after the bench."""
    def register(run):
        for name, title, *arguments in rows:
            CHECKS.append(Check(name, clause, title, lambda bench, arguments=arguments: run(bench, *arguments), optional))
        return run
    return register


def same(what, got, wanted):
    if got != wanted:
        raise Wrong("%s is %s, not %s" % (what, got, wanted))


def true(fact, otherwise):
    if not fact:
        raise Wrong(otherwise)
