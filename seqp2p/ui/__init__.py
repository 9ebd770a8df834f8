"""The screen, plain text and speech: pure painters of frozen models, and the one file that meets a terminal."""
