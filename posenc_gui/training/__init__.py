"""The Train window: encoders learn a task side by side while one watches. Imports no torch."""
