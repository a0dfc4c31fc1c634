import * as tracer from '@dacapo/tracer';
import OpenAI from 'openai';
import { work } from './work.mjs';

const result = await work(tracer, { OpenAI }, () => import('@dacapo/evaluation'), process.env);
console.log(JSON.stringify(result));
