import OpenAI from 'openai';
import { describeOpenAi } from './openai-contract.js';

describeOpenAi({ version: '7', OpenAI });
