"""The figure dialog: what of a result is saved as a picture, and how it looks."""
