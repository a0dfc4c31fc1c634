import manifest from '../package.json';
import { VERSION } from './version.js';

it('agrees with package.json', () => {
  expect(VERSION).toBe(manifest.version);
});
