/**
 * An application that calls a function in turn by each caller: `node application.mjs <traced|plain> <function> <caller>...`. It prints
 * what it sees, and ends as it ends.
 */
const [kind, functionName, ...callerNames] = process.argv.slice(2);
const refused = new Error('refused');
const ignore = () => {};
const later = () =>
  new Promise((_, reject) => {
    setTimeout(reject, 5, refused);
  });

class ClientPromise extends Promise {
  withResponse() {
    return this.then((data) => ({ data }));
  }
}

const FUNCTIONS = {
  'async, throws': async () => {
    throw refused;
  },
  'async, throws later': async () => {
    await later();
  },
  'async, handles inside': async () => {
    await later().catch(ignore);
    return 'handled';
  },
  'async, gives a promise that it handles too': async () => {
    const promise = later();
    promise.catch(ignore);
    return promise;
  },
  'sync, handles its own promise': () => {
    const promise = Promise.reject(refused);
    promise.catch(ignore);
    return promise;
  },
  'sync, handles its own promise later': () => {
    const promise = later();
    void (async () => {
      try {
        await promise;
      } catch {
        // This is how it handles it.
      }
    })();
    return promise;
  },
  'sync, handles what it derived': () => later().catch(ignore),
  'sync, gives a promise that nobody handles': () => later(),
  'sync, throws': () => {
    throw refused;
  },
  'a promise with methods that nobody handles': () => ClientPromise.reject(refused),
  'a promise with methods that it handles': () => {
    const promise = ClientPromise.reject(refused);
    promise.catch(ignore);
    return promise;
  },
  'a thenable that rejects': () => ({
    then: (_, onRejected) => {
      onRejected(refused);
    },
  }),
  'a value': () => 'value',
};

const seen = (text) => (value) => {
  console.log(text, value instanceof Error ? value.message : value);
};

const CALLERS = {
  ignores: (fn) => {
    fn();
  },
  awaits: async (fn) => {
    seen('gave')(await fn());
  },
  'gathers in Promise.all': async (fn) => {
    seen('gave')(await Promise.all([fn(), fn()]));
  },
  'handles it in each way': async (fn) => {
    try {
      seen('gave')(await fn());
    } catch (error) {
      seen('caught')(error);
    }
    try {
      await Promise.all([fn(), fn()]).catch(seen('caught of all'));
    } catch (error) {
      seen('thrown')(error);
    }
    const settled = await Promise.allSettled([(async () => fn())()]);
    seen('settled')(settled.map(({ status }) => status).join());
  },
  'handles it too late': async (fn) => {
    const result = fn();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.resolve(result).catch(seen('caught'));
  },
  'ignores, and listens for it': (fn) => {
    process.on('unhandledRejection', seen('unhandled'));
    process.on('rejectionHandled', seen('handled late'));
    fn();
  },
};

/** The plain application knows of no tracer. */
const traced = async (fn) => {
  const { createTestTracer } = await import('@dacapo/tracer/testing');
  return createTestTracer().tracer.withSpan('fn', fn);
};

const fn = kind === 'traced' ? await traced(FUNCTIONS[functionName]) : FUNCTIONS[functionName];
for (const name of callerNames) await CALLERS[name](fn);
