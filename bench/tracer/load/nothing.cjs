// Loads nothing: the time of Node itself to start a CommonJS module.
