// Loads nothing: the time of Node itself to start an ES module.
