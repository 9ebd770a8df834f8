"""Tools of the developers: the training and the calibration of the bot ``learned``."""
