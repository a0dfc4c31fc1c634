/** The tests of services, for any storage that `Service.storage` opens. */
import '../access-routes.spec.js';
import '../access.spec.js';
import '../api-keys.spec.js';
import '../audit-log.spec.js';
import '../browser-session.spec.js';
import '../embeddings.spec.js';
import '../indexes.spec.js';
import '../members.spec.js';
import '../unknown-fields.spec.js';
import './span-service-tests.js';
