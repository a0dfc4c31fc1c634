import * as API from './api/routes/routes.js';

export { API };
export { consistent, checkMetadataPath } from './api/conditions/condition-schemas.js';
export { type Answer, type Input, type PathTexts, type Route, routePath, type Stream } from './api/route.js';
export { NEW_DATASET_ITEM } from './api/routes/datasets.js';
export { ITEM_NO, ITEM_REPORT } from './api/routes/item-report.js';
export { check, fits } from './api/schema/check.js';
export {
  amount,
  filled,
  label,
  list,
  matching,
  maybe,
  object,
  set,
  string,
  text,
} from './api/schema/kinds.js';
export type { Schema } from './api/schema/kinds.js';
export { decodeQuery, encodeQuery, type Query } from './api/schema/query.js';
