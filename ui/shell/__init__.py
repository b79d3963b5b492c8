"""Main window, menus and window state."""
