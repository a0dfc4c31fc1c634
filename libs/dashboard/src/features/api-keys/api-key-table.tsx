import type { ApiKeySummary } from '@dacapo/protocol';
import { Badge } from '../../shared/ui/badge.js';
import { Time } from '../../shared/ui/time.js';
import styles from './api-keys.module.css';
import { RevokeApiKey } from './revoke-api-key.js';

export function ApiKeyTable({ apiKeys }: { apiKeys: ApiKeySummary[] }) {
  return (
    <div className="card table-frame">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Key</th>
            <th>May</th>
            <th>Created</th>
            <th>Last used</th>
            <th className="number">
              <span className="visually-hidden">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {apiKeys.map((apiKey) => (
            <tr key={apiKey.id}>
              <td>
                <strong className="two-lines">{apiKey.name}</strong>
              </td>
              <td>
                <code className="nowrap">{apiKey.hint}</code>
              </td>
              <td>
                <span className={styles.badges}>
                  {apiKey.scopes.map((scope) => (
                    <Badge key={scope} tone={scope === 'manage' ? 'warning' : 'neutral'}>
                      {scope}
                    </Badge>
                  ))}
                </span>
              </td>
              <td>
                <Time at={apiKey.created_at} />
              </td>
              <td>
                {apiKey.last_used_at === undefined ? (
                  <span className="muted">never</span>
                ) : (
                  <Time at={apiKey.last_used_at} />
                )}
              </td>
              <td className="number">
                <RevokeApiKey apiKey={apiKey} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
