import { toMembers } from '@dacapo/protocol';
import type { ModelReader } from '../clients/model-method.js';
import { followBody, reviveResponse } from '../clients/response-body.js';
import { resultFile } from '../clients/result-file.js';
import { singleText } from './single-text.js';
import { readUsage } from './usage.js';

/** `audio.speech.create`. */
export const SPEECH: ModelReader = {
  prompt: singleText('input').prompt,
  answer: () => ({}),
  followBody,
  revived: reviveResponse,
};

/** `files.content`. */
export const FILE_CONTENT: ModelReader = resultFile(
  (fileId) => fileId,
  (counter, { custom_id: customId, response, error }) => {
    if (customId === undefined) return;
    const { status_code: status, body } = toMembers(response);
    const { model, usage } = toMembers(body);
    const hasFailed = response === undefined || response === null || toMembers(error)['code'] !== undefined;
    if (hasFailed || (typeof status === 'number' && status >= 400)) counter.add('failed');
    else counter.add('completed', model, readUsage(usage));
  },
);
