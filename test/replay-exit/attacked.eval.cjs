// Evaluates a function that tries to end its process. The test passes the code of each hook in environment variables.
const run = (hook) => new Function('require', process.env[hook] ?? '')(require);

run('ON_LOAD');
module.exports = {
  data: [1, 2, 3].map((input) => ({ input, expected: process.env.CHANGED === undefined ? input : -input })),
  function: async (n) => {
    await run('ON_CALL');
    if (n === 3) await run('ON_LAST_CALL');
    return n;
  },
  evaluators: { score: () => run('ON_SCORE') ?? true },
  timeoutMs: 5000,
  gate: { changed: 0, errors: 0 },
};
