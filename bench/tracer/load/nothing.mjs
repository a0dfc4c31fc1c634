// An application that loads nothing: what Node itself takes to start an ES module.
