import * as API from './api/routes/routes.js';

export { API };
export { consistent, problemOfPath } from './api/conditions/condition-schemas.js';
export { type Answer, type Input, type Route, type Stream } from './api/route.js';
export { NEW_DATASET_ITEM } from './api/routes/datasets.js';
export { ITEM_NO, ITEM_REPORT } from './api/routes/item-report.js';
export { check, fits } from './api/schema/check.js';
export { object, string } from './api/schema/kinds.js';
export type { Schema } from './api/schema/kinds.js';
export { decodeQuery, encodeQuery, type Query } from './api/schema/query.js';
