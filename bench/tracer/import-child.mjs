/** How long `import '@dacapo/tracer'` takes, in ms. */
const start = performance.now();
await import('@dacapo/tracer');
process.send({ importMs: performance.now() - start }, () => process.exit(0));
