"""Folders on disk that strangers' commands wrote: removed whole, and the marks of overlays."""
