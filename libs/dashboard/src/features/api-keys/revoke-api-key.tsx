import type { ApiKeySummary } from '@dacapo/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { ConfirmedButton } from '../../shared/ui/confirmed-button.js';
import { apiKeysQuery } from './api.js';

export function RevokeApiKey({ apiKey }: { apiKey: ApiKeySummary }) {
  const queryClient = useQueryClient();
  const revoke = async (): Promise<void> => {
    await client.apiKeys.revoke({ id: apiKey.id });
    await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  };
  return (
    <ConfirmedButton
      verb="Revoke"
      name={apiKey.name}
      action="Revoke key"
      failure="Could not revoke the key."
      onConfirm={revoke}
    >
      The collector rejects applications that use this key, and signs out browsers that signed in with it.
      This cannot be undone.
    </ConfirmedButton>
  );
}
