"""Folders on disk that untrusted commands wrote to: their complete removal, and the marks of overlays."""
