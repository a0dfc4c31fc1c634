import * as tracer from '@dacapo/tracer';
import OpenAI from 'openai';
import { work } from './work.mjs';

void work(tracer, { OpenAI }, () => import('@dacapo/evaluation'), process.env).then((result) => {
  console.log(JSON.stringify(result));
});
