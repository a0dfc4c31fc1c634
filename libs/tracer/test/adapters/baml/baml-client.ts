/** The client that `baml-cli` generated from baml_src, quiet: the runtime logs every prompt to stdout by default. */
import { setLogLevel } from '@boundaryml/baml/logging';

setLogLevel('OFF');

export { b } from '../baml_client/index.js';
export { b as syncClient } from '../baml_client/sync_client.js';
