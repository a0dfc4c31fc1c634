import manifest from '../package.json';
import { VERSION } from './version.js';

it('equals the version in package.json', () => {
  expect(VERSION).toBe(manifest.version);
});
