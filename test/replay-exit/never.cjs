// The command waits for this module, but nothing keeps the process alive.
exports.AppModule = new Promise(() => {});
