import { route } from '../route.js';
import { sha256 } from '../schema/kinds.js';

export const media = {
  get: route({
    method: 'GET',
    path: '/api/v1/media/:id',
    scope: 'read',
    tag: 'Reading',
    summary: 'The bytes of an image, a sound or a file that a recorded value refers to.',
    parameters: { id: sha256() },
    answerStream: { type: 'application/octet-stream', text: 'The bytes.' },
  }),
};
