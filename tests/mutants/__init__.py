"""Breaking one check at a time, and seeing that the tests notice: ``make mutants``."""
