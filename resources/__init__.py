"""Fonts, icons and sample texts shipped with PosEnc."""
