"""What turns the app into a program: files, socket, signals, and what is said at the start and the end."""
