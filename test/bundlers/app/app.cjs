const tracer = require('@dacapo/tracer');
const { OpenAI } = require('openai');
const { work } = require('./work.cjs');

work(tracer, { OpenAI }, async () => require('@dacapo/evaluation'), process.env).then((result) => {
  console.log(JSON.stringify(result));
});
