"""The encoding's own picture: what the encoding is, apart from any words."""
