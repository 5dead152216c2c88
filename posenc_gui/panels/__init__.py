"""Panels: what the user sets. The main window reads them; views never write them."""
