"""A person as a player: typed words in, lines out, with suggestions, a tutorial and a turn clock."""
