exports.score = () => new Function(process.env.ON_SCORE ?? 'return true')();
