"""The pictures: one drawing code for screen, export and command line."""
