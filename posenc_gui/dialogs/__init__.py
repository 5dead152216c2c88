"""Dialogs; each has a function that asks, which tests replace."""
