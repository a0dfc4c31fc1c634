/** The tests of services, on SQLite. `npm test` runs each of their files on its own. */
import './support/service-tests.js';
