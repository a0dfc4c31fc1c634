// The command waits for the module, and nothing keeps the process alive.
exports.AppModule = new Promise(() => {});
