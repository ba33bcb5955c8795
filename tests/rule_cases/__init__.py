"""Models on both sides of each number and each exemption of a rule, one module a family. See `rule_cases.case`."""
